#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws part of a trace of Pipeline::write_trace as SVG: a row for each thread, arrows, the number of ready outputs."""

import argparse
import json
from xml.sax.saxutils import escape

# Each kind of span: its name in the key, its fill colour, and the colour of text on it.
KINDS = {
    "before": ("pulling a chunk out of the stages before the map", "#6cb0ea", "#10304d"),
    "work": ("the map", "#0b57a4", "#ffffff"),
    "next": ("taking outputs", "#e3e7eb", "#59636e"),
    "loop": ("the loop", "#bf8a4a", "#2b1c08"),
    "wait": ("waiting", "#ffffff", "#59636e"),
}
TEXT = "#1f2328"
FAINT_TEXT = "#59636e"
GRID = "#e3e7eb"
PANEL = "#fdfdfc"
BORDER = "#d1d9e0"
ARROW = "#7a5ea8"

WIDTH = 920
MARGIN = 28
LABEL_WIDTH = 70
HEAD_HEIGHT = 92
ROW_HEIGHT = 34
ROW_STEP = 58
INSET = 5
COUNTER_HEIGHT = 40
FOOT_HEIGHT = 46


def kind_of(span):
    if span["cat"] == "wait":
        return "wait"
    if span["cat"] == "work":
        return "before" if span["name"].startswith("before ") else "work"
    return "next" if span["name"] == "next output" else "loop"


def text(x, y, content, size=12, fill=TEXT, anchor="start", weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" text-anchor="{anchor}" '
        f'font-weight="{weight}">{escape(content)}</text>'
    )


def rectangle(x, y, width, height, fill, extra=""):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}"{extra}/>'


