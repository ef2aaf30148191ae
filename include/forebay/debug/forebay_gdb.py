# SPDX-License-Identifier: MIT
"""Shows forebay's queues in gdb: `source .../include/forebay/debug/forebay_gdb.py`, by hand or in ~/.gdbinit.

    (gdb) print queue
    $1 = forebay::FIFOQueue<int> of capacity 50, open, 3 elements, waiting: 0 producers, 2 consumers = {4, 5, 6}

The elements are shown in the order of their arrival, preceded by the elements that a waiting dequeue_many has gathered.
A RandomShuffleQueue or a PriorityQueue delivers them in a different order. The printer needs the program's debug
information (-g). It reads the queue without its locks, so all threads must be stopped; gdb does this by default.
"""

import itertools
import re

import gdb
import gdb.printing

# The internal members of a BlockingQueue that the printer reads. It depends on no others.
MEMBERS = {
    "capacity": "engine_.state_.capacity",
    "closed": "engine_.state_.consumers.closed",
    "waiting_producers": "engine_.state_.producers.place.queue.size_",
    "waiting_consumers": "engine_.state_.consumers.place.queue.size_",
    "producers": "engine_.state_.producer_holds.count",
    "consumers": "engine_.state_.consumer_holds.count",
    "dropped_oldest": "engine_.state_.dropped_oldest",
    "dropped_newest": "engine_.state_.dropped_newest",
    "state": "engine_.state_",  # a template; its last argument is the type in a cell
    "ring": "engine_.state_.ring",
    "head": "engine_.state_.consumers.store.head",
    "tail": "engine_.state_.producers.tail",
    "gathered": "engine_.state_.consumers.store.gathered",  # a pointer to another ring with a head and a tail, or null
}
MEMBERS_OF_RING = {
    "cells": "first_",  # declared as bytes
    "round": "round_",  # the number of cells in the ring, or in each of its blocks
    "directory": "blocks_.last_",  # of blocks, or null
    "cell_size": "layout_.size",  # the element is at its end
}
BLOCKS_OF_DIRECTORY = "blocks"
SIZE_OF_DIRECTORY = "size"
# The heap of a PriorityQueue. Its entries hold copies of small elements, which replace the elements in the cells.
HEAP = "engine_.state_.discipline.heap_.entries_"
LEFT = "engine_.state_.discipline.left_"  # the number of elements whose departure the heap has processed
FIRST_ENTRY = 2  # the template argument of the entries: the index of the first one
BLOCK_SIZE = 1
# The wrappers of stored elements, and the member of each that is, or points to, the user's element.
WRAPPED = {"Flag": "flag_", "Boxed": "element_", "Ranked": "kept_"}

NAMES = "BlockingQueue|FIFOQueue|RandomShuffleQueue|PaddingFIFOQueue|PriorityQueue"


def owned(pointer):
    """Returns the first member of a std::unique_ptr as a pointer; in every standard library it is the owned pointer."""
    target = pointer.type.strip_typedefs().template_argument(0).strip_typedefs()
    if target.code == gdb.TYPE_CODE_ARRAY:
        target = target.target()
    return pointer.address.cast(target.pointer().pointer()).dereference()


def unwrapped(element):
    """Returns the user's element, without its wrappers."""
    name = re.match(r"forebay::(?:\w+::)*(Flag|Boxed|Ranked)\b", str(element.type.strip_typedefs()))
    if name is None:
        return element
    member = element[WRAPPED[name[1]]]
    return unwrapped(owned(member).dereference() if name[1] == "Boxed" else member)


def format_count(count, noun):
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


def member(value, path):
    for part in path.split("."):
        value = value[part]
    return value


def cells_passed(cursor):
    """Returns how many cells the cursor has passed since the queue was created."""
    return int(cursor["passed_before_this_round"]) + int(cursor["index"])


