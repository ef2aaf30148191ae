#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# Writes the .npy, .npz and IDX files of this directory, with numpy 1.24: python3 make_arrays.py

import pathlib
import struct

import numpy

folder = pathlib.Path(__file__).parent
format = numpy.lib.format


def save(name, array, version=None):
    with open(folder / f"{name}.npy", "wb") as file:
        format.write_array(file, array, version)


counting = numpy.arange(24).reshape(4, 3, 2)
for name in ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64"]:
    numbers = counting % 2 if name == "bool" else counting * 5 - (60 if name[0] in "if" else 0)
    save(name, numbers.astype(name))
    if name not in ["bool", "int8", "uint8"]:
        save(name + "_big_endian", numbers.astype(numpy.dtype(name).newbyteorder(">")))
save("version_2", counting.astype("int32"), (2, 0))
save("version_3", counting.astype("int32"), (3, 0))
save("one_dimension", numpy.arange(5, dtype="float32") / 2)
save("no_dimension", numpy.array(7, dtype="int32"))
save("no_rows", numpy.zeros((0, 3), dtype="int32"))
save("empty_rows", numpy.zeros((4, 0), dtype="int32"))
save("fortran_order", numpy.asfortranarray(counting.astype("int32")))
save("objects", numpy.array(["a", {}, None], dtype=object))
save("structures", numpy.zeros(3, dtype=[("x", "<i4"), ("y", "<f4")]))
save("float16", numpy.zeros(3, dtype="float16"))
save("complex64", numpy.zeros(3, dtype="complex64"))
save("strings", numpy.array(["one", "two"]))
numpy.savez(folder / "archive.npz", counting)

# IDX: two zeros, the type, the count of extents, the extents, the numbers; all big-endian.
types = {0x08: ">u1", 0x09: ">i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
for code, dtype in types.items():
    numbers = (counting * 5 - (60 if dtype != ">u1" else 0)).astype(dtype)
    name = f"{numpy.dtype(dtype).name}.idx"
    (folder / name).write_bytes(struct.pack(">HBB3I", 0, code, 3, *numbers.shape) + numbers.tobytes())
