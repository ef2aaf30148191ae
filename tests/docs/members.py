#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# members.py --doxygen PROGRAM --doxyfile FILE [--allow N]: fails if public members of the public headers have no text.
#
# Reads the headers with the settings of the target docs. Every header, class, function, type, constant and data member
# needs a sentence of its own that says more than its name; that of a function begins with a verb. Deleted functions
# must not appear, and defaulted ones need no text.

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include" / "forebay"
# Words that add nothing to a name.
EMPTY_WORDS = set("""a an and as at by for from gets holds in is it its names of on or returns sets that the this to
                     type value what which with""".split())


def run_doxygen(doxygen, doxyfile, output):
    """Writes the members as XML into `output`, with the settings of `doxyfile`."""
    settings = doxyfile.read_text(encoding="utf-8") + f"""
        INPUT = "{HEADERS}"
        FILE_PATTERNS = *.hpp
        RECURSIVE = NO
        USE_MDFILE_AS_MAINPAGE =
        EXTRACT_ALL = YES
        OUTPUT_DIRECTORY = "{output}"
        GENERATE_HTML = NO
        GENERATE_LATEX = NO
        GENERATE_XML = YES
        XML_OUTPUT = xml
        XML_PROGRAMLISTING = NO
        """
    subprocess.run([doxygen, "-"], input=settings, text=True, check=True)


def text_of(element, tag):
    found = element.find(tag)
    return "" if found is None else " ".join("".join(found.itertext()).split())


def words(text):
    """Returns the words of a name or a sentence: lower case, without plural."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]+", spaced) if word not in EMPTY_WORDS}


def complaint(name, scope, sentence, is_function):
    """Returns what is wrong with the text of a member, or ''."""
    if not sentence:
        return "has no text"
    if words(sentence) <= words(name) | words(scope):
        return f"only repeats its name: {sentence}"
    if is_function and not re.match(r"[A-Z][a-z]+s\b(?<!This)(?<!Its)(?<!As)(?<!Has)", sentence):
        return f"does not begin with a verb: {sentence}"
    return ""


def complaints_of(compound):
    """Yields (place, what is wrong) for a header, class, concept or namespace and its public members."""
    kind, name = compound.get("kind"), text_of(compound, "compoundname")
    if compound.get("prot") == "private":
        return
    if kind != "namespace":
        location = compound.find("location")
        wrong = complaint(name, "", text_of(compound, "briefdescription"), False)
        yield place_of(location), name, wrong
    for member in compound.iter("memberdef"):
        own = member.find("name").text or ""
        arguments = text_of(member, "argsstring").replace(" ", "")
        if member.get("prot") in ("private", "package") or member.get("kind") == "define" or own.startswith("@"):
            continue
        if member.get("kind") == "friend" and "(" not in arguments:
            continue
        if arguments.endswith("=default"):
            continue
        place, full = place_of(member.find("location")), f"{name}::{own}"
        if arguments.endswith("=delete"):
            yield place, full, "is deleted, and appears"
            continue
        brief = text_of(member, "briefdescription")
        yield place, full, complaint(own, name, brief, member.get("kind") in ("function", "friend"))
        for value in member.findall("enumvalue"):
            text = text_of(value, "briefdescription") or text_of(value, "detaileddescription")
            yield place, f"{full}::{value.find('name').text}", complaint(value.find("name").text, "", text, False)


def place_of(location):
    if location is None:
        return "?"
    return f"{pathlib.PurePath(location.get('file')).name}:{location.get('line')}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("--doxyfile", type=pathlib.Path, required=True)
    parser.add_argument("--allow", type=int, default=0, help="how many complaints are accepted")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as output:
        run_doxygen(options.doxygen, options.doxyfile, output)
        compounds = [compound for file in sorted(pathlib.Path(output, "xml").glob("*.xml"))
                     for compound in ElementTree.parse(file).getroot().findall("compounddef")]
    members = {(place, name): wrong for compound in compounds
               if compound.get("kind") in ("file", "class", "struct", "union", "concept", "namespace")
               for place, name, wrong in complaints_of(compound)}
    wrong = sorted((place, name, text) for (place, name), text in members.items() if text)
    for place, name, text in wrong:
        print(f"{place}: {name} {text}")
    print(f"{len(wrong)} of {len(members)} public names have no text of their own.")
    if len(members) < 400:
        sys.exit("These are too few: has Doxygen read the headers?")
    if len(wrong) > options.allow:
        sys.exit(f"At most {options.allow} are allowed.")


if __name__ == "__main__":
    main()
