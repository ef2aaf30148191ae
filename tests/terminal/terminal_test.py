#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tests the main example at a terminal: its output in windows of several sizes, and the effect of Ctrl-C.

Usage: terminal_test.py PROGRAM [TEST...], where a TEST is a method of ExampleAtATerminal. The program runs in a pseudo
terminal, and a simulated screen shows its output. The tests do not sleep: each waits for the expected output, and fails
after two minutes.
"""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import tempfile
import termios
import time
import unittest

PROGRAM = ""
TIMEOUT = 120
# The time limit after Ctrl-C. A sanitizer gets more.
SECONDS_TO_END = float(os.environ.get("FOREBAY_SECONDS_TO_END", "1"))
CONTROL_C = b"\x03"
CONTROL_S = b"\x13"
COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
SEQUENCE = re.compile(r"\x1b\[([0-9;]*)[AJm]|\x1b[78D]")
VERDICT = r"limits?:|^No stage limits|^Nothing came out|^The machine is full|^Work comes in bursts|^Too little is read"


class Screen:
    """Simulates a terminal of a given size, including the lines that have scrolled away. It interprets the VT100 escape
    sequences that the examples write."""

    def __init__(self, text, columns, rows=24):
        self.rows = rows
        self.lines = [""]
        self.row = 0  # the cursor's index in `lines`
        self.column = 0
        self.colour = False
        self.wrapped = False  # whether a line was longer than the screen is wide
        remembered = None
        while text:
            sequence = SEQUENCE.match(text) or re.match("(?s).", text)
            text = text[sequence.end():]
            if sequence.group().endswith("m") and len(sequence.group()) > 1:
                self.colour = sequence.group(1) not in ("", "0")
            elif sequence.group() == "\x1b[J":
                self.lines[self.row] = self.lines[self.row][:self.column]
                self.lines[self.row + 1:] = [""] * (len(self.lines) - self.row - 1)
            elif sequence.group() == "\x1bD":
                self._next_line()
            elif sequence.group() == "\x1b7":
                remembered = (self.row - self.top(), self.column)
            elif sequence.group() == "\x1b8":
                self.row, self.column = self.top() + remembered[0], remembered[1]
            elif sequence.group().endswith("A") and len(sequence.group()) > 1:
                self.row = max(self.row - int(sequence.group(1)), self.top())
            else:
                self._put(sequence.group(), columns)

    def top(self):
        """Returns the index of the first visible line."""
        return max(0, len(self.lines) - self.rows)

    def visible_lines(self):
        """Returns the visible lines up to the last one that is not empty."""
        return "\n".join(self.lines[self.top():]).rstrip().split("\n")

    def _next_line(self):
        self.row += 1
        if self.row == len(self.lines):
            self.lines.append("")

    def _put(self, character, columns):
        if character == "\n":
            self._next_line()
        elif character == "\r":
            self.column = 0
        else:
            assert character >= " ", f"the simulated screen does not support {character!r}"
            if self.column == columns:
                self.wrapped = True
                self._next_line()
                self.column = 0
            line = self.lines[self.row].ljust(self.column)
            self.lines[self.row] = line[:self.column] + character + line[self.column + 1:]
            self.column += 1


class Session:
    """Runs the program in a new pseudo terminal."""

    def __init__(self, *arguments, columns=80, rows=24, **environment):
        self.columns = columns
        self.rows = rows
        self.output = b""
        self.status = None
        self.deadline = time.monotonic() + TIMEOUT
        variables = dict(os.environ, TERM="xterm-256color", LANG="C.UTF-8", FOREBAY_CORES="2")
        for name in ("COLUMNS", "NO_COLOR", "LC_ALL", "LC_CTYPE"):
            variables.pop(name, None)
        for name, value in environment.items():
            variables.pop(name, None)
            if value is not None:
                variables[name] = value
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            try:
                self.resize(columns, terminal=0)
                os.execve(PROGRAM, [PROGRAM, *arguments], variables)
            finally:
                os._exit(127)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            self.wait()
        os.close(self.terminal)

    def resize(self, columns, terminal=None):
        self.columns = columns
        size = struct.pack("HHHH", self.rows, columns, 0, 0)
        fcntl.ioctl(self.terminal if terminal is None else terminal, termios.TIOCSWINSZ, size)

    def text(self):
        """Returns the output so far, without an incomplete escape sequence at its end."""
        return re.sub(r"\x1b(\[[0-9;]*)?$", "", self.output.decode("utf-8", errors="ignore"))

    def drawn(self):
        """Returns the parts of the output between carriage returns and line ends. The last may be incomplete."""
        return [part for part in re.split(r"[\r\n]+", COLOUR.sub("", self.text())) if part]

    def screen(self, before=""):
        return Screen(before + self.text(), self.columns, self.rows)

    def screen_with_view(self, before=""):
        """Returns the screen after the last complete view. Later output may be incomplete."""
        text = self.text()
        return Screen(before + text[:text.rindex("\x1b8") + 2], self.columns, self.rows)

    def read(self):
        """Reads some output. Returns False when the program has closed its end."""
        ready, _, _ = select.select([self.terminal], [], [], max(0.0, self.deadline - time.monotonic()))
        if not ready or time.monotonic() > self.deadline:
            raise AssertionError(f"timed out after {TIMEOUT} s; last output: {self.output[-200:]!r}")
        try:
            data = os.read(self.terminal, 65536)
        except OSError:  # Linux reports the end in this way
            data = b""
        self.output += data
        return bool(data)

    def read_until(self, condition):
        while not condition():
            if not self.read():
                raise AssertionError(f"the program ended before the expected output: {self.output[-200:]!r}")

    def wait(self):
        """Waits for the program, and returns its exit status, or minus the number of the signal that killed it."""
        _, status = os.waitpid(self.pid, 0)
        self.status = -os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        return self.status

    def read_to_end(self):
        while self.read():
            pass
        return self.wait()


def write_few_images(folder):
    """Writes the beginning of the sample data to `folder`, so that an epoch is short even without optimisation."""
    sample = os.path.join(os.path.dirname(__file__), "..", "..", "examples", "data", "fashion-mnist")
    for name, count in (("train", 200), ("t10k", 50)):
        for kind, header, size in (("images-idx3", 16, 28 * 28), ("labels-idx1", 8, 1)):
            file_name = f"{name}-{kind}-ubyte"
            with open(os.path.join(sample, file_name), "rb") as file:
                data = file.read(header + count * size)
            with open(os.path.join(folder, file_name), "wb") as file:
                file.write(data[:4] + struct.pack(">I", count) + data[8:])


def write_endless_images(folder):
    """Writes a training set so large that no run ends its first epoch. The sparse files take no space on the disk."""
    images = 50_000_000
    write_few_images(folder)
    with open(os.path.join(folder, "train-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, images, 28, 28))
        file.truncate(16 + images * 28 * 28)
    with open(os.path.join(folder, "train-labels-idx1-ubyte"), "wb") as file:
        file.write(struct.pack(">II", 0x801, images))
        file.truncate(8 + images)


# proves: live-view
class ExampleAtATerminal(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        write_few_images(self.folder)

    def session(self, *arguments, **settings):
        return Session("--data", self.folder, *arguments, **settings)

    def interrupt(self, session, send, status):
        """Interrupts a run, checks how it ends, and returns how long this took."""
        session.read_until(lambda: "images/s" in session.text())
        start = time.monotonic()
        send()
        self.assertEqual(session.read_to_end(), status)
        elapsed = time.monotonic() - start
        screen = session.screen()
        self.assertEqual((screen.lines[-1], screen.column, screen.colour), ("", 0, False))
        self.assertEqual(screen.lines[-2], "train_fashion_mnist: interrupted")
        self.assertRegex(screen.lines[-3], r"^epoch .* images/s [^C]*(\^C)?$")
        return elapsed

    def interrupt_in_time(self, how, status, *arguments):
        """Passes if one of ten runs ends in time, because the machine may be busy."""
        elapsed = []
        for _ in range(10):
            with self.session(*arguments) as session:
                elapsed.append(self.interrupt(session, lambda: how(session), status))
            if elapsed[-1] < SECONDS_TO_END:
                return
        self.fail(f"ended after {elapsed} s")

    def test_ctrl_c_ends_the_run_within_a_second_with_status_130(self):
        self.interrupt_in_time(lambda session: os.write(session.terminal, CONTROL_C), 130, "--epochs", "100000")

    def test_ctrl_c_ends_the_run_in_the_middle_of_reading(self):
        write_endless_images(self.folder)
        self.interrupt_in_time(lambda session: os.write(session.terminal, CONTROL_C), 130)

    def test_sigterm_ends_the_run_with_status_143(self):
        self.interrupt_in_time(lambda session: os.kill(session.pid, signal.SIGTERM), 143, "--epochs", "100000")

    def test_a_second_ctrl_c_ends_a_run_that_is_stuck(self):
        """The terminal accepts no more output, so writing the end of the live line blocks forever."""
        with self.session("--epochs", "100000") as session:
            session.read_until(lambda: "epoch" in session.text())
            os.write(session.terminal, CONTROL_S)
            while os.waitid(os.P_PID, session.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                self.assertLess(time.monotonic(), session.deadline)
                os.kill(session.pid, signal.SIGINT)
            self.assertEqual(session.wait(), -signal.SIGINT)

    def test_the_live_line_fits_the_terminal(self):
        for columns in (100, 80, 60, 40):
            with self.subTest(columns=columns), self.session("--epochs", "20", columns=columns) as session:
                self.assertEqual(session.read_to_end(), 0)
                lines = [line for line in session.drawn() if line.startswith("epoch")]
                self.assertLessEqual(max(len(line.rstrip()) for line in lines) + len("^C"), columns - 1)
                self.assertFalse(session.screen().wrapped)
                self.assertRegex(lines[-1], "loss .* % .*#" if columns == 100 else "loss .* %")

    def test_the_live_line_follows_a_terminal_that_is_resized(self):
        with self.session("--epochs", "100000", columns=80) as session:
            session.read_until(lambda: "images/s" in session.text())
            session.resize(40)
            session.read_until(lambda: len(session.drawn()) > 1 and len(session.drawn()[-2]) < 40)
            before = len(session.drawn())
            session.read_until(lambda: len(session.drawn()) > before + 50)
            self.assertLess(max(map(len, session.drawn()[before:])), 40)

    def test_a_shorter_live_line_erases_a_longer_one(self):
        with self.session("--epochs", "100000", columns=80) as session:
            session.read_until(lambda: "images/s" in session.text())
            session.resize(40)  # too narrow for all parts of the longer line
            session.read_until(lambda: len(session.drawn()) > 1 and "images/s" not in session.drawn()[-2])
            os.write(session.terminal, CONTROL_C)
            session.read_to_end()
            shown = [line for line in Screen(session.text(), 80).lines if line.startswith("epoch")]
            visible = shown[-1][:37]  # within the window
            self.assertRegex(visible, r"loss [0-9.]+( +0 %)? *(\^C)? *$")

    def test_the_columns_variable_overrides_the_terminal(self):
        for columns, value, across in ((200, "44", 1), (40, "200", 5), (80, "wide", 2), (80, "0", 2), (80, "", 2)):
            with self.subTest(COLUMNS=value), self.session("--epochs", "2", columns=columns, COLUMNS=value) as session:
                self.assertEqual(session.read_to_end(), 0)
                titles = [line for line in session.drawn() if line.startswith("T-shirt/top")]
                self.assertEqual(titles[0].count("%"), across)
                if value == "44":
                    self.assertLessEqual(max(map(len, session.drawn())), 44)

    def test_the_report_fits_the_terminal(self):
        for columns, across in ((200, 5), (80, 2), (40, 1)):
            with self.subTest(columns=columns), self.session("--epochs", "2", columns=columns) as session:
                self.assertEqual(session.read_to_end(), 0)
                screen = session.screen()
                self.assertFalse(screen.wrapped)
                titles = [line for line in screen.lines if line.startswith("T-shirt/top")]
                self.assertEqual(len(titles), 1)
                self.assertEqual(titles[0].count("%"), across)

    def test_a_picture_that_does_not_fit_is_omitted(self):
        with self.session("--epochs", "2", columns=27) as session:
            self.assertEqual(session.read_to_end(), 0)
            self.assertNotIn("looks for", session.text())
            self.assertIn("test accuracy 0.", session.text())

    def test_a_terminal_that_shows_utf_8_gets_colour(self):
        for environment in ({}, {"LANG": "en_GB.utf8"}, {"LANG": "C", "LC_CTYPE": "de_DE.UTF-8"}):
            with self.subTest(environment), self.session("--epochs", "2", **environment) as session:
                self.assertEqual(session.read_to_end(), 0)
                self.assertIn("\u2580", session.text())
                for line in session.text().split("\n"):
                    self.assertFalse(Screen(line.strip("\r"), 80).colour, "a line leaves the colour changed")

    def test_a_locale_without_utf_8_gets_neither_colour_nor_utf_8(self):
        for environment in ({"LANG": "C"}, {"LANG": "POSIX"}, {"LANG": None}, {"LC_ALL": "C"}, {"LANG": "de_DE"}):
            with self.subTest(environment), self.session("--epochs", "2", **environment) as session:
                self.assertEqual(session.read_to_end(), 0)
                self.assertTrue(session.output.isascii())
                self.assertNotIn(b"\x1b", session.output)
                self.assertIn(b"\repoch", session.output)  # the live line needs neither colour nor UTF-8
                self.assertRegex(session.output, rb"[=+*#%@]{3}")  # the picture is in ASCII

    def test_a_dumb_terminal_gets_plain_lines(self):
        for kind in (None, "", "dumb"):
            with self.subTest(TERM=kind), self.session("--epochs", "2", TERM=kind) as session:
                self.assertEqual(session.read_to_end(), 0)
                self.assertTrue(session.output.isascii())
                self.assertNotIn(b"\x1b", session.output)
                self.assertNotIn(b"\r", session.output.replace(b"\r\n", b"\n"))

    def test_no_color_gets_no_colour(self):
        with self.session("--epochs", "2", NO_COLOR="1") as session:
            self.assertEqual(session.read_to_end(), 0)
            self.assertNotIn(b"\x1b", session.output)

    def test_an_error_begins_a_new_line(self):
        write_endless_images(self.folder)
        with self.session(columns=400) as session:
            session.read_until(lambda: "images/s" in session.text())
            os.truncate(os.path.join(self.folder, "train-images-idx3-ubyte"), 16)
            self.assertEqual(session.read_to_end(), 1)
            lines = session.screen().lines
            self.assertRegex(lines[-3], "^epoch .* images/s  in 0:")
            self.assertRegex(lines[-2], "^train_fashion_mnist: .*train-images-idx3-ubyte: byte [0-9]+: the file")

    # ---- --watch

    def watching(self, *arguments, **settings):
        return self.session("--watch", "--epochs", "100000", *arguments, **settings)

    def read_view(self, session):
        """Reads until one more view is drawn."""
        drawn = session.text().count("\x1b8")
        session.read_until(lambda: session.text().count("\x1b8") > drawn)

    def check_view(self, lines, columns):
        """Checks that the lines are a complete view."""
        self.assertLess(max(map(len, lines)), columns)
        self.assertRegex(lines[0], "^  stage ")
        rows = lines[1:4]
        for row, name in zip(rows, ("before map", "map", "loop")):
            self.assertEqual(row[:2].strip(), ">" if row.startswith(">") else "")
            self.assertTrue(name.startswith(row[2:].split("  ")[0].strip()), row)
            self.assertRegex(row, "[#.:]$")
        verdict = " ".join(lines[4:])
        self.assertRegex(verdict, VERDICT)
        limiting = re.match("(?:The )?(.*?) limits:", verdict)
        marked = [row[2:].split("  ")[0].strip() for row in rows if row.startswith(">")]
        self.assertEqual(len(marked), 1 if limiting else 0)
        if limiting:
            self.assertTrue(limiting[1].startswith(marked[0]), verdict)

    def test_the_view_fits_a_resized_terminal_and_scrolls_into_sight(self):
        with self.watching() as session:
            self.read_view(session)
            self.read_view(session)
            screen = session.screen_with_view()
            self.assertFalse(screen.wrapped)
            self.assertRegex(screen.visible_lines()[0], "^epoch ")
            self.check_view(screen.visible_lines()[1:], 80)
            self.assertEqual((screen.row, screen.column), (0, len(screen.lines[0])))

            screen = session.screen_with_view("line\r\n" * 23)  # the view begins on the last line
            self.assertEqual(screen.lines[:23], ["line"] * 23)
            self.assertRegex(screen.lines[23], "^epoch ")
            self.check_view(screen.visible_lines()[-len(session.screen_with_view().visible_lines()) + 1:], 80)

            session.resize(30)

            def last_view():  # the text after the previous view
                return Screen(session.text().split("\x1b8")[-2], 30)

            session.read_until(lambda: not last_view().wrapped)  # a view in progress has the old width
            self.check_view(last_view().visible_lines()[1:], 30)

    def test_the_view_is_cut_at_the_bottom_of_the_terminal(self):
        for rows in (1, 4):
            with self.subTest(rows=rows), self.watching(rows=rows) as session:
                if rows > 1:
                    self.read_view(session)
                    self.read_view(session)
                    self.assertEqual(session.screen_with_view().top(), 0)
                session.read_until(lambda: "images/s" in session.text())
                os.write(session.terminal, CONTROL_C)
                self.assertEqual(session.read_to_end(), 130)

    def test_ctrl_c_leaves_the_complete_view_and_nothing_else(self):
        with self.watching() as session:
            session.read_until(lambda: "images/s" in session.text())
            self.read_view(session)
            os.write(session.terminal, CONTROL_C)
            self.assertEqual(session.read_to_end(), 130)
            screen = session.screen()
            self.assertEqual((screen.lines[-1], screen.column, screen.colour), ("", 0, False))
            self.assertEqual(screen.row, len(screen.lines) - 1)
            lines = screen.visible_lines()
            self.assertRegex(lines[0], "^epoch ")
            self.assertEqual(lines[-1], "train_fashion_mnist: interrupted")
            self.check_view(lines[1:-1], 80)
            self.assertNotIn("\x1b[?", session.text())  # no mode is set that would have to be reset

    def test_an_error_follows_the_view(self):
        write_endless_images(self.folder)
        with self.session("--watch", columns=200) as session:
            self.read_view(session)
            os.truncate(os.path.join(self.folder, "train-images-idx3-ubyte"), 16)
            self.assertEqual(session.read_to_end(), 1)
            lines = session.screen().visible_lines()
            self.assertRegex(lines[-1], "^train_fashion_mnist: .*train-images-idx3-ubyte: byte [0-9]+: the file")
            self.check_view(lines[1:-2], 200)

    def test_a_dumb_terminal_gets_a_plain_view(self):
        with self.watching(TERM="dumb") as session:
            session.read_until(lambda: re.search(VERDICT, session.text(), re.MULTILINE))
            os.kill(session.pid, signal.SIGINT)
            self.assertEqual(session.read_to_end(), 130)
            self.assertNotIn("\x1b", session.text())
            lines = session.screen().visible_lines()
            text = session.text()  # includes what has scrolled away
            self.assertLess(re.search(VERDICT, text, re.MULTILINE).start(), text.index("  stage "))
            title = next(number for number, line in enumerate(lines) if line.startswith("  stage "))
            self.check_view(lines[title:-1], 101)
            self.assertEqual(lines[-1], "train_fashion_mnist: interrupted")

    def test_no_color_gets_a_view_without_colour(self):
        with self.watching(NO_COLOR="1") as session:
            self.read_view(session)
            self.assertIsNone(COLOUR.search(session.text()))
            self.check_view(session.screen().visible_lines()[1:], 80)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv[1])
    unittest.main(argv=[sys.argv[0], *(f"ExampleAtATerminal.{name}" for name in sys.argv[2:])])
