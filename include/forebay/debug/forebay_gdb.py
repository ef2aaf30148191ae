# SPDX-License-Identifier: MIT
"""Shows forebay's queues in gdb: `source .../include/forebay/debug/forebay_gdb.py`, by hand or in ~/.gdbinit.

    (gdb) print queue
    $1 = forebay::FIFOQueue<int> of capacity 50, open, 3 elements, waiting: 0 producers, 2 consumers = {4, 5, 6}

The elements stand in the order in which they arrived; those come first that a waiting dequeue_many has gathered. From
a RandomShuffleQueue and a PriorityQueue they leave in another order. Needs the debug information of the program (-g),
for gathered elements also gdb's printers of the standard library; reads the queue as it is, without its locks: stop
all threads, as gdb does by itself.
"""

import re

import gdb
import gdb.printing

# All that is known here of the inside of a BlockingQueue: where what is shown is kept.
MEMBERS = {
    "capacity": "engine_.state_.capacity",
    "closed": "engine_.state_.consumers.closed",
    "waiting_producers": "engine_.state_.producers.place.queue.size_",
    "waiting_consumers": "engine_.state_.consumers.place.queue.size_",
    "ring": "engine_.state_.ring",  # a template of the element type
    "cells": "engine_.state_.ring.first_",
    "round": "engine_.state_.ring.round_",  # how many cells the ring has, or each of its blocks
    "directory": "engine_.state_.ring.blocks_.last_",  # of blocks, or null
    "head_index": "engine_.state_.consumers.store.head_.index",
    "head_rounds": "engine_.state_.consumers.store.head_.passed_before_this_round",
    "tail_index": "engine_.state_.producers.tail.index",
    "tail_rounds": "engine_.state_.producers.tail.passed_before_this_round",
    "aside": "engine_.state_.consumers.store.aside_",  # a pointer to a container, or null
    "returned": "engine_.state_.consumers.store.returned_",  # the same
}
STORAGE_OF_CELL = "storage"
BLOCKS_OF_DIRECTORY = "blocks"
SIZE_OF_DIRECTORY = "size"
# Elements that are not kept by themselves: the member that is, or points to, what the user put in.
WRAPPED = {"Flag": "flag_", "Boxed": "element_", "Ranked": "kept_"}

NAMES = "BlockingQueue|FIFOQueue|RandomShuffleQueue|PaddingFIFOQueue|PriorityQueue"


def owned(pointer):
    """What a std::unique_ptr of any standard library begins with, as a pointer."""
    target = pointer.type.strip_typedefs().template_argument(0).strip_typedefs()
    if target.code == gdb.TYPE_CODE_ARRAY:
        target = target.target()
    return pointer.address.cast(target.pointer().pointer()).dereference()


def contained(pointer):
    """The elements of the container that a std::unique_ptr owns, if it owns one."""
    container = owned(pointer)
    printer_of_library = gdb.default_visualizer(container.dereference()) if container else None
    return [element for _, element in printer_of_library.children()] if printer_of_library else []


def unwrapped(element):
    """The element as the user put it in."""
    name = re.match(r"forebay::(?:\w+::)*(Flag|Boxed|Ranked)\b", str(element.type.strip_typedefs()))
    if name is None:
        return element
    member = element[WRAPPED[name[1]]]
    return unwrapped(owned(member).dereference() if name[1] == "Boxed" else member)


def counted(count, noun):
    return "%d %s%s" % (count, noun, "" if count == 1 else "s")


class QueuePrinter:
    """One queue of any kind."""

    def __init__(self, queue):
        self.queue = queue
        self.element_type = self.member("ring").type.strip_typedefs().template_argument(0)

    def member(self, name):
        value = self.queue
        for part in MEMBERS[name].split("."):
            value = value[part]
        return value

    def number(self, name):
        return int(self.member(name))

    def in_ring(self):
        head = self.number("head_rounds") + self.number("head_index")
        return self.number("tail_rounds") + self.number("tail_index") - head

    def gathered(self):
        """What stands in front of the ring, or is going to."""
        return contained(self.member("aside")) + contained(self.member("returned"))

    def elements(self):
        yield from self.gathered()
        for i in range(self.in_ring()):
            cell = self.cell(self.number("head_index") + i)
            yield cell[STORAGE_OF_CELL].address.cast(self.element_type.pointer()).dereference()

    def cell(self, index):
        """The one so many from the beginning of the block, or the ring, in which consumers are."""
        cells_of_round = self.number("round")
        directory = self.member("directory")
        if not directory:
            return self.member("cells")[index % cells_of_round]
        place = self.number("head_rounds") + index
        number = place // cells_of_round % int(directory[SIZE_OF_DIRECTORY])
        return directory[BLOCKS_OF_DIRECTORY][number][place % cells_of_round]

    def to_string(self):
        queue_type = self.queue.type.strip_typedefs()
        size = self.in_ring() + len(self.gathered())
        return "forebay::{}<{}> of capacity {}, {}, {}, waiting: {}, {}".format(
            re.search(NAMES, str(queue_type))[0],
            queue_type.template_argument(0),
            self.capacity(),
            "closed" if bool(self.member("closed")) else "open",
            counted(size, "element"),
            counted(self.number("waiting_producers"), "producer"),
            counted(self.number("waiting_consumers"), "consumer"),
        )

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
    # Perhaps in an inline namespace.
    collection.add_printer("queue", r"^forebay::(\w+::)?(%s)<.*>$" % NAMES, QueuePrinter)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printer(), replace=True)
