#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# figures.py [TREE]: prints the size and complexity of the implementation of data sets, each figure with its definition.
# Measures this tree, or another one. The times need an idle machine.

import argparse
import collections
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

DIRECTORIES = ("stage", "pipeline", "flow", "describe", "source", "parallel", "checkpoint", "trace")
PUBLIC = ("dataset.hpp", "indexed_dataset.hpp", "sources.hpp", "pipeline.hpp")
FLAGS = ("-std=c++20", "-pthread")

# Counts how often 2,000 batches enter each function. Prints the functions that a batch enters once or a few times, but
# not for each of its 32 elements. Because of read-ahead, the counts differ slightly from multiples of 2,000.
PROBE = r"""
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <forebay/dataset.hpp>

namespace {
struct Counter {
  std::atomic<void*> function{nullptr};
  std::atomic<long> entered{0};
};
std::array<Counter, 1 << 14> counters;
std::atomic<bool> counts{false};
constexpr int batches = 2000;
}  // namespace

extern "C" void __cyg_profile_func_exit(void*, void*) {}
extern "C" void __cyg_profile_func_enter(void* function, void*) {
  if (!counts.load(std::memory_order_relaxed)) return;
  std::size_t at = reinterpret_cast<std::uintptr_t>(function) / 4 % counters.size();
  for (void* found = nullptr; !counters[at].function.compare_exchange_strong(found, function) && found != function;
       found = nullptr) {
    at = (at + 1) % counters.size();
  }
  counters[at].entered.fetch_add(1, std::memory_order_relaxed);
}

int main() {
  auto run = forebay::range(32 * (batches + 200)).map(4, [](int i) { return i; }).batch(32).run();
  int taken = 0;
  for (auto& batch : run) {
    if (++taken == 100) counts = true;
    if (taken == 100 + batches) counts = false;
    static_cast<void>(batch);
  }
  for (const Counter& counter : counters) {
    const long entered = counter.entered;
    if (entered > batches - batches / 10 && entered < 16 * batches) std::printf("%p\n", counter.function.load());
  }
}
"""


def code_lines(text):
    """Returns the lines of `text` that are neither empty nor only a comment."""
    return [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("//")]


def definitions(text, indent=""):
    """Returns the number of code lines by name, for the classes and functions at the indentation `indent`."""
    found, block, depth = collections.Counter(), [], 0
    for line in code_lines(text):
        line = re.sub(" *//.*", "", line)
        if not line.startswith(indent) or line.startswith(("#", "namespace", "}  // namespace")):
            continue
        block.append(line)
        depth += sum(line.count(bracket) for bracket in "({") - sum(line.count(bracket) for bracket in ")}")
        if depth == 0 and line.endswith((";", "}")):
            name = re.search(r"(?:class|struct) (\w+)[^>,\w]|(\w+)\(", " ".join(block))
            if name:
                found[name[1] or name[2]] += len(block)
            block = []
    return found


def output_of(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()


def median_of_5(measure):
    return statistics.median(measure() for _ in range(5))


def named_functions(addresses, symbols):
    """Returns the names of the functions at these addresses, except constructors, destructors and operators."""
    named = []
    for address in addresses:
        name, templates = symbols[f"{int(address, 16):016x}"], 1
        while templates and "operator" not in name:
            name, templates = re.subn("<[^<>]*>", "", name)
        scopes = name.split("(")[0].split()[-1].split("::")
        if "operator" not in name and scopes[-1].lstrip("~") not in scopes[:-1]:
            named.append(name)
    return named


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--no-times", action="store_true")
    options = parser.parse_args()
    include = options.tree / "include"
    root = include / "forebay"
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.hpp"))}
    inside = {path: text for path, text in texts.items() if path.parent != root and path.parent.name in DIRECTORIES}
    public = {path: text for path, text in texts.items() if path.parent == root and path.name in PUBLIC}
    directories = ", ".join(sorted({path.parent.name for path in inside}))

    def show(figure, value, rule):
        print(f"{figure:44} {value:>8}   {rule}", flush=True)

    def lines_of(files):
        return sum(len(code_lines(text)) for text in files.values())

    def files_with(files, pattern):
        return sum(any(re.search(pattern, re.sub("//.*", "", line)) for line in code_lines(text))
                   for text in files.values())

    def lines_named(pattern):
        of_all = [definitions(text) for text in inside.values()] + [definitions(texts[root / "dataset.hpp"], "  ")]
        return sum(lines for each in of_all for name, lines in each.items() if re.fullmatch(pattern, name))

    show("code lines inside", lines_of(inside), f"in {directories}: lines that are neither empty nor a comment")
    show("code lines, with the public headers", lines_of(inside | public), f"as above, and in {', '.join(PUBLIC)}")
    show("files that deal with saving", files_with(texts, r"\b(save|restore)"),
         "headers whose code has a word that begins with save or restore")
    show("files that mention epochs", files_with(inside, r"[Ee]poch|\bRounds\b"),
         f"headers in {directories} whose code has Epoch, epoch or Rounds")
    largest = max(inside | public, key=lambda path: len(code_lines(texts[path])))
    show("largest file", len(code_lines(texts[largest])), f"its code lines: {largest.relative_to(root)}")
    show("lines of take", lines_named(r"Take\w*|Counting\w*|(describe_)?take(_node)?"),
         "code lines of its classes and functions, including take() of dataset.hpp and the class it shares with skip")
    show("lines of the window shuffle", lines_named(r"WindowShuffle\w*|(describe_)?(window_)?shuffle(_node)?"),
         "code lines of its classes and functions, including shuffle() of dataset.hpp")

    with tempfile.TemporaryDirectory() as scratch:
        def build(flags, source, output):
            begin = time.monotonic()
            subprocess.run([options.compiler, *FLAGS, f"-I{include}", *flags, str(source), "-o", output], check=True)
            return time.monotonic() - begin

        source, program = pathlib.Path(scratch, "figures_probe.cpp"), f"{scratch}/probe"
        source.write_text(PROBE, encoding="utf-8")
        others = ["/usr/", source.name, *(f"forebay/{path.relative_to(root)}" for path in texts.keys() - inside.keys())]
        build(["-O0", "-no-pie", "-finstrument-functions",
               f"-finstrument-functions-exclude-file-list={','.join(others)}"], source, program)
        symbols = dict(line.split(maxsplit=2)[::2] for line in output_of("nm", "-C", "--defined-only", program))
        show("functions entered by a batch", median_of_5(lambda: len(named_functions(output_of(program), symbols))),
             f"in {directories}, by range.map(4, f).batch(32) at -O0: entered for each batch, but not for each "
             "element; without constructors, destructors and operators; median of 5")
        tutorial = next((options.tree / "examples").glob("12_*.cpp"))
        build(["-O2", "-c"], tutorial, f"{scratch}/tutorial.o")
        show("object code of tutorial 12", int(output_of("size", f"{scratch}/tutorial.o")[1].split()[0]),
             "bytes of text at -O2, according to size")
        if not options.no_times:
            seconds = median_of_5(lambda: build(["-O0", "-c"], tutorial, f"{scratch}/tutorial.o"))
            show("compile time of tutorial 12", f"{seconds:.2f}", "seconds at -O0, median of 5, on an idle machine")


if __name__ == "__main__":
    main()
