#!/usr/bin/env python3
"""The result files are the same bytes on 1, 2, 3 and 7 ranks, overlapped or not (T18).

    ranks_same_files.py PROGRAM MPIEXEC
"""
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM, MPIEXEC = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
CASE = """
[run]
solver = "swe"
end_time = "0.3 s"
threads = 1
device = "cpu"
checkpoint_time = "0.3 s"
[domain.rectangle]
west = -5
south = -5
east = 5
north = 5
cells = 2000
perturbation = 0.2
[swe.initial]
bottom = "5 + 0.5*sin(x)*cos(2*y)"
interface = "-4"
[[swe.region]]
shape = "circle"
center = [0, 0]
radius = 1.5
interface = "-0.5"
[[boundary]]
name = "east"
kind = "outflow"
[output]
interval = "0.1 s"
maps = 2
[[output.gauge]]
name = "a"
x = 0.1
y = 0.2
[[output.gauge]]
name = "b"
x = -4
y = 4
"""
OWN = {"run.json", "report.json", "report.html"}  # tell ranks and timings


def files(folder):
    return {p.relative_to(folder).as_posix(): p.read_bytes()
            for p in sorted(folder.rglob("*")) if p.is_file() and p.name not in OWN}


environment = {**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
with tempfile.TemporaryDirectory(prefix="terrawave-ranks-") as name:
    folder = pathlib.Path(name)
    (folder / "case.toml").write_text(CASE)
    expected = None
    for ranks in (1, 2, 3, 7):
        for overlap in ("true", "false") if ranks > 1 else ("true",):
            out = folder / f"{ranks}_{overlap}"
            command = [PROGRAM, "run", folder / "case.toml", "--out", out, "--set", f"run.overlap={overlap}"]
            if ranks > 1:
                command = [MPIEXEC, "-n", str(ranks), "--oversubscribe", "--allow-run-as-root", *command]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            assert done.returncode == 0, done.stdout + done.stderr
            found = files(out)
            expected = expected or found
            assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
            different = [f for f in expected if found[f] != expected[f]]
            assert not different, f"{ranks} ranks, overlap = {overlap}: {different} differ"
            print(f"{ranks} ranks, overlap = {overlap}: the same {len(found)} files")
assert {"fields.pvd", "gauges.csv", "checkpoint.h5"} <= expected.keys(), expected.keys()
