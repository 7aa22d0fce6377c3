#!/usr/bin/env python3
"""`terrawave check --keys-only` passes every case under examples/ (the data of some are fetched by a
script; the tests that run examples read them). usage: examples_pass.py PROGRAM"""
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[3]
# Names of other tables than cases: expected numbers of the examples.
cases = sorted(p for p in (SOURCE / "examples").rglob("*.toml") if not p.name.startswith("expected"))
wrong = 0
for case in cases:
    done = subprocess.run([sys.argv[1], "check", "--keys-only", str(case)], capture_output=True, text=True)
    if done.returncode != 0:
        wrong += 1
        print(f"{case.relative_to(SOURCE)}: exit code {done.returncode}\n{done.stderr}")
print(f"{len(cases) - wrong} of {len(cases)} examples pass the check")
sys.exit(1 if wrong else 0)