class Picture:
    def __init__(self, events, begin, end, title):
        self.events = events
        self.begin, self.end = begin, end
        self.title = title
        names = {e["tid"]: e["args"]["name"] for e in events if e["ph"] == "M" and e["name"] == "thread_name"}
        self.spans = [e for e in events if e["ph"] == "X" and e["ts"] < end and e["ts"] + e["dur"] > begin]
        rows = sorted({e["tid"] for e in self.spans})
        self.rows = {tid: (i, names[tid]) for i, tid in enumerate(rows)}
        self.left = MARGIN + LABEL_WIDTH
        self.counter_top = HEAD_HEIGHT + ROW_STEP * len(rows)
        self.bottom = self.counter_top + COUNTER_HEIGHT
        self.height = self.bottom + FOOT_HEIGHT

    def x(self, time):
        share = (min(max(time, self.begin), self.end) - self.begin) / (self.end - self.begin)
        return self.left + share * (WIDTH - MARGIN - self.left)

    def y(self, tid):
        return HEAD_HEIGHT + ROW_STEP * self.rows[tid][0]

    def head(self):
        yield text(MARGIN, 40, self.title, size=20, weight="600")
        x = MARGIN
        for kind in {k: None for k in KINDS if any(kind_of(s) == k for s in self.spans)}:
            words, fill, _ = KINDS[kind]
            yield rectangle(x, 58, 12, 12, fill, f' rx="2" stroke="{BORDER}"')
            yield text(x + 18, 68.5, words, size=13)
            x += 18 + 6.6 * len(words) + 20

    def grid(self):
        length = self.end - self.begin
        step = next(s for s in (10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000) if length / s <= 10)
        for i in range(int(length / step) + 1):
            x = self.x(self.begin + i * step)
            yield f'<path d="M{x:.1f} {HEAD_HEIGHT - 6}V{self.bottom}" stroke="{GRID}"/>'
            label = f"{i * step:g} µs" if i else "0"
            yield text(x, self.bottom + 18, label, size=11, fill=FAINT_TEXT, anchor="middle")

    def row(self, tid):
        yield text(MARGIN, self.y(tid) + 21, self.rows[tid][1], size=13, weight="600")
        open_ends = []
        for span in self.spans:
            if span["tid"] != tid:
                continue
            while open_ends and open_ends[-1] <= span["ts"] + 1e-4:
                open_ends.pop()
            start, end = self.x(span["ts"]), self.x(span["ts"] + span["dur"])
            inset = INSET * len(open_ends)
            open_ends.append(span["ts"] + span["dur"])
            _, fill, colour = KINDS[kind_of(span)]
            dashes = ' stroke-dasharray="3 2"' if kind_of(span) == "wait" else ""
            yield rectangle(start, self.y(tid) + inset, max(end - start, 0.7), ROW_HEIGHT - 2 * inset, fill,
                            f' rx="1.5" stroke="{BORDER}" stroke-width="0.8"{dashes}')
            words = span["name"] if kind_of(span) == "wait" else str(span["args"].get("chunk", ""))
            if end - start > 6.5 * len(words) + 4:
                yield text((start + end) / 2, self.y(tid) + 21, words, size=11, fill=colour, anchor="middle")

    def arrows(self):
        begun = {}
        for event in self.events:
            if event["ph"] == "s":
                begun[event["id"]] = event
            if event["ph"] != "f" or event["id"] not in begun:
                continue
            start = begun[event["id"]]
            if not (self.begin <= start["ts"] and event["ts"] <= self.end):
                continue
            x1, x2 = self.x(start["ts"]), self.x(event["ts"])
            y1, y2 = self.y(start["tid"]), self.y(event["tid"])
            if start["tid"] == event["tid"]:
                y1 = y2 = y1 + ROW_HEIGHT
                bend = y1 + 13
                path = f"M{x1:.1f} {y1}C{x1:.1f} {bend} {x2:.1f} {bend} {x2:.1f} {y2}"
            else:
                y1, y2 = (y1 + ROW_HEIGHT, y2) if y1 < y2 else (y1, y2 + ROW_HEIGHT)
                bend = (y1 + y2) / 2
                path = f"M{x1:.1f} {y1}C{x1:.1f} {bend} {x2:.1f} {bend} {x2:.1f} {y2}"
            yield f'<path d="{path}" fill="none" stroke="{ARROW}" stroke-width="1.2" marker-end="url(#tip)"/>'

    def counter(self):
        samples = [(e["ts"], e["args"]["outputs"]) for e in self.events if e["ph"] == "C"]
        if not samples:
            return
        most = max(count for _, count in samples)
        base, scale = self.bottom, (COUNTER_HEIGHT - 10) / max(most, 1)
        count = next((c for t, c in reversed(samples) if t <= self.begin), 0)
        path = f"M{self.left} {base}V{base - scale * count:.1f}"
        for time, count in samples:
            if self.begin < time < self.end:
                path += f"H{self.x(time):.1f}V{base - scale * count:.1f}"
        path += f"H{WIDTH - MARGIN}V{base}Z"
        yield text(MARGIN, base - 16, "ready", size=13, weight="600")
        yield text(MARGIN, base - 2, f"up to {most}", size=11, fill=FAINT_TEXT)
        yield f'<path d="{path}" fill="{ARROW}" fill-opacity="0.25" stroke="{ARROW}" stroke-width="1"/>'

    def svg(self):
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" width="{WIDTH}" '
            f'height="{self.height}" role="img" font-family="system-ui, -apple-system, \'Segoe UI\', \'Noto Sans\', '
            'Helvetica, Arial, sans-serif">'
        )
        yield f"<title>{escape(self.title)}</title>"
        yield (
            '<defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" '
            f'orient="auto"><path d="M0 0L6 3L0 6Z" fill="{ARROW}"/></marker></defs>'
        )
        # The panel keeps the picture legible on light and dark pages.
        yield rectangle(0.5, 0.5, WIDTH - 1, self.height - 1, PANEL, f' rx="10" stroke="{BORDER}"')
        yield from self.head()
        yield from self.grid()
        for tid in self.rows:
            yield from self.row(tid)
        yield from self.arrows()
        yield from self.counter()
        key = "Numbers identify chunks. An arrow leads from the work on a chunk to where its output was taken."
        yield text(WIDTH - MARGIN, self.height - 10, key, fill=FAINT_TEXT, anchor="end")
        yield "</svg>"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("trace", help="file written by write_trace")
    parser.add_argument("--from", dest="begin", type=float, default=0, help="microseconds; default: %(default)s")
    parser.add_argument("--until", dest="end", type=float, default=2000, help="microseconds; default: %(default)s")
    parser.add_argument("--title", default="What the threads of a pipeline do", help="default: %(default)s")
    parser.add_argument("--output", default="trace.svg", help="default: %(default)s")
    arguments = parser.parse_args()

    with open(arguments.trace, encoding="utf-8") as file:
        events = json.load(file)
    with open(arguments.output, "w", encoding="utf-8") as file:
        file.write("\n".join(Picture(events, arguments.begin, arguments.end, arguments.title).svg()) + "\n")


if __name__ == "__main__":
    main()
