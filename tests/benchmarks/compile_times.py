#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# compile_times.py [PROGRAM...]: prints a table, in Markdown, of what it costs to compile programs: the tutorials, the
# programs of the guide, or those that are named. The README's first program is examples/guide/first_dataset.cpp, its
# second one examples/03_several_producers.cpp. A program is compiled with the headers as it stands, and again with the
# single header (that of queues, if it suffices) and with the module, which takes clang++-19.
#
# Times are CPU seconds of one compilation and link each, so other programs disturb them little. The size is that of the
# code and the constants of the whole program, linked with the shared standard library.

import argparse
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
COMPILERS = ("g++", "clang++")
LEVELS = ("-O0", "-O2")
MODULE_COMPILER = "clang++-19"
INCLUDES = re.compile(r'^#include [<"]forebay/.*\n', re.MULTILINE)
SINGLE_HEADERS = {"forebay_queues.hpp": "queues.hpp", "forebay.hpp": "forebay.hpp"}  # made from these
MODULE = "import forebay;\n"


def programs():
    """Returns the tutorials and the programs of the guide, in the order of their names."""
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.cpp")) + sorted((EXAMPLES / "guide").glob("*.cpp"))


def cpu_seconds(command):
    """Runs a command, and returns its CPU time; None if it fails, because the compiler lacks something."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        subprocess.run(command, capture_output=True, check=True)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Builds:
    """Compiles programs in a directory of its own, which has the single headers and the compiled module."""

    def __init__(self, directory):
        self._directory = directory
        self._output = directory / "program"
        for name, umbrella in SINGLE_HEADERS.items():
            subprocess.run([
                "cmake", f"-DREPOSITORY={REPOSITORY}", f"-DUMBRELLA=forebay/{umbrella}", "-DVERSION=0",
                f"-DOUTPUT={directory / name}", "-P", REPOSITORY / "tests/cmake/single_header.cmake",
            ], check=True)
        interface = directory / "forebay.pcm"
        self.module_seconds = cpu_seconds([
            MODULE_COMPILER, "-std=c++20", "-pthread", f"-I{REPOSITORY / 'include'}", "--precompile",
            REPOSITORY / "include/forebay/forebay.cppm", "-o", interface,
        ])
        cpu_seconds([MODULE_COMPILER, "-c", interface, "-o", directory / "forebay.o"])

    def with_headers(self, compiler, level, program):
        return self._compile(compiler, level, program, [f"-I{REPOSITORY / 'include'}", program])

    def with_single_header(self, compiler, program):
        for name in SINGLE_HEADERS:
            copy = self._copy(program, f'#include "{name}"\n')
            seconds = self._compile(compiler, LEVELS[0], program, [f"-I{self._directory}", copy])
            if seconds is not None:
                return seconds
        return None

    def with_module(self, program):
        copy = self._copy(program, MODULE)
        arguments = [f"-fmodule-file=forebay={self._directory / 'forebay.pcm'}", copy, self._directory / "forebay.o"]
        return self._compile(MODULE_COMPILER, LEVELS[0], program, arguments)

    def size(self):
        """Returns the bytes of code and constants of the latest program."""
        text = subprocess.run(["size", self._output], capture_output=True, text=True, check=True).stdout
        return int(text.splitlines()[1].split()[0])

    def _compile(self, compiler, level, program, arguments):
        return cpu_seconds([
            compiler, "-std=c++20", level, "-pthread", f"-I{program.parent}",
            f'-DFOREBAY_EXAMPLE_DATA="{EXAMPLES / "data"}"', *arguments, "-o", self._output,
        ])

    def _copy(self, program, replacement):
        """Copies a program, with its first include of forebay replaced, and without the others."""
        text = INCLUDES.sub(replacement, program.read_text(encoding="utf-8"), count=1)
        copy = self._directory / "program.cpp"
        copy.write_text(INCLUDES.sub("", text), encoding="utf-8")
        return copy


def measure(builds, program):
    """Returns the times of the ways to compile a program, and the sizes of the optimised ones with headers."""
    seconds = []
    sizes = []
    for compiler in COMPILERS:
        for level in LEVELS:
            seconds.append(builds.with_headers(compiler, level, program))
        sizes.append(builds.size() if seconds[-1] is not None else None)
    seconds += [builds.with_single_header(compiler, program) for compiler in COMPILERS]
    seconds.append(builds.with_headers(MODULE_COMPILER, LEVELS[0], program))
    seconds.append(builds.with_module(program))
    return seconds, sizes


def main():
    parser = argparse.ArgumentParser(description="Prints what it costs to compile programs.")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    chosen = parser.parse_args().programs or programs()
    columns = [f"{compiler} {level}" for compiler in COMPILERS for level in LEVELS]
    columns += [f"{compiler} {LEVELS[0]}, single header" for compiler in COMPILERS]
    columns += [f"{MODULE_COMPILER} {LEVELS[0]}", f"{MODULE_COMPILER} {LEVELS[0]}, module"]
    columns += [f"bytes, {compiler} {LEVELS[-1]}" for compiler in COMPILERS]
    with tempfile.TemporaryDirectory() as directory:
        builds = Builds(pathlib.Path(directory))
        print("| program | lines | " + " | ".join(columns) + " |")
        print("|---" * (len(columns) + 2) + "|")
        for program in chosen:
            seconds, sizes = measure(builds, program.resolve())
            lines = len(program.read_text(encoding="utf-8").splitlines())
            cells = ["-" if time is None else f"{time:.1f}" for time in seconds]
            cells += ["-" if size is None else f"{size:,}" for size in sizes]
            print(f"| {program.stem} | {lines} | " + " | ".join(cells) + " |", flush=True)
        if builds.module_seconds is not None:
            print(f"\nCompiling the module itself takes {builds.module_seconds:.1f} s.")


if __name__ == "__main__":
    sys.exit(main())
