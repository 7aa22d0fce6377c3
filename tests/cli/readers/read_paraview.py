#!/usr/bin/env python3
"""ParaView opens fields.pvd: times, arrays and values. Calls pvpython (TERRAWAVE_PVPYTHON names it).

    read_paraview.py PROGRAM
"""
import os
import shutil
import subprocess
import sys

import result

INSIDE = """
import sys
from paraview.simple import GetParaViewVersion, PVDReader
series = PVDReader(FileName=sys.argv[1])
series.UpdatePipelineInformation()
print("version", GetParaViewVersion())
print("times", *series.TimestepValues)
series.UpdatePipeline(time=series.TimestepValues[-1])
size = series.GetDataInformation()
print("size", size.GetNumberOfCells(), size.GetNumberOfPoints())
for array in series.CellData.values():
    print("array", array.GetName(), *map(repr, array.GetRange(0)))
"""

pvpython = os.environ.get("TERRAWAVE_PVPYTHON") or shutil.which("pvpython")
if not pvpython:
    result.skip("no pvpython (Debian: python3-paraview, which cannot stand beside python3-vtk9)")
keep, out, facts = result.make()
script = out.parent / "inside.py"
script.write_text(INSIDE)
done = subprocess.run([pvpython, script, out / "fields.pvd"], capture_output=True, text=True)
if done.returncode != 0 or "array" not in done.stdout:
    sys.exit(f"pvpython failed:\n{done.stdout}{done.stderr}")
said = [line.split() for line in done.stdout.splitlines()]
tell = {words[0]: words[1:] for words in said if words and words[0] != "array"}
ranges = {words[1]: (float(words[2]), float(words[3])) for words in said if words[:1] == ["array"]}
assert [float(t) for t in tell["times"]] == result.TIMES, tell
assert [int(n) for n in tell["size"]] == [result.CELLS, result.NODES], tell
assert set(ranges) == {"eta1", "eta2", "h1", "h2", "u1x", "u1y", "u2x", "u2y", "bottom"}, ranges
last = facts["last_map"]
assert ranges["eta2"] == (last["interface_lowest"], last["interface_highest"]), ranges
assert ranges["eta1"] == (last["surface_lowest"], last["surface_highest"]), ranges
print("ParaView", " ".join(tell["version"]), "opens fields.pvd:", ", ".join(ranges))
