#!/usr/bin/env python3
"""`terrawave new SOLVER DIR` writes a case that checks and runs, for every solver.
usage: starters_run.py PROGRAM"""
import json
import pathlib
import subprocess
import sys
import tempfile

program = sys.argv[1]


class LeanBuild(Exception):
    """The program was built without a library that the starter needs."""


def call(*words):
    done = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
    if "this build has no GDAL" in done.stderr:
        raise LeanBuild
    if done.returncode != 0:
        sys.exit(f"terrawave {' '.join(map(str, words))}: exit code {done.returncode}\n"
                 f"{done.stdout}{done.stderr}")
    return done.stdout


def solvers():
    lines = iter(call("info").splitlines())
    for line in lines:
        if line == "solvers":
            break
    for line in lines:
        if not line.strip():
            return
        yield line.split()[0]


names = list(solvers())
if not names:
    sys.exit("terrawave info names no solvers")


def try_starter(name):
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "my" / name
        said = call("new", name, folder, "--all-keys")
        case = pathlib.Path(said.splitlines()[-1].split()[-1])
        call("check", case)
        if "[run]" not in (folder / "all_keys.toml").read_text():
            sys.exit(f"{name}: all_keys.toml has no [run]")
        call("run", case, "--device", "cpu", "--threads", "1", "--out", folder / "out",
             "--set", "run.max_steps=50")
        run = json.loads((folder / "out" / "run.json").read_text())
        if run["state"] != "done" or not (folder / "out" / "report.html").stat().st_size:
            sys.exit(f"{name}: the starter's run left state {run['state']}")
        print(f"{name}: starter runs")


for name in names:
    try:
        try_starter(name)
    except LeanBuild:
        print(f"{name}: NOT RUN, this build has no GDAL")
