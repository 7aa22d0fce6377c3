#!/usr/bin/env python3
"""Where a file cannot be written to its end, one message says so and nothing half-written stays.

The system refuses files beyond a size (RLIMIT_FSIZE), which fails like a full disk but needs no
disk of its own.

    disk_full.py PROGRAM
"""
import json
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())

CASE = """
[run]
solver = "swe"
end_time = "0.05 s"
threads = 1
device = "cpu"
checkpoint_time = "0.05 s"
[domain.rectangle]
east = 10
north = 10
cells = 3000
[swe.initial]
bottom = "5"
interface = "-2 + sin(7*x*y)"
[output]
interval = "0.05 s"
maps = {maps}
formats = {formats}
"""


def limited(size, *command):
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return subprocess.run([PROGRAM, *map(str, command)], capture_output=True, text=True,
                          preexec_fn=limit, timeout=60)


class DiskFull(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory(prefix="terrawave-disk-")
        self.addCleanup(keep.cleanup)
        self.folder = pathlib.Path(keep.name)
        self.out = self.folder / "out"

    def half_written(self):
        return [p.name for p in self.folder.rglob("*") if "part" in p.name]

    def test_every_output_of_a_run(self):
        case = self.folder / "case.toml"
        # What is too large is named; sizes: fields.nc > 300 kB, .vtu > 200 kB, PNG > 10 kB,
        # checkpoint > 100 kB.
        for formats, maps, size, named in ((["ugrid"], 0, 60_000, "fields.nc"),
                                           (["paraview"], 0, 60_000, "fields_0000.vtu"),
                                           ([], 1, 4_000, ".png"),
                                           ([], 0, 60_000, "checkpoint.h5")):
            with self.subTest(named):
                case.write_text(CASE.format(formats=json.dumps(formats), maps=maps))
                done = limited(size, "run", case)
                if named == "fields.nc" and "no NetCDF" in done.stderr:
                    continue  # a lean build
                self.assertEqual(done.returncode, 3, done.stderr)
                first = done.stderr.splitlines()[0]
                self.assertTrue(first.startswith("warning: the run failed: ") and named in first, done.stderr)
                self.assertEqual(self.half_written(), [])
                if (self.out / "run.json").exists():  # itself too large for the smallest size
                    self.assertEqual(json.loads((self.out / "run.json").read_text())["state"], "failed")

    def test_nothing_can_be_written(self):
        case = self.folder / "case.toml"
        case.write_text(CASE.format(formats="[]", maps=0))
        done = limited(100, "run", case)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("run.json", done.stderr)
        self.assertEqual(self.half_written(), [])

    def test_mesh_and_bench_files(self):
        for name, words in (("mesh.msh", ["mesh", "generate", "mesh.msh", "--cells", "5000"]),
                            ("mesh.nc", ["mesh", "generate", "mesh.nc", "--cells", "5000"]),
                            ("figures.json", ["bench", "swe", "--quick", "--threads", "1", "--device",
                                              "cpu", "--json", "figures.json"])):
            with self.subTest(name):
                words = [str(self.folder / w) if w == name else w for w in words]
                done = limited(100 if "json" in name else 4000, *words)
                if "no NetCDF" in done.stderr or "NetCDF is not in this build" in done.stderr:
                    continue
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(name, done.stderr)
                self.assertEqual([p.name for p in self.folder.iterdir()], [])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
