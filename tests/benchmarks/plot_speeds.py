#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the CSV file of `forebay_benchmark --csv` as an SVG bar chart of relative speeds, for light and dark pages."""

import argparse
import csv
import dataclasses
import math
import sys
from xml.sax.saxutils import escape


@dataclasses.dataclass
class Kind:
    """What a chart shows. The contender `baseline` has the speed 1, and no bars."""

    title: str
    subtitle: str
    key: str
    baseline: str
    baseline_label: str
    decimals: int
    cells: list  # (cell, its two lines in the chart)
    contenders: list  # the contenders to draw; all if empty


QUEUES = Kind(
    "Throughput against the textbook queue",
    "Speed relative to a mutex, two condition variables and a deque. Further right is better; log scale.",
    "4P1C: four producer threads, one consumer thread; one element at a time unless the name says otherwise.",
    "textbook",
    "textbook = 1×",
    1,
    [
        (("1 thread in and out", "64"), None),
        (("1P1C", "64"), None),
        (("1P1C", "1024"), None),
        (("2P2C", "64"), None),
        (("2P2C", "1024"), None),
        (("4P4C", "64"), None),
        (("4P4C", "1024"), None),
        (("4P1C dequeue_many(32)", "64"), None),
        (("4P1C dequeue_many(32)", "1024"), None),
        (("2P2C batches of 32", "1024"), None),
    ],
    [],
)
PIPELINES = Kind(
    "Whole pipelines against one thread",
    "Speed relative to a loop by hand in one thread; two cores, so at most 2. Further right is better; log scale.",
    "Records of 785 bytes, shuffled in a window of 1,024, decoded, in batches of 32. “1 µs”: more work a record.",
    "by hand, one thread",
    "by hand = 1×",
    2,
    [((f"pipeline, {work} us", "1024"), (f"{work} µs of work", "for each record")) for work in (0, 1, 5, 50)],
    [
        "forebay, for_each",
        "forebay, range-for",
        "forebay, one thread",
        "oneTBB, batch tokens",
        "oneTBB, record tokens",
        "RandomShuffleQueue, QueueRunner",
        "textbook queue",
    ],
)

# forebay is blue; the other libraries have muted colours that also differ in lightness.
COLOURS = {
    "forebay FIFO": "#0b57a4",
    "forebay shuffle": "#6cb0ea",
    "oneTBB": "#57606a",
    "Boost": "#bf8a4a",
    "moodycamel": "#a9b1ba",
    "forebay, for_each": "#0b57a4",
    "forebay, range-for": "#3f8fd6",
    "forebay, one thread": "#8cc4f2",
    "oneTBB, batch tokens": "#57606a",
    "oneTBB, record tokens": "#a9b1ba",
    "RandomShuffleQueue, QueueRunner": "#4f8a72",
    "textbook queue": "#bf8a4a",
}
OTHER_COLOURS = ["#7a5ea8", "#4f8a72", "#b05f6d"]
STYLE = """<style>
.panel { fill: #fdfdfc; stroke: #d1d9e0 } .text { fill: #1f2328 } .faint { fill: #59636e } .grid { stroke: #e3e7eb }
.one { stroke: #59636e } text { stroke: #fdfdfc; stroke-width: 3px; stroke-linejoin: round; paint-order: stroke }
@media (prefers-color-scheme: dark) {
.panel { fill: #161b22; stroke: #30363d } .text { fill: #e6edf3 } .faint { fill: #9198a1 } .grid { stroke: #30363d }
.one { stroke: #9198a1 } text { stroke: #161b22 }
}
</style>"""

WIDTH = 920
MARGIN = 28
LABEL_WIDTH = 178
VALUE_WIDTH = 52
LEGEND_TOP = 78
LEGEND_STEP = 20
FOOT_HEIGHT = 84
BAR_HEIGHT = 12
BAR_STEP = 14
GROUP_GAP = 18
DECADES = [10**power for power in range(-4, 5)]


def read_speeds(path):
    """Returns {(cell, capacity): {contender: speed}} in the order of the file."""
    speeds = {}
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            group = speeds.setdefault((row["cell"], row["capacity"]), {})
            group[row["contender"]] = float(row["relative_speed"])
    return speeds


def text(x, y, content, size=12, style="text", anchor="start", weight="normal"):
    # The outline in the panel's colour separates the text from the grid behind it.
    return (
        f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(content)}</text>'
    )


def rectangle(x, y, width, height, attributes):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" {attributes}/>'


def readable(speed, decimals):
    return f"{speed:.0f}×" if speed >= 10 else f"{speed:.{decimals}f}×" if speed >= 0.1 else f"{speed:.1g}×"


def two_lines(cell, capacity):
    name, beside, neighbours = cell.partition(" beside ")
    return name, f"capacity {capacity}{beside}{neighbours}"


