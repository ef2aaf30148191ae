#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# guarantees.py: fills the last column of the table of guarantees in README.md with the files of the tests that prove
# each row. A comment above a test names the ids of its rows: "// proves: some-id, other-id". With --check, only checks
# the table. The exit status is 1 if the table is out of date, a row has no test, or an id has no row; otherwise 0.

import argparse
import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent
README = TESTS / "README.md"
TAG = re.compile(r"^ *(?://|#) proves: (.*)$")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(|^INSTANTIATE_(?:TYPED_)?TEST_SUITE_P\(")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.*) \|.*\|$", re.MULTILINE)
NO_ROW = re.compile(r"^\| (?!`[a-z0-9-]+` \||id \|)")


def tags():
    """Yields (file, line number, id, line below) for each id above a test."""
    for path in sorted(TESTS.rglob("*")):
        if path.suffix not in (".cpp", ".cmake", ".py") or path == pathlib.Path(__file__).resolve():
            continue
        lines = path.read_text(encoding="utf-8").splitlines() + [""]
        for number, line in enumerate(lines):
            if tag := TAG.match(line):
                for identifier in tag[1].split(", "):
                    yield path, number + 1, identifier, lines[number + 1]


def main():
    parser = argparse.ArgumentParser(description="Fills the last column of the table of guarantees in README.md.")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail if the table is out of date")
    arguments = parser.parse_args()

    text = README.read_text(encoding="utf-8")
    rows = [row[1] for row in ROW.finditer(text)]
    problems = [f"README.md: {name} has {count} rows" for name, count in collections.Counter(rows).items() if count > 1]
    section = text.partition("\n## What is guaranteed")[2].partition("\n## ")[0]
    problems += [f"README.md: not a row of the table: {line}" for line in section.splitlines() if NO_ROW.match(line)]
    files = collections.defaultdict(set)
    for path, number, identifier, below in tags():
        where = f"{path.relative_to(TESTS)}:{number}"
        if identifier not in rows:
            problems.append(f"{where}: no row of README.md has the id {identifier}")
        if path.suffix == ".cpp" and not TEST.match(below):
            problems.append(f"{where}: no test follows this line")
        files[identifier].add(path.stem.removesuffix("_test"))
    problems += [f"README.md: no test proves {row}" for row in rows if row not in files]

    filled = ROW.sub(lambda row: f"| `{row[1]}` | {row[2]} | {', '.join(sorted(files[row[1]]))} |", text)
    if arguments.check and filled != text:
        problems.append("README.md: the table of guarantees is out of date: run tests/guarantees.py")
    if not arguments.check:
        README.write_text(filled, encoding="utf-8")
    for line in problems:
        print(line, file=sys.stderr)
    print(f"{sum(map(len, files.values()))} files prove {len(rows)} guarantees.")
    return 1 if problems or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
