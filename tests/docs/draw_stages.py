#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# draw_stages.py [--check] DIRECTORY PROGRAM...: runs the program (stages.cpp describes its output), and draws each
# picture into DIRECTORY, as SVG for light and dark pages. With --check, compares with the existing pictures instead,
# and checks that README.md shows the batches of its picture.

import argparse
import pathlib
import re
import subprocess
import sys
from xml.sax.saxutils import escape

MARGIN = 16
LABEL_HEIGHT = 26
BOX_HEIGHT = 24
ROW_GAP = 18
CHARACTER = 7.5  # the width of a character in the font of the labels and elements
GAP = 4
EPOCH_GAP = 20
COLOURS = ["#6cb0ea", "#d9a561", "#a58bd0", "#74b49a"]  # for a few different words
LIGHTEST, DARKEST = (214, 232, 250), (11, 87, 164)  # a gradient for numbers, and for many words

STYLE = """<style>
.panel { fill: #fdfdfc; stroke: #d1d9e0 } .label { fill: #1f2328 } .line { stroke: #8c959f; fill: none }
.comment { fill: #59636e } .neutral { fill: #e3e7eb }
@media (prefers-color-scheme: dark) {
.panel { fill: #161b22; stroke: #30363d } .label { fill: #e6edf3 } .line { stroke: #8b949e }
.comment { fill: #9198a1 } .neutral { fill: #b1bac4 }
}
</style>"""


def read_pictures(text):
    """Returns {name: (title, [(role, label, elements)])}."""
    pictures = {}
    for line in text.splitlines():
        role, rest = line.split(" ", 1)
        if role == "=":
            name, title = rest.split(" ", 1)
            pictures[name] = (title, [])
        else:
            label, elements = rest.split(": ", 1)
            pictures[name][1].append((role, label, elements.split()))
    return pictures


def key_of(text):
    """Returns the word in an element, or its number if it has none. Elements with the same key have the same colour."""
    word = re.search(r"[a-z]+", text.lower())
    return word[0] if word else text


class Colours:
    """Assigns a colour to each input element; the outputs use the same colours."""

    def __init__(self, rows):
        keys = [key_of(part) for role, _, elements in rows if role == "in" for part in elements]
        self.keys = list(dict.fromkeys(keys))
        self.are_letters = len(self.keys) <= len(COLOURS) and not self.keys[0].isdigit()

    def colours(self, text):
        """Returns (fill, colour of the text). The fill is None if no input contains the element."""
        key = key_of(text)
        if key not in self.keys:
            return None, "#1f2328"
        index = self.keys.index(key)
        if self.are_letters:
            return COLOURS[index], "#1f2328"
        share = index / max(1, len(self.keys) - 1)
        mixed = [round(light + share * (dark - light)) for light, dark in zip(LIGHTEST, DARKEST)]
        return "#{:02x}{:02x}{:02x}".format(*mixed), "#ffffff" if share > 0.5 else "#1f2328"


def draw_text(x, y, content, attributes):
    return f'<text x="{x:.1f}" y="{y:.1f}" {attributes}>{escape(content)}</text>'


