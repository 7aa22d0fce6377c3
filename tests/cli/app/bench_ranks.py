#!/usr/bin/env python3
"""`terrawave bench swe` under MPI measures what overlapping messages with work gains.

    bench_ranks.py PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

environment = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
with tempfile.TemporaryDirectory() as name:
    file = pathlib.Path(name) / "figures.json"
    for ranks in (2, 3):
        done = subprocess.run(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), sys.argv[1],
             "bench", "swe", "--quick", "--device", "cpu", "--threads", "1", "--json", file],
            capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stdout + done.stderr
        figures = json.loads(file.read_text())
        assert figures["ranks"] == ranks, figures
        rows = figures["benchmarks"]["swe"]["rows"]
        assert {r["precision"] for r in rows} == {"single", "double"}, rows
        assert {r["method"] for r in rows} == {"edges", "cells"}, rows
        # The table's last column is the gain, in the order of the rows.
        lines = [l.split() for l in done.stdout.splitlines() if l.split()[1:2] in (["single"], ["double"])]
        assert "overlap gain" in done.stdout and len(lines) == len(rows), done.stdout
        for line, row in zip(lines, rows):
            gain = row["overlap_gain"]
            assert 0 < gain < 100 and line[-1] == f"{gain:.3f}", (line, row)
        print(f"{ranks} ranks: overlap gain of the {len(rows)} rows printed and written")
