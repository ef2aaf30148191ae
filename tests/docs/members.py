#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# members.py --doxygen PROGRAM --doxyfile FILE: fails if a public member of the public headers has no description.
#
# Reads the headers with the settings of the target `reference`. Every header, class, function, type, constant and data
# member needs a sentence that says more than its name. The sentence of a function begins with a verb. Deleted functions
# must not appear, and defaulted functions need no description.

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

HEADERS = pathlib.Path(__file__).resolve().parents[2] / "include" / "forebay"
# Words that add no information to a name.
EMPTY_WORDS = set("""a an and as at by for from gets holds in is it its names of on or returns sets that the this to
                     type value what which with""".split())


def run_doxygen(doxygen, doxyfile, output):
    """Writes the members as XML to `output`, using the settings of `doxyfile`."""
    settings = doxyfile.read_text(encoding="utf-8") + f"""
        INPUT = "{HEADERS}"
        FILE_PATTERNS = *.hpp
        RECURSIVE = NO
        USE_MDFILE_AS_MAINPAGE =
        EXTRACT_ALL = YES
        OUTPUT_DIRECTORY = "{output}"
        GENERATE_HTML = NO
        GENERATE_TAGFILE =
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
    """Returns the words of a name or a sentence in lower case, without a plural s, and without empty words."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text).replace("_", " ").lower()
    return {word.rstrip("s") for word in re.findall(r"[a-z0-9]+", spaced) if word not in EMPTY_WORDS}


def problem_with(name, scope, sentence, is_function):
    """Returns the problem with the description of a member, or ''."""
    if not sentence:
        return "has no description"
    if words(sentence) <= words(name) | words(scope):
        return f"only repeats its name: {sentence}"
    if is_function and not re.match(r"[A-Z][a-z]+s\b(?<!This)(?<!Its)(?<!As)(?<!Has)", sentence):
        return f"does not begin with a verb: {sentence}"
    return ""


def problems_of(compound):
    """Yields (place, name, problem or '') for a header, class, concept or namespace and each of its public members."""
    kind, name = compound.get("kind"), text_of(compound, "compoundname")
    if compound.get("prot") == "private":
        return
    if kind != "namespace":
        location = compound.find("location")
        problem = problem_with(name, "", text_of(compound, "briefdescription"), False)
        yield place_of(location), name, problem
    for member in compound.iter("memberdef"):
        short_name = member.find("name").text or ""
        arguments = text_of(member, "argsstring").replace(" ", "")
        if member.get("prot") in ("private", "package") or member.get("kind") == "define" or short_name.startswith("@"):
            continue
        if member.get("kind") == "friend" and "(" not in arguments:
            continue
        if arguments.endswith("=default"):
            continue
        place, full_name = place_of(member.find("location")), f"{name}::{short_name}"
        if arguments.endswith("=delete"):
            yield place, full_name, "is deleted, but appears"
            continue
        brief = text_of(member, "briefdescription")
        yield place, full_name, problem_with(short_name, name, brief, member.get("kind") in ("function", "friend"))
        for value in member.findall("enumvalue"):
            text = text_of(value, "briefdescription") or text_of(value, "detaileddescription")
            yield (place, f"{full_name}::{value.find('name').text}",
                   problem_with(value.find("name").text, "", text, False))


def place_of(location):
    if location is None:
        return "?"
    return f"{pathlib.PurePath(location.get('file')).name}:{location.get('line')}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--doxygen", default="doxygen")
    parser.add_argument("--doxyfile", type=pathlib.Path, required=True)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as output:
        run_doxygen(options.doxygen, options.doxyfile, output)
        compounds = [compound for file in sorted(pathlib.Path(output, "xml").glob("*.xml"))
                     for compound in ElementTree.parse(file).getroot().findall("compounddef")]
    members = {(place, name): problem for compound in compounds
               if compound.get("kind") in ("file", "class", "struct", "union", "concept", "namespace")
               for place, name, problem in problems_of(compound)}
    problems = sorted((place, name, text) for (place, name), text in members.items() if text)
    for place, name, text in problems:
        print(f"{place}: {name} {text}")
    print(f"{len(problems)} of {len(members)} public names lack a proper description.")
    if len(members) < 400:
        sys.exit("Fewer than 400 names: Doxygen has not read the headers.")
    if problems:
        sys.exit(1)


if __name__ == "__main__":
    main()
