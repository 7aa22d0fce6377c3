#!/usr/bin/env python3
"""Every #include in src/terrawave follows tests/unit/layers/layers.txt, and third-party headers
stay in the files that own them. Prints each offence as file:line and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
SOURCE = ROOT / "src" / "terrawave"
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')

# Third-party header prefix -> where it may stand (path prefixes inside src/terrawave).
THIRD_PARTY = {
    "mpi.h": ["comm/mpi.cpp"],
    "cub/": ["par/cuda/"],
    "thrust/": ["par/cuda/"],
    "toml++": ["config/"],
    "udunits2": ["config/"],
    "metis.h": ["domain/"],
    "gdal": ["io/geo/"],
    "ogr": ["io/geo/"],
    "cpl_": ["io/geo/"],
    "netcdf": ["io/geo/"],
    "hdf5": ["io/"],
    "png.h": ["io/"],
    "muParser": ["solvers/", "config/"],
    "CLI/": ["app/"],
    "cuda_runtime": ["par/cuda/", "solvers/swe/cuda/", "solvers/terrain/cuda/", "solvers/fdtd/cuda/"],
}


def allowed_edges():
    edges = {}
    for line in (pathlib.Path(__file__).parent / "layers.txt").read_text().splitlines():
        line = line.split("#")[0].strip()
        if line:
            name, targets = line.split(":")
            edges[name.strip()] = set(targets.split())
    return edges


def layer_of(path, edges):
    """The longest layer name that the path (relative to src/terrawave) starts with."""
    names = [n for n in edges if path == n or path.startswith(n + "/")]
    return max(names, key=len) if names else None


def offences():
    edges = allowed_edges()
    seen = 0
    for file in sorted(SOURCE.rglob("*")):
        if file.suffix not in {".hpp", ".cpp", ".cu", ".cuh"}:
            continue
        name = file.relative_to(SOURCE).as_posix()
        layer = layer_of(name, edges)
        if layer is None:
            yield f"{name}: in no layer of layers.txt"
            continue
        for number, line in enumerate(file.read_text().splitlines(), 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            seen += 1
            target = match.group(2)
            if target.startswith("terrawave/"):
                to = layer_of(target[len("terrawave/"):], edges)
                if to != layer and to not in edges[layer]:
                    yield f"{name}:{number}: {layer} must not include {target}"
            for prefix, places in THIRD_PARTY.items():
                if target.startswith(prefix) and not any(name.startswith(p) for p in places):
                    yield f"{name}:{number}: {target} belongs in {', '.join(places)}"
    if seen == 0:
        yield "no #include was found: is the source tree where this test looks?"


found = list(offences())
print("\n".join(found) if found else "all includes follow layers.txt")
sys.exit(1 if found else 0)
