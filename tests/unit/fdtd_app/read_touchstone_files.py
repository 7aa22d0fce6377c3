#!/usr/bin/env python3
"""Reads what touchstone_files_test.cpp writes with scikit-rf.

    read_touchstone_files.py TEST_PROGRAM
"""
import os
import subprocess
import sys
import tempfile

try:
    import skrf
except ImportError:
    print("NO scikit-rf (Debian: python3-scikit-rf, else pip): "
          "that it reads the Touchstone files was NOT tested.")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], "--gtest_filter=TouchstoneFiles.*"], check=True,
                   stdout=subprocess.DEVNULL,
                   env={**os.environ, "TERRAWAVE_TOUCHSTONE_FILES": folder})
    for ports in range(1, 6):
        network = skrf.Network(os.path.join(folder, f"numbers.s{ports}p"))
        assert network.number_of_ports == ports
        assert [round(f) for f in network.f] == [1000000000, 2500000000, 7250000000], network.f
        assert abs(network.z0 - (40 + ports)).max() == 0, network.z0
        for n, f in enumerate((1.0, 2.5, 7.25)):
            for row in range(ports):
                for column in range(ports):
                    expected = complex(row + 1 + (column + 1) / 10, f)
                    found = network.s[n, row, column]
                    assert abs(found - expected) < 1e-11, (ports, row, column, found)
print(f"scikit-rf {skrf.__version__} reads what was written")
