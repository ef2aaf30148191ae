#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# tar_writers_test.py LIST_TAR [SEED]: writes random archives with GNU tar, bsdtar and Python's tarfile, and compares
# the files that list_tar.cpp finds in them with those that Python finds. Leaves out programs that are missing.
#
# The names have every length from 90 to 270, with slashes anywhere. Most have one where writers cut the name.

import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import tempfile


def is_free(name, names, directories):
    """Returns whether a file can have the name: neither it nor one of its directories is taken."""
    parents = {name[:end] for end in range(len(name)) if name[end] == "/"}
    return name not in names and name not in directories and not parents & names


def random_names(chance):
    """Returns file names without doubled slashes, components of at most 255 bytes, and their directories."""
    names, directories = set(), set()
    for length in range(90, 271):
        for most in (0, 1, 3, 8):
            letters = [chance.choice("abcdefgh") for _ in range(length)]
            places = {chance.randrange(1, length - 1) for _ in range(chance.randint(0, most))}
            if most > 0 and length > 101:
                places.add(99)
            places = {place for place in places if place - 1 not in places}
            for place in places:
                letters[place] = "/"
            name = "".join(letters)
            if max(map(len, name.split("/"))) > 255 or not is_free(name, names, directories):
                continue
            names.add(name)
            directories |= {name[:place] for place in places}
    return sorted(names)


def write_files(root, names, chance):
    for name in names:
        path = os.path.join(root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(b"x" * chance.choice((0, 1, 511, 512, 513, 2000)))


def write_with_program(command, archive, root):
    """A format without room for a name leaves the file out and says so."""
    subprocess.run(command + ["-cf", archive, "-C", root, "."], stderr=subprocess.DEVNULL, check=False)


def write_with_python(kind, archive, root, names):
    with tarfile.open(archive, "w", format=kind) as tar:
        for name in names:
            info = tar.gettarinfo(os.path.join(root, name), name)
            with open(os.path.join(root, name), "rb") as file:
                content = io.BytesIO(file.read())
            try:
                tar.addfile(info, content)
            except ValueError:  # ustar has no room for the name
                pass


def read_with_python(archive):
    with tarfile.open(archive) as tar:
        return [f"{member.size} {member.name}" for member in tar if member.isreg()]


def compare(title, archive, list_tar, least):
    expected = read_with_python(archive)
    if len(expected) < least:
        sys.exit(f"{title}: Python finds only {len(expected)} files of at least {least}")
    listed = subprocess.run([list_tar, archive], stdout=subprocess.PIPE, check=True).stdout
    found = listed.decode().split("\0")[:-1]
    if found == expected * 2:
        print(f"{title}: {len(expected)} files")
        return
    missing = sorted(set(expected) - set(found))
    sys.exit(f"{title}: {len(found)} files instead of twice {len(expected)}; missing: {missing[:3]}")


def main():
    list_tar = sys.argv[1]
    chance = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    programs = [(name, ["tar", f"--format={name}"]) for name in ("gnu", "posix", "ustar")]
    if shutil.which("tar") is None or b"GNU tar" not in subprocess.check_output(["tar", "--version"]):
        print("skipped: GNU tar is missing")
        programs = []
    if shutil.which("bsdtar") is None:
        print("skipped: bsdtar is missing")
    else:
        programs += [(f"bsdtar {name}", ["bsdtar", f"--format={name}"]) for name in ("pax", "gnutar", "ustar")]
    with tempfile.TemporaryDirectory() as directory:
        archive = os.path.join(directory, "a.tar")
        root = os.path.join(directory, "files")
        names = random_names(chance)
        write_files(root, names, chance)
        for title, command in programs:
            write_with_program(command, archive, root)
            compare(title, archive, list_tar, len(names) // 4 if "ustar" in title else len(names))
        for title, kind in (("ustar", tarfile.USTAR_FORMAT), ("GNU", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
            write_with_python(kind, archive, root, names)
            compare(f"Python {title}", archive, list_tar, len(names) // 4 if title == "ustar" else len(names))


if __name__ == "__main__":
    main()
