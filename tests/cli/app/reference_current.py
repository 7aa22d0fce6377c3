#!/usr/bin/env python3
"""docs/reference/ is what the program writes. usage: reference_current.py PROGRAM"""
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
COMMITTED = SOURCE / "docs" / "reference"


def pages(folder):
    return {p.name: p.read_text(encoding="utf-8") for p in folder.glob("*.md")}


with tempfile.TemporaryDirectory() as name:
    subprocess.run([sys.argv[1], "reference", name], check=True)
    written, committed = pages(pathlib.Path(name)), pages(COMMITTED)

stale = [n for n in sorted(written | committed) if written.get(n) != committed.get(n)]
for page in stale:
    print(f"docs/reference/{page} is not current")
if stale:
    print("run: terrawave reference docs/reference   (and remove pages that it does not write)")
if not written:
    print("the program wrote no pages")
sys.exit(1 if stale or not written else 0)
