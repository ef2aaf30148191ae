#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# run.py: breaks a copy of the headers in each of the ways that mutants.txt lists, one at a time, and shows that the
# test it names sees that. Exit status: 0 if every mutant was killed, 1 if one lives, 2 if the list is wrong.

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
EXPLORER = ("explore.cpp", "fiber.cpp", "scheduler.cpp")
LEAST_LIMIT = 10.0  # seconds; a test that takes longer, and ten times as long as without the mutant, hangs


class ListError(Exception):
    """Something is wrong with the list, the tests or the compiler; nothing is said about a mutant."""


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

    def broken(self, headers):
        """The text of its header, broken."""
        text = (headers / self.header).read_text(encoding="utf-8")
        old = "\n" + "\n".join(self.old) + "\n"
        new = "".join("\n" + line for line in self.new) + "\n"
        if text.count(old) != 1:
            raise ListError(f"{self.name}: its lines occur {text.count(old)} times in {self.header}, not once")
        return text.replace(old, new)


def named_tests(test_filter):
    """What a filter of GoogleTest has of the names of tests, without its wildcards."""
    names = (name for each in test_filter.split(":") for name in re.split(r"[*?]", each.rpartition(".")[2]))
    return [name.partition("/")[0] for name in names if len(name) > 4]


def read_list(path):
    """The mutants of the list."""
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
            raise ListError(f"{mutant.name}: incomplete")
        test = path.parent.parent / mutant.test
        if not test.exists():
            raise ListError(f"{mutant.name}: there is no tests/{mutant.test}")
        for name in named_tests(mutant.killed_by):
            if name not in test.read_text(encoding="utf-8"):
                raise ListError(f"{mutant.name}: there is no test {name} in tests/{mutant.test}")
    names = collections.Counter(mutant.name for mutant in mutants)
    doubled = [name for name, count in names.items() if count > 1]
    if doubled:
        raise ListError(f"two mutants have the name {doubled[0]}")
    return mutants


