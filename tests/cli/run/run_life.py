#!/usr/bin/env python3
"""The life of a run: done, repeated, interrupted, resumed, failed; its folder and its exit codes.

    run_life.py PROGRAM [MPIEXEC]
"""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
MPIEXEC = sys.argv[2] if len(sys.argv) > 2 else None

CASE = """
[run]
solver = "swe"
end_time = 2
threads = 1
checkpoint_time = 0.5

[domain.rectangle]
west = -5
south = -5
east = 5
north = 5
cells = 1500

[swe]
density_ratio = 0.98

[swe.initial]
bottom = "5"
interface = "-4"

[[swe.region]]
shape = "circle"
center = [0, 0]
radius = 1.5
interface = "-0.5"

[output]
interval = 0.3
maps = 2

[[output.gauge]]
name = "east"
x = 3
y = 0
"""


def command(*arguments, ranks=1):
    launch = [MPIEXEC, "-n", str(ranks), "--oversubscribe", "--allow-run-as-root"] if ranks > 1 else []
    return launch + [PROGRAM, *map(str, arguments)]


def go(*arguments, ranks=1):
    return subprocess.run(command(*arguments, ranks=ranks), capture_output=True, text=True, timeout=300)


def descendants(pid):
    found = []
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        found += [int(child)] + descendants(int(child))
    return found


class RunLife(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="terrawave-run-"))
        self.case = self.folder / "case.toml"
        self.case.write_text(CASE)
        self.out = self.folder / "out"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def facts(self, out=None):
        return json.loads(((out or self.out) / "run.json").read_text())

    def whole(self):
        """The results of the run that nothing disturbed."""
        out = self.folder / "whole"
        self.assertEqual(go("run", self.case, "--out", out).returncode, 0)
        return out

    def assert_same_results(self, a, b):
        files = self.facts(a)["files"]
        self.assertEqual(files, self.facts(b)["files"])
        self.assertGreaterEqual(len(files), 10)
        for name in files:
            self.assertEqual((a / name).read_bytes(), (b / name).read_bytes(), name)

    def stop(self, number, ranks=1, to_one_rank=False, after="fields/fields_0001.vtu"):
        """Starts a run, stops it once the file `after` is there; returns its exit code."""
        process = subprocess.Popen(command("run", self.case, "--out", self.out, ranks=ranks),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 120
        while not (self.out / after).exists():
            self.assertLess(time.time(), deadline)
            self.assertIsNone(process.poll(), "the run ended before it was stopped")
            time.sleep(0.005)
        target = process.pid
        if to_one_rank:
            target = [p for p in descendants(process.pid)
                      if os.readlink(f"/proc/{p}/exe") == PROGRAM][-1]
        os.kill(target, number)
        _, said = process.communicate(timeout=120)
        return process.returncode, said

    def test_done_repeated_and_reported(self):
        first = go("run", self.case, "--out", self.out)
        self.assertEqual((first.returncode, self.facts()["state"]), (0, "done"), first.stderr)
        (self.out / "mine.txt").write_text("mine")
        second = go("run", self.case, "--out", self.out, "--set", "output.maps=0")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("replacing the earlier run", second.stdout)
        self.assertEqual((self.out / "mine.txt").read_text(), "mine")
        self.assertFalse(list((self.out / "pictures").glob("*.png")), "old files must go")
        page = (self.out / "report.html").read_text()
        (self.out / "report.html").unlink()
        self.assertEqual(go("report", self.out).returncode, 0)
        self.assertEqual((self.out / "report.html").read_text(), page)

    def test_a_folder_of_somebody_else_is_left_alone(self):
        self.out.mkdir()
        (self.out / "thesis.tex").write_text("precious")
        result = go("run", self.case, "--out", self.out)
        self.assertEqual(result.returncode, 2)
        self.assertIn("is not empty and holds no run of terrawave", result.stderr)
        self.assertEqual([p.name for p in self.out.iterdir()], ["thesis.tex"])

    def test_signals_leave_a_checkpoint_to_go_on_from(self):
        whole = self.whole()
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(signal=number):
                shutil.rmtree(self.out, ignore_errors=True)
                code, said = self.stop(number)
                self.assertEqual(code, 130, said)
                self.assertEqual(self.facts()["state"], "interrupted")
                self.assertLess(self.facts()["time"], 2)
                resumed = go("run", self.case, "--out", self.out, "--resume")
                self.assertEqual(resumed.returncode, 0, resumed.stderr)
                self.assertGreater(self.facts()["first_step"], 0)
                self.assert_same_results(whole, self.out)

    def test_a_killed_run_goes_on_from_its_last_checkpoint(self):
        whole = self.whole()
        code, _ = self.stop(signal.SIGKILL, after="checkpoint.h5")
        self.assertEqual(code, -signal.SIGKILL)
        (self.out / ".part-1-fields.nc").write_text("half a file")  # as a kill may leave it
        self.assertEqual(go("run", self.case, "--out", self.out, "--resume").returncode, 0)
        self.assert_same_results(whole, self.out)
        self.assertEqual(list(self.out.glob(".part*")), [])

    def test_without_a_checkpoint_there_is_nothing_to_resume(self):
        refused = go("run", self.case, "--out", self.out, "--resume")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("holds no checkpoint", refused.stderr)
        self.assertFalse(self.out.exists())

    @unittest.skipUnless(MPIEXEC, "this build has no MPI: ranks are NOT checked")
    def test_one_rank_gets_the_signal_and_other_ranks_go_on(self):
        whole = self.whole()
        code, said = self.stop(signal.SIGTERM, ranks=3, to_one_rank=True)
        self.assertEqual(code, 130, said)
        resumed = go("run", self.case, "--out", self.out, "--resume", ranks=2)
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assert_same_results(whole, self.out)

    def test_another_case_is_refused_naming_both_sides(self):
        self.whole()
        whole = self.folder / "whole"
        before = {p: p.stat().st_mtime_ns for p in whole.rglob("*")}
        for key, value, sides in (
                ("swe.density_ratio", "0.9", "density_ratio: 0.98 in the checkpoint, 0.9 in this case"),
                ("run.precision", "'single'", "precision: double in the checkpoint, single in this case"),
                ("domain.rectangle.cells", "900", "cells: ")):
            refused = go("run", self.case, "--out", whole, "--resume", "--set", f"{key}={value}")
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(sides, refused.stderr)
        self.assertEqual({p: p.stat().st_mtime_ns for p in whole.rglob("*")}, before)

    def test_a_state_that_breaks_is_named(self):
        self.case.write_text(CASE.replace('interface = "-4"', 'interface = "-4"\nu1x = "1e200"'))
        failed = go("run", self.case, "--out", self.out)
        self.assertEqual(failed.returncode, 3, failed.stderr)
        self.assertEqual(self.facts()["state"], "failed")
        self.assertRegex(failed.stderr, r"in cell \d+ at \(")
        self.assertTrue((self.out / "failed_state.h5").exists())
        self.assertTrue((self.out / "report.html").exists())

    def test_a_dry_run_and_a_wrong_case_write_nothing(self):
        self.assertEqual(go("run", self.case, "--out", self.out, "--dry-run").returncode, 0)
        self.assertFalse(self.out.exists())
        self.case.write_text(CASE.replace("x = 3", "x = 30"))
        wrong = go("run", self.case, "--out", self.out)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("lies in no cell", wrong.stderr)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
