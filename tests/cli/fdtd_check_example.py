#!/usr/bin/env python3
"""Runs an example of the fdtd solver and compares what comes out with its expected.toml.

    fdtd_check_example.py PROGRAM FOLDER [OUT] [--expected FILE] [--set KEY=VALUE ...]

Keys of the table `set` of expected.toml (or FILE) replace values of the case. Each [[check]] has a
`kind`:
  s         |S(row, column)| at `frequency` is `db` within `tolerance_db`
  quotient  the same of b_row / a_column of the run that drives `ports[column]`, as codes form it that
            take the other ports for matched; `impedance` of both
  minimum   the deepest |S(row, column)| between two frequencies lies in `at` and is below `below_db`
  passive   at no frequency leave more than 1 + `tolerance` of the power that enters the ports (of
            one or two), whatever goes into them together
  dips      all local minima deeper than `below_db`: the first lies in `first`
  fact      a value of run.json's facts by `path` is `value` within `tolerance` (relative)
  column    `mean`, `max` or `min` of a column of a CSV file over `time` is `value` within `tolerance`
  peak      the highest magnitude of a probe's spectrum between two frequencies lies in `at`
"""
import cmath
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import tomllib


def read_touchstone(path):
    ports = int(path.suffix[2:-1])
    numbers = []
    for line in path.read_text().splitlines():
        if line.startswith("!"):
            continue
        if line.startswith("#"):
            assert line.split()[:4] == ["#", "Hz", "S", "RI"], line
            continue
        numbers += [float(word) for word in line.split()]
    width = 1 + 2 * ports * ports
    rows = [numbers[i : i + width] for i in range(0, len(numbers), width)]

    def entry(row, column):
        place = (column * ports + row) if ports == 2 else (row * ports + column)
        return [complex(r[1 + 2 * place], r[2 + 2 * place]) for r in rows]

    return [r[0] for r in rows], entry


def interpolate(xs, ys, x):
    for i in range(1, len(xs)):
        if xs[i - 1] <= x <= xs[i]:
            w = (x - xs[i - 1]) / (xs[i] - xs[i - 1])
            return ys[i - 1] + w * (ys[i] - ys[i - 1])
    raise ValueError(f"{x} is outside the frequencies of the run")


def parabola_minimum(xs, ys, i):
    """Position of the minimum through three points of decibels of a null's neighbourhood."""
    if 0 < i < len(xs) - 1:
        a, b, c = ys[i - 1], ys[i], ys[i + 1]
        if a + c - 2 * b > 0:
            return xs[i] + (xs[i + 1] - xs[i]) * 0.5 * (a - c) / (a + c - 2 * b)
    return xs[i]


def db(values):
    return [20 * math.log10(max(abs(v), 1e-12)) for v in values]