class Workshop:
    """Where test programs are built and run."""

    def __init__(self, arguments, scratch):
        self.arguments = arguments
        self.scratch = scratch
        self.watchdogs = {}
        self.limits = {}  # (test, filter, sanitizer): how long it may take

    def compile(self, sources, output, headers, sanitizer, *more):
        command = self.arguments.launcher.split() + [self.arguments.compiler, "-std=c++20", "-O0", "-w"]
        command += [f"-I{headers}", f"-I{REPOSITORY}"]
        if sanitizer:
            command += ["-g", f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"]
        command += [*map(str, sources), "-o", str(output), *more]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            first = next((line for line in result.stderr.splitlines() if "error" in line), result.stderr)
            raise ListError(f"{output.name} does not compile: {first}")

    def watchdog(self, sanitizer):
        """What ends a test that hangs: compiled once."""
        if sanitizer not in self.watchdogs:
            output = self.scratch / f"watchdog-{sanitizer or 'plain'}.o"
            self.compile([REPOSITORY / "tests/support/watchdog.cpp"], output, HEADERS, sanitizer, "-c")
            self.watchdogs[sanitizer] = output
        return self.watchdogs[sanitizer]

    def build(self, test, headers, sanitizer, name):
        program = self.scratch / re.sub(r"\W+", "-", name)
        sources = [REPOSITORY / "tests" / test]
        if test.startswith("model/"):
            sources += [REPOSITORY / "tests/model" / each for each in EXPLORER]
        if "tests/support/described_data.hpp" in sources[0].read_text():
            sources.append(REPOSITORY / "tests/support/described_data.cpp")
        self.compile([*sources, self.watchdog(sanitizer)], program, headers, sanitizer, "-lgtest", "-lgtest_main",
                     "-pthread", "-ldl")
        return program

    def run(self, program, test_filter, limit):
        """How a test program ended ("" if all tests passed), how many passed, and after how many seconds."""
        command = self.arguments.launcher.split() + [str(program), f"--gtest_filter={test_filter}"]
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", start_new_session=True)
        try:
            output, _ = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "hangs", 0, time.monotonic() - begin
        passed = len(re.findall(r"^\[       OK \]", output, re.MULTILINE))
        if process.returncode == 0:
            how = ""
        elif "Sanitizer" in output or "runtime error" in output:
            how = "sanitizer"
        elif process.returncode < 0:
            how = "crash"
        else:
            how = "fails"
        return how, passed, time.monotonic() - begin

    def check_without_mutant(self, test, sanitizer, filters):
        """The test has to pass as long as nothing is broken."""
        begin = time.monotonic()
        program = self.build(test, HEADERS, sanitizer, f"unbroken {test} {sanitizer}")
        for test_filter in sorted(filters):
            how, passed, seconds = self.run(program, test_filter, 120)
            if how or passed == 0:
                raise ListError(f"{test}: {test_filter}: {how or 'no such test'}, though nothing is broken")
            self.limits[test, test_filter, sanitizer] = max(LEAST_LIMIT, 10 * seconds)
        program.unlink()
        kind = f" ({sanitizer} sanitizer)" if sanitizer else ""
        print(f"unbroken: {test}{kind}: {len(filters)} filters pass, {time.monotonic() - begin:.0f} s", flush=True)

    def try_to_kill(self, mutant):
        """How the mutant was found out ("" if it was not)."""
        headers = self.scratch / "include"
        shutil.rmtree(headers, ignore_errors=True)
        shutil.copytree(HEADERS, headers)
        (headers / mutant.header).write_text(mutant.broken(HEADERS), encoding="utf-8")
        try:
            program = self.build(mutant.test, headers, mutant.sanitizer, mutant.name)
        except ListError as error:  # not the test sees it but the compiler: no mutant
            print(f"run.py: {error}", file=sys.stderr)
            return ""
        how, _, _ = self.run(program, mutant.killed_by, self.limits[mutant.test, mutant.killed_by, mutant.sanitizer])
        program.unlink()
        return how


def print_row(mutant, how, seconds):
    print(f"{mutant.promise} | {mutant.name} | {mutant.killed_by} | {how or 'LIVES'} | {seconds:.0f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Breaks the headers in the listed ways; prints which test sees it.")
    parser.add_argument("only", nargs="*", help="only mutants, promises or tests with one of these texts in the name")
    parser.add_argument("--list", action="store_true", help="check the list and print it, compile nothing")
    parser.add_argument("--compiler", default=os.environ.get("CXX", "g++"))
    parser.add_argument("--launcher", default="", help='what to put before each command, such as "nice -n 10"')
    arguments = parser.parse_args()

    mutants = read_list(HERE / "mutants.txt")
    for mutant in mutants:
        mutant.broken(HEADERS)
    mutants = [mutant for mutant in mutants
               if not arguments.only or any(text in part for text in arguments.only
                                            for part in (mutant.name, mutant.promise, mutant.test))]
    if arguments.list:
        for mutant in mutants:
            print(f"{mutant.promise} | {mutant.name} | {mutant.killed_by}")
        print(f"{len(mutants)} mutants")
        return 0

    living = []
    with tempfile.TemporaryDirectory(prefix="forebay-mutants-") as scratch:
        workshop = Workshop(arguments, pathlib.Path(scratch))
        print("promise | mutant | killed by | how | seconds\n--- | --- | --- | --- | ---", flush=True)
        by_program = sorted(mutants, key=lambda mutant: (mutant.test, mutant.sanitizer))
        for (test, sanitizer), group in itertools.groupby(by_program, lambda mutant: (mutant.test, mutant.sanitizer)):
            group = list(group)
            workshop.check_without_mutant(test, sanitizer, {mutant.killed_by for mutant in group})
            for mutant in group:
                begin = time.monotonic()
                how = workshop.try_to_kill(mutant)
                print_row(mutant, how, time.monotonic() - begin)
                if not how:
                    living.append(mutant.name)
    print(f"\n{len(mutants) - len(living)} of {len(mutants)} mutants killed")
    for name in living:
        print(f"LIVES: {name}")
    return 1 if living else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except ListError as error:
        print(f"run.py: {error}", file=sys.stderr)
        sys.exit(2)
