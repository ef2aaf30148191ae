#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# compile_times.py [PROGRAM...]: prints a table, in Markdown, of what it costs to compile programs: the tutorials, the
# programs of the guide, or those that are named. The README's first program is examples/guide/first_dataset.cpp, its
# second one examples/03_several_producers.cpp.
#
# Times are CPU seconds of one compilation each, so other programs disturb them little. The size is that of the code and
# the constants of the whole program, linked with the shared standard library.

import argparse
import pathlib
import resource
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = REPOSITORY / "examples"
COMPILERS = ("g++", "clang++")
LEVELS = ("-O0", "-O2")


def programs():
    """Returns the tutorials and the programs of the guide, in the order of their names."""
    return sorted(EXAMPLES.glob("[0-9][0-9]_*.cpp")) + sorted((EXAMPLES / "guide").glob("*.cpp"))


def cpu_seconds(command):
    """Runs a command, and returns its CPU time; None if it fails, because the compiler lacks something."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(program, output):
    """Returns the seconds with each compiler and level, and the size of the last program that was built."""
    seconds = []
    sizes = []
    for compiler in COMPILERS:
        for level in LEVELS:
            seconds.append(
                cpu_seconds([
                    compiler, "-std=c++20", level, "-pthread", f"-I{REPOSITORY / 'include'}",
                    f'-DFOREBAY_EXAMPLE_DATA="{EXAMPLES / "data"}"', program, "-o", output,
                ]))
            if level == LEVELS[-1] and seconds[-1] is not None:
                text = subprocess.run(["size", output], capture_output=True, text=True, check=True).stdout
                sizes.append(text.splitlines()[1].split()[0])
            elif level == LEVELS[-1]:
                sizes.append(None)
    return seconds, sizes


def main():
    parser = argparse.ArgumentParser(description="Prints what it costs to compile programs.")
    parser.add_argument("programs", nargs="*", type=pathlib.Path)
    chosen = parser.parse_args().programs or programs()
    columns = [f"{compiler} {level}" for compiler in COMPILERS for level in LEVELS]
    columns += [f"bytes, {compiler} {LEVELS[-1]}" for compiler in COMPILERS]
    print("| program | lines | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 2) + "|")
    with tempfile.TemporaryDirectory() as directory:
        for program in chosen:
            seconds, sizes = measure(program.resolve(), pathlib.Path(directory) / "program")
            lines = len(program.read_text(encoding="utf-8").splitlines())
            cells = ["-" if time is None else f"{time:.1f}" for time in seconds]
            cells += ["-" if size is None else f"{int(size):,}" for size in sizes]
            print(f"| {program.stem} | {lines} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
