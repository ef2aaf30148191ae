#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the CSV file of `forebay_benchmark --csv` as an SVG bar chart of speeds relative to the textbook queue."""

import argparse
import csv
import math
import sys
from xml.sax.saxutils import escape

HEADLINE_CELLS = [
    ("1 thread in and out", "64"),
    ("1P1C", "64"),
    ("1P1C", "1024"),
    ("2P2C", "64"),
    ("2P2C", "1024"),
    ("4P4C", "64"),
    ("4P4C", "1024"),
    ("4P1C dequeue_many(32)", "64"),
    ("4P1C dequeue_many(32)", "1024"),
    ("2P2C batches of 32", "1024"),
]
BASELINE = "textbook"

# forebay is blue; the other libraries have muted colours that also differ in lightness.
COLOURS = {
    "forebay FIFO": "#0b57a4",
    "forebay shuffle": "#6cb0ea",
    "oneTBB": "#57606a",
    "Boost": "#bf8a4a",
    "moodycamel": "#a9b1ba",
}
OTHER_COLOURS = ["#7a5ea8", "#4f8a72", "#b05f6d"]
TEXT = "#1f2328"
FAINT_TEXT = "#59636e"
GRID = "#e3e7eb"
PANEL = "#fdfdfc"
BORDER = "#d1d9e0"

WIDTH = 920
MARGIN = 28
LABEL_WIDTH = 178
VALUE_WIDTH = 52
HEAD_HEIGHT = 122
FOOT_HEIGHT = 84
BAR_HEIGHT = 12
BAR_STEP = 14
GROUP_GAP = 18
DECADES = [10**power for power in range(-4, 5)]


def read_ratios(path):
    """Returns {(cell, capacity): {contender: ratio}} in the order of the file."""
    ratios = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            group = ratios.setdefault((row["cell"], row["capacity"]), {})
            group[row["contender"]] = float(row["ratio_to_textbook"])
    return ratios


def text(x, y, content, size=12, fill=TEXT, anchor="start", weight="normal"):
    # The outline in the panel's colour separates the text from the grid behind it.
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}" stroke="{PANEL}" stroke-width="3" stroke-linejoin="round" '
        f'paint-order="stroke">{escape(content)}</text>'
    )


def rectangle(x, y, width, height, fill, extra=""):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"{extra}/>'


def readable(ratio):
    return f"{ratio:.0f}×" if ratio >= 10 else f"{ratio:.1f}×" if ratio >= 0.1 else f"{ratio:.1g}×"