class Row:
    """Draws the elements of a row from left to right."""

    def __init__(self, top, colours):
        self.top, self.colours = top, colours
        self.x, self.right, self.bottom = MARGIN, MARGIN, top + BOX_HEIGHT
        self.shapes = []
        self.frame = None  # the left edge of the current batch
        self.stacked = None  # the number of drawn elements of a padded batch

    def add(self, token):
        if token in ("[", "{"):
            self.frame, self.stacked = self.x, 0 if token == "{" else None
            self.x += GAP
        elif token in ("]", "}"):
            self.close_frame()
        elif token == "|":
            self.x += EPOCH_GAP / 2 - GAP / 2
            self.shapes.append(f'<path class="line" stroke-dasharray="3 3" d="M{self.x:.1f} {self.top - 3:.1f}v30"/>')
            self.x += EPOCH_GAP / 2 + GAP / 2
        else:
            self.add_element(token)

    def add_element(self, token):
        if self.stacked is None:
            self.x = self.draw_element(self.x, self.top, token) + GAP
            return
        self.right = self.draw_element(self.x, self.top + self.stacked * BOX_HEIGHT, token)
        self.stacked += 1

    def draw_element(self, x, y, token):
        """Draws an element, with its parts side by side, and returns its right edge."""
        for part in token.split(","):
            width = max(24, len(part) * CHARACTER + 9)
            fill, colour = self.colours.colours(part)
            paint = f'fill="{fill}"' if fill else 'class="neutral"'
            box = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{BOX_HEIGHT}" rx="3"'
            self.shapes.append(f"<rect {box} {paint}/>")
            attributes = f'fill="{colour}" text-anchor="middle"'
            self.shapes.append(draw_text(x + width / 2, y + 16.5, part.replace(".", "·"), attributes))
            x += width
        self.bottom = max(self.bottom, y + BOX_HEIGHT)
        return x

    def close_frame(self):
        end = self.x if self.stacked is None else self.right + GAP
        height = BOX_HEIGHT * (self.stacked or 1) + 2 * GAP
        self.shapes.append(f'<rect class="line" x="{self.frame:.1f}" y="{self.top - GAP:.1f}" '
                           f'width="{end - self.frame:.1f}" height="{height}" rx="5"/>')
        self.bottom = max(self.bottom, self.top + height - GAP)
        self.x, self.frame, self.stacked = end + 2 * GAP, None, None


def draw(title, rows):
    """Returns a picture as SVG."""
    colours = Colours(rows)
    shapes, y, right = [], MARGIN - 4, 0
    end_of_inputs = []  # a line between the inputs and the outputs
    previous = "in"
    for role, label, elements in rows:
        if role == "out" and previous == "in":
            end_of_inputs.append(y - 4)
            y += 6
        if role == "then":
            shapes.append(f'<path class="line" d="M{MARGIN + 8} {y - 12:.1f}v12m-4 -5l4 5l4 -5"/>')
            y += 6
        code, slashes, comment = label.partition("  //")
        shapes.append(draw_text(MARGIN, y + 14, code, 'class="label"'))
        if comment:
            x = MARGIN + (len(code) + 2) * CHARACTER
            shapes.append(draw_text(x, y + 14, slashes.strip() + comment, 'class="comment"'))
        row = Row(y + LABEL_HEIGHT, colours)
        for token in elements:
            row.add(token)
        shapes += row.shapes
        right = max(right, row.x, MARGIN + len(label) * CHARACTER)
        y = row.bottom + ROW_GAP
        previous = role
    width, height = round(right + MARGIN), round(y + MARGIN - ROW_GAP)
    shapes += [f'<path class="line" stroke-width="0.5" d="M{MARGIN} {y:.1f}H{right:.1f}"/>' for y in end_of_inputs]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" '
        'font-size="12">',
        f"<title>{escape(title)}</title>",
        STYLE,
        f'<rect class="panel" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10"/>',
    ]
    return "\n".join([*lines, *shapes, "</svg>"]) + "\n"


def batches_of(elements):
    return re.findall(r"\[ (.*?) \]", " ".join(elements))


def check_readme(picture):
    """Fails if the README does not show the batches of its picture as the output of its program."""
    readme = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    _, rows = picture
    for batch in batches_of(rows[-1][2]):
        if f"words: {batch}\n" not in readme:
            sys.exit(f"README.md does not show the batch '{batch}' as output: change readme() in stages.cpp")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()

    printed = subprocess.run(options.program, capture_output=True, text=True, check=True, timeout=60).stdout
    rows = read_pictures(printed)
    pictures = {f"{name}.svg": draw(*picture) for name, picture in rows.items()}
    if not options.check:
        options.directory.mkdir(exist_ok=True)
        for name, picture in pictures.items():
            (options.directory / name).write_text(picture, encoding="utf-8", newline="\n")
        return
    check_readme(rows["readme"])
    existing = {path.name: path.read_text(encoding="utf-8") for path in options.directory.glob("*.svg")}
    stale = sorted(name for name in {*pictures, *existing} if pictures.get(name) != existing.get(name))
    if stale:
        sys.exit(f"Redraw these with `cmake --build build --target forebay_pictures`: {', '.join(stale)}")
    print(f"{len(pictures)} pictures match the output of the stages.")


if __name__ == "__main__":
    main()