class Chart:
    """Bars to the right of the line at 1 are faster than the baseline, bars to the left slower."""

    def __init__(self, kind, speeds, caption):
        self.kind = kind
        self.speeds = speeds
        self.caption = caption
        there = list(dict.fromkeys(c for group in speeds.values() for c in group if c != kind.baseline))
        self.contenders = [c for c in kind.contenders if c in there] or there
        spare = iter(OTHER_COLOURS * len(self.contenders))
        self.colours = {c: COLOURS.get(c) or next(spare) for c in self.contenders}
        values = [group[c] for group in speeds.values() for c in self.contenders if c in group]
        self.low, self.high = min(values + [0.5]), max(values + [2])
        self.left = MARGIN + LABEL_WIDTH + VALUE_WIDTH
        self.right = WIDTH - MARGIN - VALUE_WIDTH
        self.legend, lines = self.legend_places()
        self.top = LEGEND_TOP + LEGEND_STEP * lines + 24
        self.group_height = BAR_STEP * len(self.contenders) + GROUP_GAP
        self.bottom = self.top + self.group_height * len(speeds)
        self.height = self.bottom + FOOT_HEIGHT

    def legend_places(self):
        """Returns [(x, line, contender)] and the number of lines."""
        places, x, line = [], MARGIN, 0
        for contender in self.contenders:
            width = 18 + sum(4 if letter in "fil, " else 8 for letter in contender) + 22
            if x + width > WIDTH - MARGIN:
                x, line = MARGIN, line + 1
            places.append((x, line, contender))
            x += width
        return places, line + 1

    def x(self, speed):
        share = math.log(speed / self.low) / math.log(self.high / self.low)
        return self.left + share * (self.right - self.left)

    def head(self):
        yield text(MARGIN, 40, self.kind.title, size=20, weight="600")
        yield text(MARGIN, 62, self.kind.subtitle, size=13, style="faint")
        for x, line, contender in self.legend:
            y = LEGEND_TOP + LEGEND_STEP * line
            yield rectangle(x, y, 12, 12, f'fill="{self.colours[contender]}" rx="2"')
            yield text(x + 18, y + 10.5, contender, size=13)

    def grid(self):
        steps = (1, 2, 5) if self.high / self.low < 500 else (1,)
        for tick in [step * decade for decade in DECADES for step in steps]:
            if not self.low <= tick <= self.high:
                continue
            x = self.x(tick)
            style, width = ("one", 1.5) if tick == 1 else ("grid", 1)
            yield f'<path class="{style}" d="M{x:.1f} {self.top - 6}V{self.bottom}" stroke-width="{width}"/>'
            label = self.kind.baseline_label if tick == 1 else f"{tick:g}×"
            yield text(x, self.bottom + 17, label, size=11, style="faint", anchor="middle")

    def bar(self, contender, speed, y):
        start, end = sorted((self.x(1), self.x(speed)))
        yield rectangle(start, y, max(end - start, 1.5), BAR_HEIGHT, f'fill="{self.colours[contender]}" rx="1.5"')
        own = contender.startswith("forebay")
        style = {"size": 11, "style": "text" if own else "faint", "weight": "600" if own else "normal"}
        label = readable(speed, self.kind.decimals)
        if speed >= 1:
            yield text(end + 5, y + BAR_HEIGHT - 2, label, **style)
        else:
            yield text(start - 5, y + BAR_HEIGHT - 2, label, anchor="end", **style)

    def group(self, index, cell, group):
        top = self.top + index * self.group_height
        if index:
            yield f'<path class="grid" d="M{MARGIN} {top}H{WIDTH - MARGIN}"/>'
        middle = top + self.group_height / 2
        name, detail = dict(self.kind.cells).get(cell) or two_lines(*cell)
        yield text(MARGIN, middle - 2, name, size=13, weight="600")
        yield text(MARGIN, middle + 14, detail, style="faint")
        for position, contender in enumerate(self.contenders):
            if contender in group:
                yield from self.bar(contender, group[contender], top + GROUP_GAP / 2 + position * BAR_STEP + 1)

    def svg(self):
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" font-family="system-ui, -apple-system, \'Segoe UI\', \'Noto Sans\', '
            "Helvetica, Arial, sans-serif\">"
        )
        yield f"<title>{escape(self.kind.title)}</title>"
        yield STYLE
        yield rectangle(0.5, 0.5, WIDTH - 1, self.height - 1, 'class="panel" rx="10"')
        yield from self.head()
        yield from self.grid()
        for index, (cell, group) in enumerate(self.speeds.items()):
            yield from self.group(index, cell, group)
        yield text(MARGIN, self.height - 38, self.kind.key, style="faint")
        yield text(MARGIN, self.height - 18, self.caption, style="faint")
        yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("csv", help="file written by forebay_benchmark --csv")
    parser.add_argument("--output", required=True, help="the SVG file")
    parser.add_argument("--caption", default="", help="the machine, the compiler and the date")
    parser.add_argument("--pipelines", action="store_true", help="draw whole pipelines instead of queues")
    parser.add_argument("--all", action="store_true", help="draw every cell of the file, not only selected ones")
    arguments = parser.parse_args()

    kind = PIPELINES if arguments.pipelines else QUEUES
    speeds = {cell: group for cell, group in read_speeds(arguments.csv).items() if kind.baseline in group}
    if not arguments.all:
        speeds = {cell: speeds[cell] for cell, _ in kind.cells if cell in speeds}
    if not speeds:
        sys.exit(f"{arguments.csv} has none of the cells to draw; try --all")
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("\n".join(Chart(kind, speeds, arguments.caption).svg()) + "\n")


if __name__ == "__main__":
    main()
