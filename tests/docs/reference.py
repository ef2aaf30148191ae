# SPDX-License-Identifier: MIT
#
# Hooks for mkdocs: make pages from those of the reference. Doxygen's tag file lists them. They get the header, the
# navigation, the search and the style of the guide.

import html
import pathlib
import re
import xml.etree.ElementTree as ElementTree

from mkdocs.structure.files import File
from mkdocs.structure.toc import get_toc

CONTENTS = re.compile(r'<div class="contents">(.*)</div><!-- contents -->', re.DOTALL)
MEMBER = re.compile(r'<a id="(\w+)" name="\1"></a>\n<h2 class="memtitle"><span class="permalink">.*?</span>(.*?)</h2>')
CODE = re.compile(r'<div class="fragment">(.*?)</div><!-- fragment -->', re.DOTALL)
# The switches that hide inherited members, and empty headings.
OMITTED = re.compile(r' onclick="[^"]*"|<img src="closed.png"[^>]*>(&#160;)?|<h2 class="groupheader">\s*</h2>')
TAG = re.compile(r"<[^>]*>")
SECTIONS = {"Headers": ["file"], "Classes": ["class", "struct", "concept"], "Functions and constants": ["namespace"]}


def pages_of(config, kinds):
    """Returns the pages of the classes, headers or namespaces, in alphabetical order, as entries of the navigation."""
    tags = ElementTree.parse(pathlib.Path(config["extra"]["binary_dir"], "reference.tag"))
    pages = {compound.findtext("name").removeprefix("forebay::"): compound.findtext("filename").removesuffix(".html")
             for compound in tags.getroot().iter("compound") if compound.get("kind") in kinds}
    return [{name: f"reference/{page}.md"} for name, page in sorted(pages.items(), key=lambda item: item[0].lower())]


# ---- Events of mkdocs


def on_config(config):
    sections = {title: pages_of(config, kinds) for title, kinds in SECTIONS.items()}
    contents = [{"Contents": "reference/index.md"}]
    contents += [{title: next(iter(pages[0].values())) if len(pages) == 1 else pages}
                 for title, pages in sections.items()]
    config["nav"].insert(2, {"Reference": contents})
    return config


def on_files(files, config):
    directory = config["extra"]["binary_dir"]
    kinds = [kind for kinds in SECTIONS.values() for kind in kinds]
    for page in ["reference/index.md", *(path for page in pages_of(config, kinds) for path in page.values())]:
        file = File(page, directory, config["site_dir"], use_directory_urls=False)
        file.abs_src_path = file.abs_src_path.removesuffix(".md") + ".html"
        files.append(file)
    return files


def is_reference(page):
    return page.file.src_uri.startswith("reference/")


def on_page_read_source(page, config):
    return "" if is_reference(page) else None  # on_page_content supplies the contents


def on_page_content(content, page, config, files):
    if not is_reference(page):
        return content
    text = CONTENTS.search(pathlib.Path(page.file.abs_src_path).read_text(encoding="utf-8"))[1]
    # The search and the table of contents know headings that have an id.
    members = {}
    for anchor, title in MEMBER.findall(text):
        members.setdefault(plain(title), anchor)
    heading = "Reference" if page.title == "Contents" else page.title
    page.toc = get_toc([{"level": 1, "id": "title", "name": heading, "children": [
        {"level": 2, "id": anchor, "name": title, "children": []} for title, anchor in members.items()]}])
    text = MEMBER.sub(r'<h3 id="\1">\2<a class="headerlink" href="#\1" title="Permanent link">&para;</a></h3>', text)
    text = CODE.sub(code_block, text)
    text = OMITTED.sub("", text).replace(' class="markdownTable"', "").replace("_source.html", ".html")
    return f'<h1 id="title">{html.escape(heading)}</h1>\n<div class="reference">{text}</div>'


def plain(title):
    """Returns the title of a member without markup, and without its number among the overloads."""
    return html.unescape(TAG.sub("", re.sub(r'<span class="overload">.*?</span>', "", title))).strip()


def code_block(fragment):
    lines = re.sub(r"</?div[^>]*>", "", fragment[1])
    return f'<div class="highlight"><pre><code>{lines}</code></pre></div>'
