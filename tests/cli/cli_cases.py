#!/usr/bin/env python3
"""Runs command-line cases: each is a text file that holds files, a command, and what must come out.

    cli_cases.py PROGRAM PATH... [--accept] [--only WORD] [--lean]

PATH is a case (*.case) or a folder of cases. A case looks like this:

    A range is checked.
    $ terrawave check case.toml
    exit 2
    --- file case.toml
    [run]
    solver = "nothing"
    --- stderr
    case.toml:2:10: error: ...

Before the first `---` stand, in any order: words about the case; `$ COMMAND` (several may follow one
another; all but the last must exit with 0); `exit N` (default 0); `leaves PATTERN` (a file that the
commands may leave behind; without it they must leave none); `env NAME=VALUE`; `timeout SECONDS`.

Sections, each up to the next line that starts with `--- `:
    --- file NAME [crlf] [cut] [base64]   a file to write first; crlf: with CR LF line ends; cut:
                                          without the last newline; base64: these bytes
    --- copy NAME FROM                    a file copied from FROM, relative to the case's folder
    --- folder NAME                       an empty folder
    --- stderr | stdout                   exactly this must be printed by the last command
    --- stderr contains | stdout contains each line must occur in what is printed

Standard error must be empty where no `stderr` section is given and the exit code is 0. Commands run
in a temporary folder, without a shell except for the quoting of words. The word `terrawave` becomes
PROGRAM, `{source}` the root of the source tree. With --lean (a build without GDAL and NetCDF) a case
in which the program says that it lacks them is passed over, and counted. --accept writes what came out into the case's exact
sections and `exit`, to be read before it is committed.
"""
import argparse
import base64
import concurrent.futures
import difflib
import fnmatch
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]


class Case:
    def __init__(self, path):
        self.path = path
        self.commands, self.leaves, self.env = [], [], {}
        self.exit, self.timeout = 0, 60
        self.sections = []  # (header words, text)
        text = path.read_text(encoding="utf-8")
        head, *sections = ("\n" + text).split("\n--- ")
        self.head = head[1:]
        for line in self.head.splitlines():
            word, _, rest = line.partition(" ")
            if word == "$":
                self.commands.append(rest)
            elif word == "exit":
                self.exit = int(rest)
            elif word == "leaves":
                self.leaves.append(rest)
            elif word == "env":
                name, _, value = rest.partition("=")
                self.env[name] = value
            elif word == "timeout":
                self.timeout = float(rest)
        for section in sections:
            header, newline, body = section.partition("\n")
            # The newline before the next "---" belongs to the section's last line.
            if newline and body and not body.endswith("\n"):
                body += "\n"
            self.sections.append((header.split(), body))
        if not self.commands:
            raise ValueError(f"{path}: no command ($ ...)")

    def section(self, *header):
        return next((body for words, body in self.sections if words == list(header)), None)

    def write_files(self, folder):
        for words, body in self.sections:
            if words[0] == "folder":
                (folder / words[1]).mkdir(parents=True)
            elif words[0] == "copy":
                target = folder / words[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.path.parent / words[2], target)
            elif words[0] == "file":
                data = body.encode()
                if "base64" in words[2:]:
                    data = base64.b64decode(body)
                if "cut" in words[2:]:
                    data = data[:-1]
                if "crlf" in words[2:]:
                    data = data.replace(b"\n", b"\r\n")
                target = folder / words[1]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
            elif words[0] not in ("stderr", "stdout"):
                raise ValueError(f"{self.path}: unknown section {' '.join(words)}")

    def save(self, exit_code, stderr, stdout):
        """Writes the case anew with what came out."""
        head = [l for l in self.head.splitlines() if not l.startswith("exit ")]
        if exit_code != 0:
            last = max(i for i, l in enumerate(head) if l.startswith("$"))
            head.insert(last + 1, f"exit {exit_code}")
        out = "\n".join(head) + "\n"
        new = {"stderr": stderr, "stdout": stdout}
        kinds = [w for w, _ in self.sections]
        sections = list(self.sections)
        if exit_code != 0 and ["stderr"] not in kinds and ["stderr", "contains"] not in kinds:
            sections.append((["stderr"], ""))
        for words, body in sections:
            out += "--- " + " ".join(words) + "\n" + (new[words[0]] if len(words) == 1 else body)
        self.path.write_text(out, encoding="utf-8")