class Results:
    def __init__(self, folder):
        self.folder = folder

    def decibels(self, check):
        f, entry = read_touchstone(next(self.folder.glob("sparameters.s*p")))
        return f, db(entry(check["row"] - 1, check["column"] - 1))

    def csv(self, name):
        with open(self.folder / name, newline="") as handle:
            rows = list(csv.reader(handle))
        return rows[0], [[float(x) for x in r] for r in rows[1:]]

    def waves(self, head, rows, port, c):
        """a, b of a port at c["frequency"]; currents belong to half a step earlier."""
        v, i = head.index(f"{port} V"), head.index(f"{port} I (at time - dt/2)")
        w = 2j * math.pi * c["frequency"]
        half = (rows[1][0] - rows[0][0]) / 2
        voltage = sum(r[v] * cmath.exp(-w * r[0]) for r in rows)
        current = sum(r[i] * cmath.exp(-w * (r[0] - half)) for r in rows)
        return voltage + c["impedance"] * current, voltage - c["impedance"] * current

    def check(self, c):
        """Returns (holds, what was found)."""
        kind = c["kind"]
        if kind == "s":
            f, s = self.decibels(c)
            found = interpolate(f, s, c["frequency"])
            return abs(found - c["db"]) <= c["tolerance_db"], f"{found:.2f} dB"
        if kind == "quotient":
            row, column = (c["ports"][c[k] - 1] for k in ("row", "column"))
            head, rows = self.csv(f"probes_{column}.csv")
            _, b = self.waves(head, rows, row, c)
            a, _ = self.waves(head, rows, column, c)
            found = db([b / a])[0]
            return abs(found - c["db"]) <= c["tolerance_db"], f"{found:.2f} dB"
        if kind == "passive":
            path = next(self.folder.glob("sparameters.s*p"))
            f, entry = read_touchstone(path)
            if path.suffix == ".s1p":
                power = [abs(s) ** 2 for s in entry(0, 0)]
            else:
                # The larger eigenvalue of S^H S from its trace and determinant.
                power = []
                for a, b, c_, d in zip(*(entry(r, k) for r in (0, 1) for k in (0, 1)), strict=True):
                    trace = sum(abs(x) ** 2 for x in (a, b, c_, d))
                    root = math.sqrt(max(0, trace**2 - 4 * abs(a * d - b * c_) ** 2))
                    power.append((trace + root) / 2)
            return max(power) <= 1 + c["tolerance"], f"at most {max(power):.6f}"
        if kind == "minimum":
            f, s = self.decibels(c)
            low, high = c["between"]
            inside = [i for i in range(len(f)) if low <= f[i] <= high]
            i = min(inside, key=lambda k: s[k])
            at = parabola_minimum(f, s, i)
            good = c["at"][0] <= at <= c["at"][1] and s[i] <= c["below_db"]
            return good, f"{at / 1e9:.3f} GHz, {s[i]:.1f} dB"
        if kind == "dips":
            f, s = self.decibels(c)
            dips = [parabola_minimum(f, s, i) for i in range(1, len(f) - 1)
                    if s[i] < s[i - 1] and s[i] <= s[i + 1] and s[i] < c["below_db"]]
            good = bool(dips) and c["first"][0] <= dips[0] <= c["first"][1]
            return good, "dips at " + ", ".join(f"{d / 1e9:.2f}" for d in dips) + " GHz"
        if kind == "fact":
            value = json.loads((self.folder / "run.json").read_text())
            for key in c["path"]:
                value = value[key]
            good = abs(value - c["value"]) <= c["tolerance"] * abs(c["value"])
            return good, f"{value}"
        if kind == "column":
            head, rows = self.csv(c["file"])
            column = head.index(c["column"])
            low, high = c["time"]
            values = [r[column] for r in rows if low <= r[0] <= high]
            found = {"mean": sum(values) / len(values), "max": max(values), "min": min(values)}[c["of"]]
            return abs(found - c["value"]) <= c["tolerance"] * abs(c["value"]), f"{found:.5g}"
        if kind == "peak":
            head, rows = self.csv(c["file"])
            re, im = head.index(c["column"] + " re"), head.index(c["column"] + " im")
            low, high = c["between"]
            inside = [r for r in rows if low <= r[0] <= high]
            f = [r[0] for r in inside]
            s = [-20 * math.log10(math.hypot(r[re], r[im]) + 1e-300) for r in inside]
            i = min(range(len(s)), key=lambda k: s[k])
            at = parabola_minimum(f, s, i)
            return c["at"][0] <= at <= c["at"][1], f"{at / 1e9:.6f} GHz"
        raise ValueError(f"unknown kind {kind}")


def main():
    arguments = [a for a in sys.argv[1:]]
    extra = []
    while "--set" in arguments:
        i = arguments.index("--set")
        extra += arguments[i : i + 2]
        del arguments[i : i + 2]
    expected_name = "expected.toml"
    if "--expected" in arguments:
        i = arguments.index("--expected")
        expected_name = arguments[i + 1]
        del arguments[i : i + 2]
    program, folder = arguments[0], pathlib.Path(arguments[1])
    expected = tomllib.loads((folder / expected_name).read_text())
    for key, value in expected.get("set", {}).items():
        extra += ["--set", f"{key}={json.dumps(value)}"]
    with tempfile.TemporaryDirectory() as temporary:
        out = pathlib.Path(arguments[2]) if len(arguments) > 2 else pathlib.Path(temporary) / "out"
        subprocess.run([program, "run", str(folder / "case.toml"), "--device", "cpu", "--out",
                        str(out), *extra], check=True)
        results = Results(out)
        failed = 0
        for check in expected["check"]:
            good, found = results.check(check)
            failed += not good
            print(("ok    " if good else "WRONG ") + check["says"] + ": " + found)
        assert (out / "report.html").stat().st_size > 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
