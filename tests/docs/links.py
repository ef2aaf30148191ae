#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# links.py SITE MODULE: fails if a link of a page or a location in the search index leads to a missing file or anchor,
# or if the search index lacks a name that the C++ module exports.

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = set(), set()
        self.feed(path.read_text(encoding="utf-8", errors="replace"))

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


def broken_links(site, index):
    """Yields (page, link) for each link to a missing file or anchor. The search index counts as a page."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    links = [(path, link) for path, page in pages.items() for link in page.links]
    links += [(site.resolve() / "search index", "./" + entry["location"]) for entry in index]
    for path, link in links:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc or link.startswith("$"):
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target /= "index.html"
        anchor = urllib.parse.unquote(parts.fragment)
        known = target in pages and (not anchor or anchor in pages[target].anchors)
        if not known and (target in pages or not target.is_file()):
            yield path.relative_to(site.resolve()), link
    print(f"Followed {len(links)} links of {len(pages)} pages.")


def missing_names(module, index):
    """Yields the public names that the search does not find. It knows BasicWait, for example, as Wait."""
    titles = {entry["title"] for entry in index if entry["location"].startswith("reference/")}
    for name in re.findall(r"using forebay::(\w+);", module.read_text(encoding="utf-8")):
        title = name.removeprefix("Basic")
        if title not in titles and (title[0].isupper() or title + "()" not in titles):
            yield name


def main():
    site, module = (pathlib.Path(argument) for argument in sys.argv[1:])
    index = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    problems = [f"{page}: broken link {link}" for page, link in sorted(broken_links(site, index))]
    problems += [f"search index: lacks {name}" for name in missing_names(module, index)]
    for problem in problems:
        print(problem)
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
