#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# run.py: applies the mutants of mutants.txt to a copy of the headers, one at a time, and checks that the named test
# detects each of them. Exit status: 0 if every mutant was killed, 1 if one survived, 2 if the list is wrong.

import argparse
import collections
import dataclasses
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
HEADERS = REPOSITORY / "include"
DESCRIBED_DATA = ("described_data.cpp", "described_files.cpp")
EXPLORER = ("explore.cpp", "fiber.cpp", "scheduler.cpp")
# Seconds. A test hangs if it takes longer than this, and longer than ten times its duration without the mutant.
MIN_TIMEOUT = 10.0


class ListError(Exception):
    """An error in the list, the tests or the compiler, which says nothing about a mutant."""


@dataclasses.dataclass
class Mutant:
    promise: str
    name: str
    fields: dict = dataclasses.field(default_factory=dict)
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)

    @property
    def header(self):
        return pathlib.Path("forebay") / self.fields["header"]

    @property
    def test(self):
        return self.fields["test"]

    @property
    def killed_by(self):
        return self.fields["killed by"]

    @property
    def sanitizer(self):
        return self.fields.get("sanitizer", "")

    def is_named(self, text):
        """Returns whether the name of the mutant, its promise, its test or its header contains `text`."""
        return any(text in name for name in (self.name, self.promise, self.test, self.fields["header"]))

    def mutated_header(self, headers):
        """Returns the text of its header with the mutant applied."""
        text = (headers / self.header).read_text(encoding="utf-8")
        old = "\n" + "\n".join(self.old) + "\n"
        new = "".join("\n" + line for line in self.new) + "\n"
        if text.count(old) != 1:
            raise ListError(f"{self.name}: {self.header} contains its lines {text.count(old)} times, not once")
        return text.replace(old, new)


def test_names(test_filter):
    """Returns the parts of test names in a GoogleTest filter, without wildcards."""
    names = (name for each in test_filter.split(":") for name in re.split(r"[*?]", each.rpartition(".")[2]))
    return [name.partition("/")[0] for name in names if len(name) > 4]


def read_list(path):
    """Returns the mutants of the list, after checking it."""
    mutants = []
    promise = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        if line[0] in "-+ " and mutants:
            code = line[2:]
            if line[0] != "+":
                mutants[-1].old.append(code)
            if line[0] != "-":
                mutants[-1].new.append(code)
            continue
        key, colon, value = line.partition(": ")
        if not colon or key not in ("promise", "mutant", "header", "test", "killed by", "sanitizer"):
            raise ListError(f"{path.name}:{number}: {line}")
        if key == "promise":
            promise = value
        elif key == "mutant":
            mutants.append(Mutant(promise, value))
        elif key in mutants[-1].fields:
            raise ListError(f"{path.name}:{number}: {mutants[-1].name} has two lines '{key}'")
        else:
            mutants[-1].fields[key] = value
    for mutant in mutants:
        missing = {"header", "test", "killed by"} - mutant.fields.keys()
        if missing or not mutant.promise or mutant.old == mutant.new:
            raise ListError(f"{mutant.name}: a field is missing, or nothing changes")
        test = path.parent.parent / mutant.test
        if not test.exists():
            raise ListError(f"{mutant.name}: there is no tests/{mutant.test}")
        for name in test_names(mutant.killed_by):
            if name not in test.read_text(encoding="utf-8"):
                raise ListError(f"{mutant.name}: there is no test {name} in tests/{mutant.test}")
    names = collections.Counter(mutant.name for mutant in mutants)
    duplicates = [name for name, count in names.items() if count > 1]
    if duplicates:
        raise ListError(f"two mutants have the name {duplicates[0]}")
    return mutants


