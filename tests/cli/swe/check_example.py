"""Runs the cases of an example and compares run.json with expected.toml.

check_example.py PROGRAM FOLDER

expected.toml holds one [[run]] per case: `case`, and a table [run.expect] that maps a path in
run.json ("facts.gauges.ring.eta2", "audits.0.drift") to [value, tolerance]. `data`, where given, is
a script in the folder that fetches the data into the folder it is called with; where it cannot (no
network), the test says so loudly and is skipped (exit code 77).
"""
import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path


def look_up(tree, path):
    for part in path.split("."):
        tree = tree[int(part)] if isinstance(tree, list) else tree[part]
    return tree


def main():
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    expected = tomllib.loads((folder / "expected.toml").read_text())
    if "data" in expected:
        fetched = subprocess.run(["sh", folder / expected["data"]], cwd=folder)
        if fetched.returncode != 0:
            print("DATA NOT AVAILABLE: this example did NOT run.")
            return 77
    wrong = 0
    for run in expected["run"]:
        with tempfile.TemporaryDirectory() as out:
            done = subprocess.run(
                [program, "run", folder / run["case"], "--out", Path(out) / "run", "--threads", "2"],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if "this build has no GDAL" in done.stdout:
                print("NO GDAL in this build: this example did NOT run.")
                return 77
            if done.returncode != run.get("exit", 0):
                print(done.stdout)
                print(f"{run['case']}: exit code {done.returncode}")
                wrong += 1
                continue
            result = json.loads((Path(out) / "run" / "run.json").read_text())
            for path, (value, tolerance) in run["expect"].items():
                found = look_up(result, path)
                good = abs(found - value) <= tolerance
                wrong += not good
                print(f"{'ok   ' if good else 'WRONG'} {run['case']}: {path} = {found!r},"
                      f" expected {value!r} +- {tolerance!r}")
    return 1 if wrong else 0


sys.exit(main())
