#!/usr/bin/env python3
"""The progress line: rewritten within the width of a terminal, plain lines elsewhere.

    progress.py PROGRAM
"""
import fcntl
import os
import pathlib
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())

CASE = """
[run]
solver = "swe"
end_time = "{end}"
threads = 1
device = "cpu"
[domain.rectangle]
east = 10
north = 10
cells = {cells}
[swe.initial]
bottom = "5"
interface = "-4.5 + 0.4*cos(x)"
u2x = "{u}"
[output]
interval = "{end}"
maps = 0
"""


def on_terminal(width, command, seconds):
    """What `command` writes to a terminal of so many columns; interrupted after so many seconds."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    process = subprocess.Popen(command, stdin=its, stdout=its, stderr=its, start_new_session=True)
    os.close(its)
    written, end, asked = b"", time.monotonic() + seconds, False
    while True:
        if not asked and time.monotonic() > end:
            process.send_signal(signal.SIGINT)
            asked = True
        if select.select([ours], [], [], 0.05)[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # closed by the last writer
                break
            if not chunk:
                break
            written += chunk
    os.close(ours)
    return process.wait(), written.decode()


def screen(written):
    """The lines that stand there in the end; fails where one was wider than the terminal."""
    lines = []
    for line in written.replace("\r\n", "\n").split("\n"):
        lines.append(line.split("\r\x1b[K")[-1])
    return lines


class ProgressLine(unittest.TestCase):
    def setUp(self):
        keep = tempfile.TemporaryDirectory(prefix="terrawave-progress-")
        self.addCleanup(keep.cleanup)
        self.case = pathlib.Path(keep.name) / "case.toml"

    def run_case(self, end="1e6 s", u="0", cells=3000):
        self.case.write_text(CASE.format(end=end, u=u, cells=cells))
        return [PROGRAM, "run", self.case]

    def test_fits_the_terminal(self):
        for width in (20, 45, 80, 200):
            with self.subTest(width=width):
                code, written = on_terminal(width, self.run_case(), 1.5)
                self.assertEqual(code, 130)
                shown = re.findall(r"\r\x1b\[K([^\r\n\x1b]*)", written)
                shown = [line for line in shown if line and not line.startswith("warning: ")]
                self.assertGreater(len(shown), 1)
                for line in shown:
                    self.assertLess(len(line), width)
                    self.assertRegex(line, r"(^|, )t = [0-9.e+-]+ of 1e\+06 s" if width > 20 else "^t = ")
                if width > 40:
                    self.assertIn(" left", shown[-1])
                if width == 200:
                    for word in ("step ", "dt ", "cells/s", "GB/s", "drift "):
                        self.assertIn(word, shown[-1])
                left = screen(written)
                self.assertTrue(any(l.startswith("warning: interrupted at t = ") for l in left), left)
                self.assertFalse(any(re.search(r"cells/s|\d \w+ left", l) for l in left), left)

    def test_a_failure_is_told_on_a_line_of_its_own(self):
        # The lower layer is drained until it is dry.
        code, written = on_terminal(100, self.run_case(u="0.5*x", cells=20000), 30)
        self.assertEqual(code, 3, written)
        self.assertIn("\r\x1b[K", written)
        self.assertTrue(any(l.startswith("warning: the run failed: ") for l in screen(written)), written)

    def test_no_terminal_gets_no_control_characters(self):
        process = subprocess.Popen(self.run_case(), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(6)  # a line every five seconds
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        self.assertEqual(process.returncode, 130)
        for text in (out.decode(), err.decode()):
            self.assertFalse([c for c in text if ord(c) < 32 and c != "\n"], repr(text))
        self.assertRegex(err.decode(), r"(?m)^step \d+, t = .* left$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