class TestRunner:
    """Builds and runs test programs in a scratch directory."""

    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.scratch = scratch
        self.watchdogs = {}
        self.timeouts = {}  # (test, filter, sanitizer): seconds

    def compile(self, sources, output, headers, sanitizer, *extra_flags):
        command = self.arguments.launcher.split() + [self.arguments.compiler, "-std=c++20", "-O0", "-w"]
        command += [f"-I{headers}", f"-I{REPOSITORY}", f'-DFOREBAY_TEST_REPOSITORY="{REPOSITORY}"']
        if sanitizer:
            command += ["-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
        command += [*map(str, sources), "-o", str(output), *extra_flags]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            first = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr)
            raise ListError(f"{output.name} does not compile: {first}")

    def watchdog(self, sanitizer):
        """Returns the object file that ends a hanging test. Compiles it once."""
        if sanitizer not in self.watchdogs:
            output = self.scratch / f"watchdog-{sanitizer or 'plain'}.o"
            self.compile([REPOSITORY / "tests/support/watchdog.cpp"], output, HEADERS, sanitizer, "-c")
            self.watchdogs[sanitizer] = output
        return self.watchdogs[sanitizer]

    def build(self, test, headers, sanitizer, name):
        program = self.scratch / re.sub(r"\W+", "-", name)
        sources = [REPOSITORY / "tests" / test]
        if "tests/support/repository.hpp" in sources[0].read_text():
            sources += [REPOSITORY / "tests/support/repository.cpp"]
        if test.startswith("model/"):
            sources += [REPOSITORY / "tests/model" / each for each in EXPLORER]
        if "tests/support/described_data.hpp" in sources[0].read_text():
            sources += [REPOSITORY / "tests/support" / each for each in DESCRIBED_DATA]
        self.compile([*sources, self.watchdog(sanitizer)], program, headers, sanitizer, "-lgtest", "-lgtest_main",
                     "-pthread", "-ldl")
        return program

    def run(self, program, test_filter, timeout):
        """Returns how a test program failed ("" if all tests passed), how many tests passed, and the seconds."""
        command = self.arguments.launcher.split() + [str(program), f"--gtest_filter={test_filter}"]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "hangs", 0, time.monotonic() - begin
        passed = len(re.findall(r"^\[       OK \]", output, re.MULTILINE))
        if process.returncode == 0:
            outcome = ""
        elif "Sanitizer" in output or "runtime error" in output:
            outcome = "sanitizer"
        elif process.returncode < 0:
            outcome = "crash"
        else:
            outcome = "fails"
        return outcome, passed, time.monotonic() - begin

    def check_without_mutant(self, test, sanitizer, filters):
        """Checks that the tests pass without a mutant, and sets their timeouts."""
        begin = time.monotonic()
        program = self.build(test, HEADERS, sanitizer, f"unchanged {test} {sanitizer}")
        for test_filter in sorted(filters):
            outcome, passed, seconds = self.run(program, test_filter, 120)
            if outcome or passed == 0:
                raise ListError(f"{test}: {test_filter}: {outcome or 'no such test'}, even without a mutant")
            self.timeouts[test, test_filter, sanitizer] = max(MIN_TIMEOUT, 10 * seconds)
        program.unlink()
        kind = f" ({sanitizer} sanitizer)" if sanitizer else ""
        print(f"unchanged: {test}{kind}: {len(filters)} filters pass, {time.monotonic() - begin:.0f} s", flush=True)

    def try_to_kill(self, mutant):
        """Returns how the mutant was detected ("" if it was not)."""
        headers = self.scratch / "include"
        shutil.rmtree(headers, ignore_errors=True)
        shutil.copytree(HEADERS, headers)
        (headers / mutant.header).write_text(mutant.mutated_header(HEADERS), encoding="utf-8")
        try:
            program = self.build(mutant.test, headers, mutant.sanitizer, mutant.name)
        except ListError as error:  # it does not compile, so no test has detected it
            print(f"run.py: {error}", file=sys.stderr)
            return ""
        outcome, _, _ = self.run(program, mutant.killed_by,
                                 self.timeouts[mutant.test, mutant.killed_by, mutant.sanitizer])
        program.unlink()
        return outcome


def print_row(mutant, outcome, seconds):
    print(f"{mutant.promise} | {mutant.name} | {mutant.killed_by} | {outcome or 'SURVIVED'} | {seconds:.0f}",
          flush=True)


def main():
    parser = argparse.ArgumentParser(description="Applies the mutants one by one, and prints how tests detect them.")
    parser.add_argument("only", nargs="*", help="select by a part of the name of mutant, promise, test or header")
    parser.add_argument("--list", action="store_true", help="check and print the list, but compile nothing")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--launcher", default="", help='a prefix of each command, such as "nice -n 10"')
    arguments = parser.parse_args()

    mutants = read_list(HERE / "mutants.txt")
    for mutant in mutants:
        mutant.mutated_header(HEADERS)
    mutants = [mutant for mutant in mutants if not arguments.only or any(map(mutant.is_named, arguments.only))]
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.promise} | {mutant.name} | {mutant.killed_by}")
        print(f"{len(mutants)} mutants")
        return 0

    survivors = []
    with tempfile.TemporaryDirectory(prefix="forebay-mutants-") as scratch:
        runner = TestRunner(arguments, pathlib.Path(scratch))
        print("promise | mutant | killed by | outcome | seconds\n--- | --- | --- | --- | ---", flush=True)
        by_program = sorted(mutants, key=lambda mutant: (mutant.test, mutant.sanitizer))
        for (test, sanitizer), group in itertools.groupby(by_program, lambda mutant: (mutant.test, mutant.sanitizer)):
            group = list(group)
            runner.check_without_mutant(test, sanitizer, {mutant.killed_by for mutant in group})
            for mutant in group:
                begin = time.monotonic()
                outcome = runner.try_to_kill(mutant)
                print_row(mutant, outcome, time.monotonic() - begin)
                if not outcome:
                    survivors.append(mutant.name)
    print(f"\n{len(mutants) - len(survivors)} of {len(mutants)} mutants killed")
    for name in survivors:
        print(f"SURVIVED: {name}")
    return 1 if survivors else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ListError as error:
        print(f"run.py: {error}", file=sys.stderr)
        sys.exit(2)
