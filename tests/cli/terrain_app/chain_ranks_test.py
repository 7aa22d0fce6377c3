#!/usr/bin/env python3
"""A chain of a case file writes the same files on any number of ranks.

    chain_ranks_test.py PROGRAM MPIEXEC CASE RANKS...

CASE is a case file whose inputs lie beside it.
"""
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

# Times, memory and the machine are in these.
OWN = {"run.json", "report.html"}


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stdout}{done.stderr}")


def package(file):
    """The rows of a GeoPackage's layers; the time when it was written is elsewhere in the file."""
    with sqlite3.connect(file) as base:
        layers = [name for (name,) in base.execute("select table_name from gpkg_contents")]
        return {layer: base.execute(f'select * from "{layer}"').fetchall() for layer in layers}


def contents(folder):
    return {p.name: package(p) if p.suffix == ".gpkg" else p.read_bytes()
            for p in sorted(folder.iterdir()) if p.is_file()}


def main():
    program, mpiexec, case, *ranks = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory(prefix="terrawave-chain-") as name:
        folder = pathlib.Path(name)
        run([program, "run", case, "--device", "cpu", "--out", str(folder / "one")], folder)
        one = contents(folder / "one")
        for n in ranks:
            out = folder / f"ranks{n}"
            run([mpiexec, "-n", n, "--oversubscribe", "--allow-run-as-root", program, "run", case,
                 "--device", "cpu", "--threads", "1", "--out", str(out)], folder)
            many = contents(out)
            if one.keys() != many.keys():
                print(f"{n} ranks: other files: {sorted(one.keys() ^ many.keys())}")
                failed = True
            for file in one.keys() & many.keys() - OWN:
                if one[file] != many[file]:
                    print(f"{n} ranks: {file} differs")
                    failed = True
        print(f"{len(one)} files, ranks {' '.join(ranks)}: {'differ' if failed else 'the same'}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
