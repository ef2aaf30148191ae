#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# figures.py [TREE]: prints the size and complexity of the implementation of data sets, each figure with its definition.
# Measures this tree, or another one. The times need an idle machine.

import argparse
import collections
import pathlib
import re
import resource
import subprocess
import tempfile

DIRECTORIES = ("stage", "pipeline", "flow", "describe", "source", "parallel", "checkpoint", "trace")
PUBLIC = ("dataset.hpp", "indexed_dataset.hpp", "sources.hpp", "pipeline.hpp")
FLAGS = ("-std=c++20", "-pthread")

# Counts how often 2,000 batches enter each function. Prints the functions that a batch enters once or a few times, but
# not for each of its 32 elements, with these counts. Because of read-ahead, the counts differ slightly from multiples
# of 2,000.
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
    if (entered <= batches - batches / 10 || entered >= 16 * batches) continue;
    std::printf("%p %f\n", counter.function.load(), static_cast<double>(entered) / batches);
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


def short(name):
    """Returns the name of a function without its template arguments and parameters."""
    templates = 1
    while templates and "operator" not in name:
        name, templates = re.subn("<[^<>]*>", "", name)
    return name.split("(")[0].split()[-1]


def is_special(name):
    """Returns whether this is a constructor, a destructor or an operator."""
    scopes = short(name).split("::")
    return "operator" in name or scopes[-1].lstrip("~") in scopes[:-1]


def entered_by_batch(program, root):
    """Returns the functions that a batch enters: their place below the directory `root`, name, and how often."""
    counts = {int(address, 16): float(entered) for address, entered in map(str.split, output_of(program))}
    symbols = {int(address, 16): name for address, _, name in
               (line.split(maxsplit=2) for line in output_of("nm", "-C", "--defined-only", program))}
    addresses = [address for address in counts if not is_special(symbols[address])]
    places = output_of("addr2line", "-e", program, *map(hex, addresses))
    return sorted((str(pathlib.Path(place.split()[0]).resolve().relative_to(root.resolve())), short(symbols[address]),
                   counts[address]) for address, place in zip(addresses, places))


def first_program(readme):
    """Returns the first program of the README, and an empty one with the same standard headers."""
    program = re.search("```cpp\n(.*?)```", readme, re.DOTALL)[1]
    return program, "".join(re.findall(r"#include <\w+>\n", program)) + "int main() {}\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tree", nargs="?", default=pathlib.Path(__file__).resolve().parent.parent, type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--no-times", action="store_true")
    parser.add_argument("--functions", action="store_true", help="list the functions that a batch enters")
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

    show("code lines", lines_of(texts), "in include: lines that are neither empty nor a comment")
    show("code lines inside", lines_of(inside), f"as above, in {directories}")
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
        def compile_only(flag, text):
            """Returns the CPU seconds of the compiler, and the bytes of code in the object file."""
            source, output = pathlib.Path(scratch, "program.cpp"), f"{scratch}/program.o"
            source.write_text(text, encoding="utf-8")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([*compiler, flag, "-c", str(source), "-o", output], check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            return seconds, int(output_of("size", output)[1].split()[0])

        compiler = [options.compiler, *FLAGS, f"-I{include}"]
        source, program = pathlib.Path(scratch, "probe.cpp"), f"{scratch}/probe"
        source.write_text(PROBE, encoding="utf-8")
        subprocess.run([*compiler, "-O0", "-g1", "-no-pie", "-finstrument-functions",
                        f"-finstrument-functions-exclude-file-list=/usr/,{source.name}", str(source), "-o", program],
                       check=True)
        entered = sorted((entered_by_batch(program, root) for _ in range(5)), key=len)[2]
        show("functions entered by a batch", len(entered),
             "in all directories, by range.map(4, f).batch(32) at -O0: entered for each batch, but not for each "
             "element; without constructors, destructors and operators; median of 5")
        show("entries by a batch", f"{sum(count for _, _, count in entered):.0f}", "of these functions")
        by_directory = collections.defaultdict(list)
        for place, _, count in entered:
            by_directory[place.rpartition("/")[0] or "public headers"].append(count)
        for directory, counts in sorted(by_directory.items(), key=lambda each: -len(each[1])):
            print(f"  {directory:42} {len(counts):>8}   functions, {sum(counts):.0f} entries")
        if options.functions:
            for place, name, count in entered:
                print(f"    {place:40} {count:>8.1f}   {name}")
        readme, empty = first_program((options.tree / "README.md").read_text(encoding="utf-8"))
        show("object code of the README's program", compile_only("-O2", readme)[1],
             "bytes of text at -O2, according to size")
        if not options.no_times:
            for flag in ("-O2", "-O0"):
                times = [(compile_only(flag, readme)[0], compile_only(flag, empty)[0]) for _ in range(3)]
                whole, headers = (min(each) for each in zip(*times))
                show(f"compile time of the README's program, {flag}", f"{whole:.2f}",
                     f"CPU seconds, {whole / headers:.1f} times an empty program with its standard headers "
                     f"({headers:.2f}); minima of 3, alternately")


if __name__ == "__main__":
    main()
