#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# guarantees.py: fills the last column of the table of guarantees in README.md with the files whose tests carry the id
# of the row, as a comment in the line above: "// proves: some-id, other-id". With --check it changes nothing. Exit
# status: 0, or 1 if the table is out of date, a row has no test, or a test has an id without a row.

import argparse
import collections
import pathlib
import re
import sys

TESTS = pathlib.Path(__file__).resolve().parent
README = TESTS / "README.md"
MARK = re.compile(r"^ *(?://|#) proves: (.*)$")
TEST = re.compile(r"^(?:TYPED_)?TEST(?:_[FP])?\(|^INSTANTIATE_TEST_SUITE_P\(")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \| (.*) \|.*\|$", re.MULTILINE)
NO_ROW = re.compile(r"^\| (?!`[a-z0-9-]+` \||id \|)")


def marks():
    """(file, line number, id, line below) of each id in a test."""
    for path in sorted(TESTS.rglob("*")):
        if path.suffix not in (".cpp", ".cmake", ".py") or path == pathlib.Path(__file__).resolve():
            continue
        lines = path.read_text(encoding="utf-8").splitlines() + [""]
        for number, line in enumerate(lines):
            if mark := MARK.match(line):
                for identifier in mark[1].split(", "):
                    yield path, number + 1, identifier, lines[number + 1]


def main():
    parser = argparse.ArgumentParser(description="Fills the last column of the table of guarantees in README.md.")
    parser.add_argument("--check", action="store_true", help="change nothing, but fail if there is something to change")
    arguments = parser.parse_args()

    text = README.read_text(encoding="utf-8")
    rows = [row[1] for row in ROW.finditer(text)]
    wrong = [f"README.md: {name} has {count} rows" for name, count in collections.Counter(rows).items() if count > 1]
    wrong += [f"README.md: no row of the table: {line}" for line in text.splitlines() if NO_ROW.match(line)]
    files = collections.defaultdict(set)
    for path, number, identifier, below in marks():
        where = f"{path.relative_to(TESTS)}:{number}"
        if identifier not in rows:
            wrong.append(f"{where}: no row of README.md has the id {identifier}")
        if path.suffix == ".cpp" and not TEST.match(below):
            wrong.append(f"{where}: there is no test below")
        files[identifier].add(path.stem.removesuffix("_test"))
    wrong += [f"README.md: no test proves {row}" for row in rows if row not in files]

    filled = ROW.sub(lambda row: f"| `{row[1]}` | {row[2]} | {', '.join(sorted(files[row[1]]))} |", text)
    if arguments.check and filled != text:
        wrong.append("README.md: the table of guarantees is out of date: run tests/guarantees.py")
    if not arguments.check:
        README.write_text(filled, encoding="utf-8")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(rows)} promises, {sum(map(len, files.values()))} files that prove them.")
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
