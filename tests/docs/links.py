#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
#
# links.py SITE: fails if a link of a page leads to a missing file or anchor.

import html.parser
import pathlib
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


def broken_links(site):
    """Yields (page, link) for each link to a missing file or anchor."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    for path, page in pages.items():
        for link in page.links:
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
    print(f"Followed {sum(len(page.links) for page in pages.values())} links of {len(pages)} pages.")


def main():
    broken = sorted(broken_links(pathlib.Path(sys.argv[1])))
    for page, link in broken:
        print(f"{page}: broken link {link}")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