class Ring:
    """The cells between two cursors."""

    def __init__(self, ring, head, tail):
        self.ring = ring
        self.begin = cells_passed(head)
        self.index = int(head["index"])
        self.size = cells_passed(tail) - self.begin

    def part(self, name):
        return member(self.ring, MEMBERS_OF_RING[name])

    def elements(self, element_type):
        for i in range(self.size):
            end_of_cell = self.cell(i) + int(self.part("cell_size"))
            yield (end_of_cell - element_type.sizeof).cast(element_type.pointer()).dereference()

    def cell(self, i):
        """Returns the address of the i-th cell from the head."""
        cells_of_round = int(self.part("round"))
        directory = self.part("directory")
        if not directory:
            cells, index = self.part("cells"), (self.index + i) % cells_of_round
        else:
            number, index = divmod(self.begin + i, cells_of_round)
            cells = directory[BLOCKS_OF_DIRECTORY][number % int(directory[SIZE_OF_DIRECTORY])]
        return cells.cast(gdb.lookup_type("char").pointer()) + index * int(self.part("cell_size"))


def heap_entries(entries, count):
    """Yields the first `count` entries of a heap."""
    arguments = entries.type.strip_typedefs()
    entry = arguments.template_argument(0)
    first, block_size = (int(arguments.template_argument(i)) for i in (FIRST_ENTRY, BLOCK_SIZE))
    # In every standard library a std::vector begins with the pointer to its elements; here these point to blocks.
    blocks = entries["blocks_"].address.cast(entry.pointer().pointer().pointer()).dereference()
    for i in range(first, first + count):
        is_in_only_block = i < int(entries["only_size_"])
        yield blocks[0][i] if is_in_only_block else blocks[i // block_size][i % block_size]


class QueuePrinter:
    """Prints a queue of any kind."""

    def __init__(self, queue):
        self.queue = queue
        self.element_type = self.member("state").type.strip_typedefs().template_argument(3)
        self.rings = [Ring(self.member("ring"), self.member("head"), self.member("tail"))]
        # The gathered elements arrived before those in the ring.
        gathered = owned(self.member("gathered"))
        if gathered:
            self.rings.insert(0, Ring(gathered["ring"], gathered["head"], gathered["tail"]))

    def member(self, name):
        return member(self.queue, MEMBERS[name])

    def number(self, name):
        return int(self.member(name))

    def elements(self):
        copies = self.copies()
        yield from copies
        cells = (element for ring in self.rings for element in ring.elements(self.element_type))
        yield from itertools.islice(cells, len(copies), None)

    def copies(self):
        """Returns the elements that a heap has copied, in the order of their arrival, or [] for other queues."""
        try:
            entries = member(self.queue, HEAP)
        except gdb.error:
            return []
        if "CopyEntry" not in str(entries.type.strip_typedefs().template_argument(0)):
            return []
        all_entries = int(entries["end_"]) - int(entries.type.strip_typedefs().template_argument(FIRST_ENTRY))
        departed = self.rings[-1].begin - int(member(self.queue, LEFT))
        entries = list(heap_entries(entries, all_entries - departed))
        return [entry["element"] for entry in sorted(entries, key=lambda entry: int(entry["arrived"]))]

    def to_string(self):
        queue_type = self.queue.type.strip_typedefs()
        size = sum(ring.size for ring in self.rings)
        return "forebay::{}<{}> of capacity {}, {}, {}, waiting: {}, {}{}{}".format(
            re.search(NAMES, str(queue_type))[0],
            queue_type.template_argument(0),
            self.capacity(),
            "closed" if bool(self.member("closed")) else "open",
            format_count(size, "element"),
            format_count(self.number("waiting_producers"), "producer"),
            format_count(self.number("waiting_consumers"), "consumer"),
            self.handles(),
            self.dropped(),
        )

    def handles(self):
        """Returns how many producers (with QueueRunners) and consumers hold the queue open, if any do."""
        producers, consumers = self.number("producers"), self.number("consumers")
        if producers + consumers == 0:
            return ""
        return ", held open by: %s, %s" % (format_count(producers, "producer"), format_count(consumers, "consumer"))

    def dropped(self):
        count = self.number("dropped_oldest") + self.number("dropped_newest")
        return ", dropped: %s" % format_count(count, "element") if count else ""

    def capacity(self):
        capacity = self.member("capacity")
        largest = 2 ** (8 * capacity.type.sizeof) - 1
        return "unbounded" if int(capacity) == largest else int(capacity)

    def children(self):
        for i, element in enumerate(self.elements()):
            yield "[%d]" % i, unwrapped(element)

    @staticmethod
    def display_hint():
        return "array"


def printer():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("forebay")
    # The optional part is the inline namespace.
    collection.add_printer("queue", r"^forebay::(\w+::)?(%s)<.*>$" % NAMES, QueuePrinter)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printer(), replace=True)