class Chart:
    """Bars to the right of the line at 1 are faster than the textbook queue, bars to the left slower."""

    def __init__(self, ratios, caption):
        self.ratios = ratios
        self.caption = caption
        self.contenders = list(dict.fromkeys(c for group in ratios.values() for c in group if c != BASELINE))
        spare = iter(OTHER_COLOURS * len(self.contenders))
        self.colours = {c: COLOURS.get(c) or next(spare) for c in self.contenders}
        values = [r for group in ratios.values() for r in group.values()]
        self.low, self.high = min(values + [0.5]), max(values + [2])
        self.left = MARGIN + LABEL_WIDTH + VALUE_WIDTH
        self.right = WIDTH - MARGIN - VALUE_WIDTH
        self.group_height = BAR_STEP * len(self.contenders) + GROUP_GAP
        self.bottom = HEAD_HEIGHT + self.group_height * len(ratios)
        self.height = self.bottom + FOOT_HEIGHT

    def x(self, ratio):
        share = math.log(ratio / self.low) / math.log(self.high / self.low)
        return self.left + share * (self.right - self.left)

    def head(self):
        yield text(MARGIN, 40, "Throughput against the textbook queue", size=20, weight="600")
        subtitle = "Speed relative to a mutex, two condition variables and a deque. Further right is better; log scale."
        yield text(MARGIN, 62, subtitle, size=13, fill=FAINT_TEXT)
        x = MARGIN
        for contender in self.contenders:
            yield rectangle(x, 78, 12, 12, self.colours[contender], ' rx="2"')
            yield text(x + 18, 88.5, contender, size=13)
            x += 18 + sum(4 if letter in "fil " else 8 for letter in contender) + 22

    def grid(self):
        steps = (1, 2, 5) if self.high / self.low < 500 else (1,)
        for tick in [step * decade for decade in DECADES for step in steps]:
            if not self.low <= tick <= self.high:
                continue
            x = self.x(tick)
            colour, width = (FAINT_TEXT, 1.5) if tick == 1 else (GRID, 1)
            yield f'<path d="M{x:.1f} {HEAD_HEIGHT - 6}V{self.bottom}" stroke="{colour}" stroke-width="{width}"/>'
            label = "textbook = 1×" if tick == 1 else f"{tick:g}×"
            yield text(x, self.bottom + 17, label, size=11, fill=FAINT_TEXT, anchor="middle")

    def bar(self, contender, ratio, y):
        start, end = sorted((self.x(1), self.x(ratio)))
        yield rectangle(start, y, max(end - start, 1.5), BAR_HEIGHT, self.colours[contender], ' rx="1.5"')
        own = contender.startswith("forebay")
        style = {"size": 11, "fill": TEXT if own else FAINT_TEXT, "weight": "600" if own else "normal"}
        if ratio >= 1:
            yield text(end + 5, y + BAR_HEIGHT - 2, readable(ratio), **style)
        else:
            yield text(start - 5, y + BAR_HEIGHT - 2, readable(ratio), anchor="end", **style)

    def group(self, index, cell, capacity, group):
        top = HEAD_HEIGHT + index * self.group_height
        if index:
            yield f'<path d="M{MARGIN} {top}H{WIDTH - MARGIN}" stroke="{GRID}"/>'
        middle = top + self.group_height / 2
        name, beside, neighbours = cell.partition(" beside ")
        yield text(MARGIN, middle - 2, name, size=13, weight="600")
        yield text(MARGIN, middle + 14, f"capacity {capacity}{beside}{neighbours}", fill=FAINT_TEXT)
        for position, contender in enumerate(self.contenders):
            if contender in group:
                yield from self.bar(contender, group[contender], top + GROUP_GAP / 2 + position * BAR_STEP + 1)

    def svg(self):
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" font-family="system-ui, -apple-system, \'Segoe UI\', \'Noto Sans\', '
            "Helvetica, Arial, sans-serif\">"
        )
        yield "<title>Throughput of bounded queues as multiples of the textbook queue</title>"
        # The panel keeps the chart legible on light and dark pages.
        panel = f' rx="10" stroke="{BORDER}"'
        yield rectangle(0.5, 0.5, WIDTH - 1, self.height - 1, PANEL, panel)
        yield from self.head()
        yield from self.grid()
        for index, ((cell, capacity), group) in enumerate(self.ratios.items()):
            yield from self.group(index, cell, capacity, group)
        key = "4P1C: four producer threads, one consumer thread; one element at a time unless the name says otherwise."
        yield text(MARGIN, self.height - 38, key, fill=FAINT_TEXT)
        yield text(MARGIN, self.height - 18, self.caption, fill=FAINT_TEXT)
        yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", help="file written by forebay_benchmark --csv")
    parser.add_argument("--output", default="throughput.svg", help="default: %(default)s")
    parser.add_argument("--caption", default="", help="the machine, the compiler and the date")
    parser.add_argument("--all", action="store_true", help="draw every cell of the file, not only ten selected ones")
    arguments = parser.parse_args()

    ratios = read_ratios(arguments.csv)
    if not arguments.all:
        ratios = {cell: ratios[cell] for cell in HEADLINE_CELLS if cell in ratios}
    if not ratios:
        sys.exit(f"{arguments.csv} has none of the cells to draw; try --all")
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("\n".join(Chart(ratios, arguments.caption).svg()) + "\n")


if __name__ == "__main__":
    main()
