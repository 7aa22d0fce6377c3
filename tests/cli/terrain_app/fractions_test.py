#!/usr/bin/env python3
"""Fractions of flow in files: what `flow --mfd` writes, `--from fractions` reads, in one piece, in
tiles and on several ranks; what are no fractions is refused, and loops are named or broken.

    fractions_test.py PROGRAM FORMATS [MPIEXEC RANKS]      FORMATS: npy, or npy,tif
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

ROWS, COLS = 60, 50
E, SE, S, SW, W, NW, N, NE = range(8)


class Tool:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder
        self.failed = False

    def run(self, *words, front=()):
        return subprocess.run([*front, self.program, "terrain", *words], cwd=self.folder,
                              capture_output=True, text=True, check=False)

    def good(self, *words, front=()):
        done = self.run(*words, front=front)
        if done.returncode != 0:
            sys.exit(f"terrain {' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
        return done.stdout

    def expect(self, ok, what):
        if not ok:
            print("FAILED:", what)
            self.failed = True

    def refused(self, message, *words):
        done = self.run(*words)
        self.expect(done.returncode == 2 and done.stderr == message + "\n",
                    f"terrain {' '.join(words)}: exit code {done.returncode}, said\n{done.stderr}"
                    f"expected\n{message}")
        self.expect(not os.path.exists(os.path.join(self.folder, "never.npy")),
                    "a refused run left its output behind")

    def bytes_of(self, name):
        return pathlib.Path(self.folder, name).read_bytes()


def round_trip(tool, formats, ranks):
    z = np.random.default_rng(5).integers(0, 40, (ROWS, COLS)).astype(np.float32)
    z[10:14, 20:30] = np.nan
    np.save(os.path.join(tool.folder, "dem.npy"), z)
    for rule in (["--mfd", "1.1"], ["--quinn", "4"]):
        tool.good("accumulate", "dem.npy", *rule, "-o", "direct.npy")
        for ext in formats:
            whole = f"whole.{ext}"
            tool.good("flow", "dem.npy", *rule, "-o", whole)
            tool.good("flow", "dem.npy", *rule, "-o", f"tiled.{ext}", "--memory", "300K")
            if ext == "npy":
                tool.expect(tool.bytes_of(whole) == tool.bytes_of(f"tiled.{ext}"), "flow in tiles")
            ways = [[], ["--memory", "300K"]]
            for source in (whole, f"tiled.{ext}"):
                for more in ways:
                    tool.good("accumulate", source, "--from", "fractions", "-o", "read.npy", *more)
                    tool.expect(tool.bytes_of("read.npy") == tool.bytes_of("direct.npy"),
                                f"accumulate {source} {more}")
            if ranks:
                tool.good("accumulate", whole, "--from", "fractions", "-o", "read.npy", front=ranks)
                tool.expect(tool.bytes_of("read.npy") == tool.bytes_of("direct.npy"), "ranks")
    share = np.load(os.path.join(tool.folder, "whole.npy"))
    tool.expect(share.shape == (8, ROWS, COLS), f"shape {share.shape}")
    total = share.sum(axis=0)
    tool.expect(bool(np.all(np.isnan(total) == np.isnan(z))), "nodata where the heights have it")
    ends = ~np.isnan(total) & (total == 0)
    tool.expect(bool(np.all(np.abs(total[~np.isnan(total) & ~ends] - 1) < 1e-12)), "sums of 1")


def save(tool, cells, dtype=np.float64):
    """cells: {(row, column): {neighbour: share}} in a raster of 2 x 3."""
    share = np.zeros((8, 2, 3), dtype)
    for (row, col), given in cells.items():
        for neighbour, amount in given.items():
            share[neighbour, row, col] = amount
    np.save(os.path.join(tool.folder, "shares.npy"), share)


def refusals(tool):
    words = ["accumulate", "shares.npy", "--from", "fractions", "-o", "never.npy"]
    start = ("shares.npy: error: expected fractions of 0 or more that add up to 1 in each cell, or "
             "0 where nothing flows; found ")
    for cells, said in (({(0, 1): {E: 0.5, S: 0.25}}, "a sum of 0.75 in row 0, column 1"),
                        ({(1, 2): {W: 1.5, N: -0.5}}, "-0.5 to N in row 1, column 2"),
                        ({(1, 0): {E: 1, NE: np.nan}}, "nothing to NE in row 1, column 0"),
                        ({(0, 0): {S: np.inf}}, "inf to S in row 0, column 0")):
        save(tool, cells)
        tool.refused(start + said, *words)
        tool.refused(start + said, *words, "--memory", "4000")
    bands = ("shares.npy: error: expected 8 bands, the fractions of flow to E, SE, S, SW, W, NW, N "
             "and NE; found ")
    np.save(os.path.join(tool.folder, "shares.npy"), np.zeros((3, 2, 3)))
    tool.refused(bands + "3", *words)
    np.save(os.path.join(tool.folder, "shares.npy"), np.zeros((2, 3)))
    tool.refused(bands + "1", *words)
    tool.refused("error: --from fractions: they are the rule of flow; leave --d4, --dinf and --mfd "
                 "out", *words, "--dinf")
    tool.refused("error: --from fractions: all eight bands are read; leave --band out", *words,
                 "--band", "2")


def pair(tool):
    """F14: two cells that give each other all they have."""
    share = np.zeros((8, 1, 2))
    share[E, 0, 0] = share[W, 0, 1] = 1
    np.save(os.path.join(tool.folder, "shares.npy"), share)
    words = ["accumulate", "shares.npy", "--from", "fractions", "-o"]
    said = ("shares.npy: error: the flow of the fractions runs in a loop of 2 cells, against the "
            "flow: (row 0, column 0) (row 0, column 1); break loops with --repair")
    tool.refused(said, *words, "never.npy")
    tool.refused(said, *words, "never.npy", "--memory", "4000")
    np.save(os.path.join(tool.folder, "heights.npy"), np.array([[5, 4]], np.float32))
    tool.good(*words, "one.npy", "--repair", "--heights", "heights.npy")
    sums = np.load(os.path.join(tool.folder, "one.npy"))
    tool.expect(sums.tolist() == [[1, 2]], f"the lower of two is the root: {sums}")


def loops(tool):
    """A ring of four cells; the first gives half of its flow to the last as well."""
    ring = {(0, 0): {E: 0.5, S: 0.5}, (0, 1): {S: 1}, (1, 1): {W: 1}, (1, 0): {N: 1}}
    for dtype in (np.float32, np.float64):
        save(tool, ring, dtype)
        words = ["accumulate", "shares.npy", "--from", "fractions", "-o"]
        said = ("shares.npy: error: the flow of the fractions runs in a loop of 4 cells, against "
                "the flow: (row 0, column 0) (row 1, column 0) (row 1, column 1) (row 0, column 1); "
                "break loops with --repair")
        tool.refused(said, *words, "never.npy")
        tool.refused(said, *words, "never.npy", "--memory", "4000")
        heights = np.array([[5, 4, 1], [2, 3, 1]], np.float32)
        np.save(os.path.join(tool.folder, "heights.npy"), heights)
        more = ["--repair", "--heights", "heights.npy"]
        tool.good(*words, "one.npy", *more)
        tool.good(*words, "many.npy", *more, "--memory", "4000")
        tool.expect(tool.bytes_of("one.npy") == tool.bytes_of("many.npy"), "repaired in tiles")
        sums = np.load(os.path.join(tool.folder, "one.npy"))
        # Cell (1, 0), the lowest of this loop and of the one inside it, keeps what reaches it.
        expected = np.array([[1, 1.5, 1], [4, 2.5, 1]])
        tool.expect(bool(np.array_equal(sums, expected)), f"repaired sums\n{sums}")
        tool.good("flow", "shares.npy", "--from", "fractions", "-o", "mended.npy", *more)
        tool.good("accumulate", "mended.npy", "--from", "fractions", "-o", "again.npy")
        tool.expect(tool.bytes_of("again.npy") == tool.bytes_of("one.npy"), "repaired and written")


def main():
    program, formats = os.path.abspath(sys.argv[1]), sys.argv[2].split(",")
    ranks = [sys.argv[3], "-n", sys.argv[4], "--allow-run-as-root"] if len(sys.argv) > 4 else []
    with tempfile.TemporaryDirectory(prefix="terrawave-fractions-") as folder:
        tool = Tool(program, folder)
        round_trip(tool, formats, ranks)
        refusals(tool)
        pair(tool)
        loops(tool)
    sys.exit(1 if tool.failed else 0)


if __name__ == "__main__":
    main()
