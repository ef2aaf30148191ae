# SPDX-License-Identifier: MIT
"""A script for gdb: stops at stop_here of shown.cpp, and compares gdb's output with the comments there.

It also checks forebay.natvis, which only Visual Studio supports. It evaluates each expression in that file, so an
expression that names a missing member fails.
"""

import os
import re
import sys
import xml.etree.ElementTree

import gdb

HERE = os.path.dirname(os.path.abspath(__file__))
DEBUG = os.path.join(HERE, "..", "..", "..", "include", "forebay", "debug")


def expected_outputs():
    """Returns [(command, expected output)] from shown.cpp. The comment lines after a command are its output."""
    with open(os.path.join(HERE, "shown.cpp")) as source:
        blocks = re.findall(r"^ *// gdb: (.*)\n((?: *// .*\n)+)", source.read(), re.MULTILINE)
    return [(command, " ".join(re.findall(r"// (.*)", lines))) for command, lines in blocks]


def run_to_stop():
    gdb.execute("set width 0")
    gdb.execute("set confirm off")
    gdb.execute("source " + os.path.join(DEBUG, "forebay_gdb.py"))
    gdb.execute("break stop_here")
    gdb.execute("run")
    gdb.execute("up")


def check_gdb():
    wrong = 0
    for command, expected in expected_outputs():
        shown = re.sub(r"^\$\d+ = (\(.*&\) @0x[0-9a-f]+: )?", "", gdb.execute(command, to_string=True).strip())
        if shown != expected:
            wrong += 1
            print("%s shows\n  %s\ninstead of\n  %s" % (command, shown, expected))
    print("gdb shows %d of %d queues correctly" % (len(expected_outputs()) - wrong, len(expected_outputs())))
    return wrong == 0 and len(expected_outputs()) > 0


class Natvis:
    """Evaluates the expressions of forebay.natvis for an object.

    Maps members of MSVC's standard library to members of this one.
    """

    def __init__(self, expression):
        self.expression = expression
        name = re.sub(r"<.*", "", str(gdb.parse_and_eval(expression).type.strip_typedefs().unqualified()))
        types = xml.etree.ElementTree.parse(os.path.join(DEBUG, "forebay.natvis")).getroot()
        space = re.match(r"{.*}", types.tag)[0]
        self.type = [each for each in types.iter(space + "Type") if re.sub(r"<.*", "", each.get("Name")) == name][0]

    def expressions(self):
        """Yields (tag of its element, expression) for each expression."""
        for element in self.type.iter():
            tag = re.sub(r"{.*}", "", element.tag)
            if element.get("Condition"):
                yield "Condition", element.get("Condition")
            if tag == "DisplayString":
                yield from (("DisplayString", each) for each in re.findall(r"{([^{}]+)}", element.text))
            elif element.text and element.text.strip():
                yield tag, element.text

    def evaluate(self, expression, i=0):
        ours = re.sub(r"(?<![\w.$>])((?!sizeof|true)[a-z]\w*)", self.expression + r".\1", expression)
        ours = re.sub(r"([\w.]+)\._Mypair\._Myval2", self.pointer, ours)
        ours = ours.replace("$T1", "int").replace("$T4", "int").replace("$i", str(i))
        return gdb.parse_and_eval(ours)

    @staticmethod
    def pointer(match):
        """Returns the name of a variable with the pointer in a std::unique_ptr of this standard library."""
        gdb.set_convenience_variable("owned", owned(gdb.parse_and_eval(match[1])))
        return "$owned"


    def elements(self):
        """Returns the elements of the lists whose condition holds."""
        found = []
        for each in self.type.iter():
            if not each.tag.endswith("IndexListItems") or not self.evaluate(each.get("Condition", "true")):
                continue
            size, node = (part.text for part in each)
            found += [int(self.evaluate(node, i)) for i in range(int(self.evaluate(size)))]
        return found


def check_natvis():
    count = 0
    for expression in "engine", "gathered.engine_.state_":
        natvis = Natvis(expression)
        for _, each in natvis.expressions():
            natvis.evaluate(each)
            count += 1
    elements = [Natvis(queue + ".engine_.state_").elements() for queue in ("fifo", "endless", "gathered")]
    print("forebay.natvis: %d expressions; the elements of fifo, endless and gathered are %s" % (count, elements))
    return elements == [[3, 4], [10000, 10001], [1, 2, 3]]


try:
    run_to_stop()
    passed = check_gdb() and check_natvis()
except Exception as exception:  # without this, gdb would exit with status 0
    print("failed: %s" % exception)
    passed = False
sys.stdout.flush()
gdb.execute("kill")
gdb.execute("quit %d" % (0 if passed else 1))