def tree(folder):
    """Every path in the folder with its bytes (None for a folder)."""
    return {p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() else None
            for p in folder.rglob("*")}


def compare(name, expected, found):
    if expected == found:
        return []
    diff = difflib.unified_diff(expected.splitlines(), found.splitlines(), "expected", "found",
                                lineterm="")
    return [f"{name} differs:"] + ["    " + line for line in diff]


NOT_RUN = ["not run"]  # the program lacks a library that the case needs


def run_case(case, program, accept, lean):
    """Returns the list of complaints; empty where the case holds, or NOT_RUN."""
    wrong = []
    with tempfile.TemporaryDirectory(prefix="terrawave-cli-") as name:
        folder = pathlib.Path(name)
        case.write_files(folder)
        before = tree(folder)
        env = {**os.environ, "OMP_NUM_THREADS": "1", **case.env}
        for i, command in enumerate(case.commands):
            words = [program if w == "terrawave" else w.replace("{source}", str(SOURCE))
                     for w in shlex.split(command)]
            try:
                done = subprocess.run(words, cwd=folder, env=env, capture_output=True,
                                      timeout=case.timeout, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return [f"did not end within {case.timeout} s: {command}"]
            stderr = done.stderr.decode("utf-8", "backslashreplace")
            stdout = done.stdout.decode("utf-8", "backslashreplace")
            if lean and re.search("this build has no (GDAL|NetCDF)", stderr + stdout):
                return NOT_RUN
            if i + 1 < len(case.commands) and done.returncode != 0:
                return [f"exit code {done.returncode} of: {command}", stderr]
        after = tree(folder)
    if accept:
        case.save(done.returncode, stderr, stdout)
        return []
    if done.returncode != case.exit:
        wrong.append(f"exit code: expected {case.exit}, found {done.returncode}")
    for stream, found in (("stderr", stderr), ("stdout", stdout)):
        exact, parts = case.section(stream), case.section(stream, "contains")
        if exact is None and parts is None and stream == "stderr" and case.exit == 0:
            exact = ""
        if exact is None and parts is None and stream == "stderr" and case.exit != 0:
            wrong.append("a case that fails must say what it prints: no stderr section")
        if exact is not None:
            wrong += compare(stream, exact, found)
        for line in (parts or "").splitlines():
            if line not in found:
                wrong += [f"{stream} lacks: {line}", "    found: " + found.replace("\n", "\n    ")]
    for path in sorted(after.keys() | before.keys()):
        if path in before and before[path] != after.get(path, "gone"):
            wrong.append(f"changed or removed {path}")
        elif path not in before and not any(fnmatch.fnmatch(path, p) for p in case.leaves):
            wrong.append(f"left behind {path}")
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("paths", nargs="+", type=pathlib.Path)
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("--only", default="", help="run cases whose path holds this word")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    files = [f for p in options.paths for f in (sorted(p.rglob("*.case")) if p.is_dir() else [p])]
    cases = [Case(f) for f in files if options.only in str(f)]
    if not cases:
        print("no cases found")
        return 1
    failed = passed_over = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda c: run_case(c, program, options.accept, options.lean), cases)
        for case, wrong in zip(cases, results):
            if wrong is NOT_RUN:
                passed_over += 1
            elif wrong:
                failed += 1
                print(f"FAILED {case.path}")
                print("\n".join("  " + line for line in wrong))
    print(f"{len(cases) - failed - passed_over} of {len(cases)} cases hold")
    if passed_over:
        print(f"NOT RUN: {passed_over} cases need GDAL or NetCDF, which this build does not have")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
