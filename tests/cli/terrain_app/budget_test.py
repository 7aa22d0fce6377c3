#!/usr/bin/env python3
"""Holds --memory: the peak of resident memory of runs in tiles stays below the budget and what the
program needs for itself (CONSTANT, as docs/howto/terrain.md says).

    budget_test.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile

import numpy as np

CONSTANT = 60e6
BUDGET = 24e6
SIDE = 2048


def heights():
    """Hills of several sizes with a pit in every few cells, in centimetres."""
    random = np.random.default_rng(1)
    z = np.zeros((SIDE, SIDE), np.float32)
    for step in (1024, 256, 64, 16, 4, 1):
        coarse = random.random((SIDE // step + 1, SIDE // step + 1), np.float32)
        z += step * np.kron(coarse[:-1, :-1], np.ones((step, step), np.float32))
    return (z * 4).astype(np.int16)


def peak(command):
    """Bytes of resident memory at the peak, as the kernel counts them."""
    child = os.spawnvp(os.P_NOWAIT, command[0], command)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_maxrss * 1024


def main():
    program = sys.argv[1]
    failed = False
    with tempfile.TemporaryDirectory(prefix="terrawave-budget-") as folder:
        dem = os.path.join(folder, "dem.npy")
        np.save(dem, heights())
        for op, more in (("fill", []), ("accumulate", ["--weights", "area"]), ("basins", []),
                         ("carve", []), ("breach", []), ("accumulate", ["--mode", "jump", "--weights", "area"]),
                         ("hand", []), ("fill", ["--verify"]), ("accumulate", ["--dinf"])):
            # Eight shares for each cell: the perimeters alone leave no room for less.
            budget = 2 * BUDGET if "--dinf" in more else BUDGET
            # Each of several threads works on a tile of its own.
            for threads in (1, 3):
                if threads == 3:
                    budget *= 2
                out = os.path.join(folder, "out.npy")
                used = peak([program, "terrain", op, dem, "-o", out, "--memory", f"{int(budget)}",
                             "--threads", f"{threads}", "--device", "cpu"] + more)
                limit = budget + CONSTANT
                print(f"{op} {' '.join(more)}, {threads} threads: "
                      f"peak {used / 1e6:.0f} MB, limit {limit / 1e6:.0f} MB")
                failed = failed or used > limit
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
