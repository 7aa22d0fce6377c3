#!/usr/bin/env python3
"""Products in tiles (--memory) and on several ranks: the files and words of one piece.

    tiles_test.py PROGRAM [MPIEXEC RANKS...]
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROWS, COLS = 190, 150
MEMORY = "900K"  # about a dozen tiles

PRODUCTS = (
    ("carve",), ("breach", "--max-length", "4"), ("breach", "--max-depth", "3", "--d4"),
    ("breach", "--closed", "all", "--keep-sinks", "90,70;3,4"), ("jump",), ("jump", "--looped", "ew"),
    ("flow", "--mode", "jump", "--codes", "receivers"),
    ("accumulate", "--mode", "jump"), ("accumulate", "--mode", "jump", "--weights", "area"),
    ("accumulate", "--mode", "jump", "--combine", "max", "--weights", "weights.npy"),
    ("basins", "--mode", "jump"), ("length", "--mode", "jump"),
    ("length", "--mode", "jump", "--upstream"), ("order", "--mode", "jump", "--threshold", "9"),
    ("hand", "--mode", "jump", "--threshold", "9"),
)
FROM_CODES = (
    ("accumulate",), ("accumulate", "--weights", "area"), ("basins",), ("length",),
    ("order", "--threshold", "9"), ("flow", "--codes", "taudem"), ("jump",),
)


def heights():
    """Hills with a pit in every few cells and a lake of nodata."""
    random = np.random.default_rng(3)
    z = np.zeros((ROWS, COLS))
    for step in (60, 16, 4, 1):
        coarse = random.random((ROWS // step + 1, COLS // step + 1))
        z += step * np.kron(coarse, np.ones((step, step)))[:ROWS, :COLS]
    z[40:50, 60:90] = np.nan
    return np.round(z).astype(np.float32)


def loops():
    """ESRI codes that mostly lead south and east, with some loops."""
    random = np.random.default_rng(4)
    codes = random.choice(np.array([1, 2, 4], np.uint8), (ROWS, COLS))
    stray = random.random((ROWS, COLS)) < 0.01
    codes[stray] = random.choice(np.array([8, 16, 32, 64, 128, 0, 255], np.uint8), stray.sum())
    return codes


class Runs:
    def __init__(self, program, ways, folder):
        self.program, self.ways, self.folder = program, ways, folder
        self.failed = 0
        self.count = 0

    def one(self, way, words, out):
        before, after = way
        command = before + [self.program, "terrain", *words, "-o", out, "--device", "cpu",
                            "--threads", "1"] + after
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=120)
        file = self.folder / out
        data = file.read_bytes() if file.exists() else None
        file.unlink(missing_ok=True)
        return done.returncode, done.stdout, done.stderr.splitlines()[:1], data

    def compare(self, *words, status=0):
        whole = self.one(([], []), words, "out.npy")
        if whole[0] != status:
            sys.exit(f"{' '.join(words)}: exit {whole[0]}: {whole[2]}")
        for name, way in self.ways.items():
            self.count += 1
            tiled = self.one(way, words, "out.npy")
            if tiled != whole:
                self.failed += 1
                print(f"{' '.join(words)}, {name}: differs: {tiled[:3]} instead of {whole[:3]}")


def main():
    program = sys.argv[1]
    ways = {"--memory": ([], ["--memory", MEMORY])}
    for n in sys.argv[3:]:
        ways[f"{n} ranks"] = ([sys.argv[2], "-n", n, "--oversubscribe", "--allow-run-as-root"], [])
    with tempfile.TemporaryDirectory(prefix="terrawave-tiles-") as name:
        folder = pathlib.Path(name)
        np.save(folder / "dem.npy", heights())
        np.save(folder / "weights.npy", np.random.default_rng(5).random((ROWS, COLS)))
        np.save(folder / "loops.npy", loops())
        runs = Runs(program, ways, folder)
        for op, *more in PRODUCTS:
            runs.compare(op, "dem.npy", *more)
        runs.compare("accumulate", "loops.npy", "--from", "esri", status=2)
        runs.compare("codes", "dem.npy", "--from", "ldd", status=2)
        runs.compare("codes", "loops.npy", "--from", "esri", "--to", "ldd", status=2)
        runs.compare("codes", "loops.npy", "--from", "esri", "--to", "ldd", "--repair")
        repair = ("codes", "loops.npy", "--from", "esri", "--repair", "--heights", "weights.npy")
        runs.compare(*repair)
        (folder / "codes.npy").write_bytes(runs.one(([], []), repair, "out.npy")[3])
        for op, *more in FROM_CODES:
            runs.compare(op, "codes.npy", "--from", "esri", *more)
        runs.compare("fill", "codes.npy", status=0)
        print(f"{runs.count} runs in tiles, {runs.failed} differ")
        left = {p.name for p in folder.iterdir()} - {"dem.npy", "weights.npy", "loops.npy",
                                                     "codes.npy"}
        if left:
            print(f"left behind: {sorted(left)}")
    sys.exit(1 if runs.failed or left else 0)


if __name__ == "__main__":
    main()
