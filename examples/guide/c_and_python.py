#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# c_and_python.py LIBRARY FILE: reads batches of the shared library of c_and_python.cpp as numpy arrays.

import ctypes
import sys

import numpy


class Batches:
    """Iterates over batches, and continues at a checkpoint if there is one."""

    def __init__(self, library, file, checkpoint=None):
        self.library = ctypes.CDLL(library)  # releases the interpreter's lock during each call
        for name in ("loader_checkpoint", "loader_error"):
            getattr(self.library, name).restype = ctypes.c_char_p
        self.library.loader_open.restype = ctypes.c_void_p
        place = None if checkpoint is None else checkpoint.encode()
        self.loader = ctypes.c_void_p(self.library.loader_open(file.encode(), place))

    def __iter__(self):
        values, rows = ctypes.POINTER(ctypes.c_float)(), ctypes.c_size_t()
        while (status := self.library.loader_next(self.loader, ctypes.byref(values), ctypes.byref(rows))) == 1:
            yield numpy.ctypeslib.as_array(values, (rows.value, 3))  # not a copy: valid until the next batch
        if status < 0:
            raise RuntimeError(self.library.loader_error(self.loader).decode())

    def checkpoint(self):
        return self.library.loader_checkpoint(self.loader).decode()

    def close(self):
        self.library.loader_close(self.loader)


def main():
    library, file = sys.argv[1:]
    batches = Batches(library, file)
    first = next(iter(batches))
    print(f"{len(first)} rows from {first[0, 0]:.0f} on")
    checkpoint = batches.checkpoint()
    batches.close()

    batches = Batches(library, file, checkpoint)  # such as after a crash
    for batch in batches:
        print(f"{len(batch)} rows from {batch[0, 0]:.0f} on")
    batches.close()


if __name__ == "__main__":
    main()
