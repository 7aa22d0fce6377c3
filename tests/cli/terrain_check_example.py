#!/usr/bin/env python3
"""Runs an example of the terrain solver and compares run.json's facts with its expected.toml.

    terrain_check_example.py PROGRAM FOLDER [OUT] [--set KEY=VALUE ...]

Each [[check]] says `path` (keys and positions inside the facts), `value`, and, for numbers that
are not exact, a relative `tolerance`. `files` lists what the run must leave.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib


def follow(facts, path):
    for key in path:
        facts = facts[key]
    return facts


def main():
    program, folder, *rest = sys.argv[1:]
    folder = pathlib.Path(folder)
    expected = tomllib.loads((folder / "expected.toml").read_text())
    with tempfile.TemporaryDirectory() as scratch:
        out = pathlib.Path(scratch) / "out"
        if rest and not rest[0].startswith("--"):
            out = pathlib.Path(rest.pop(0))
        subprocess.run([program, "run", str(folder / "case.toml"), "--out", str(out), *rest], check=True)
        facts = json.loads((out / "run.json").read_text())["facts"]
        bad = 0
        for name in expected.get("files", []):
            if not (out / name).is_file() or (out / name).stat().st_size == 0:
                print(f"FAILS  {name} is missing")
                bad += 1
        for check in expected["check"]:
            found = follow(facts, check["path"])
            slack = check.get("tolerance", 0) * abs(check["value"])
            good = abs(found - check["value"]) <= slack
            bad += not good
            where = ".".join(str(key) for key in check["path"])
            print(f"{'holds ' if good else 'FAILS '} {where}: expected {check['value']}, found {found}")
        left = [p.name for p in out.iterdir() if p.name.startswith(".")]
        if left:
            print(f"FAILS  left behind: {left}")
            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
