# SPDX-License-Identifier: MIT
#
# Hooks for mkdocs: make pages from the Markdown documents of the repository and from the source files that they refer
# to. In a document, links lead to files of the repository, as on GitHub. On the site, a link to a public header leads
# to its page in the reference, and a link to another file or directory to a page that shows it. The navigation comes
# from the contents of the guide (examples/guide/README.md). reference.py adds the reference.

import pathlib
import posixpath
import re

from mkdocs.structure.files import File

DOCUMENTS = ["README.md", ".github/*.md", "examples/*.md", "examples/guide/*.md", "tests/README.md",
             "tests/*/README.md"]
# The directory of the site for the documents of each directory. Pages that show other files are in source/.
DIRECTORIES = {".github/": "project/", "examples/guide/": "guide/", "examples/": "guide/"}
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cppm": "cpp", ".py": "python", ".natvis": "xml", "": "text"}

LINK = re.compile(r"(?<=\]\()([^)\s:#]+)(#[^)\s]*)?(?=\))")
ITEM = re.compile(r"([-*]|\d+\.) ")  # of a list at the left margin
FENCE = re.compile(r" *```")
ENTRY = re.compile(r"(?:-|\d+\.) (.*)")
ENTRY_LINK = re.compile(r"\[(.+?)\]\((\S+?)\)")


def repository(config):
    return pathlib.Path(config["extra"]["source_dir"])


def find_documents(config):
    """Returns the paths of the Markdown documents, relative to the repository."""
    root = repository(config)
    return sorted({path.relative_to(root).as_posix() for pattern in DOCUMENTS for path in root.glob(pattern)})


def text_lines(markdown):
    """Yields (line, is_prose) for each line. Code blocks and their fences are not prose."""
    in_code = False
    for line in markdown.split("\n"):
        fence = FENCE.match(line)
        yield line, not (in_code or fence)
        in_code = in_code != bool(fence)


def link_targets(config, document):
    """Yields the files and directories of the repository to which a document refers."""
    markdown = (repository(config) / document).read_text(encoding="utf-8")
    for line, is_prose in text_lines(markdown):
        for found in LINK.finditer(line) if is_prose else ():
            yield resolved(document, found[1])


def resolved(document, link):
    """Returns the file or directory of the repository to which a link leads."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(document), link))


def is_public_header(path):
    return re.fullmatch(r"include/forebay/\w+\.hpp", path) is not None


def page_of(path):
    """Returns the source path, in mkdocs' terms, of the page for a file of the repository."""
    if is_public_header(path):
        name = posixpath.basename(path).replace("_", "__").replace(".", "_8")
        return f"reference/{name}.md"
    return path if path.endswith((".md", ".svg", ".png")) else path + ".md"


# ---- Events of mkdocs


def on_config(config):
    guide = "examples/guide/README.md"
    contents = [{"Contents": guide}]
    for line in (repository(config) / guide).read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            contents.append({line[3:]: []})
        elif entry := ENTRY.match(line):
            links = ENTRY_LINK.findall(entry[1])
            if entry[1].startswith("["):  # further links belong to its description
                links = links[:1]
            section = next(iter(contents[-1].values()))
            section.extend({title: page_of(resolved(guide, link))} for title, link in links)
    tests = [{(repository(config) / path).read_text(encoding="utf-8").split("\n")[0].lstrip("# "): path}
             for path in find_documents(config) if path.startswith("tests/")]
    project = [{"Changes": ".github/CHANGELOG.md"}, {"Contributing": ".github/CONTRIBUTING.md"},
               {"Reporting a vulnerability": ".github/SECURITY.md"}, {"Tests": tests}]
    config["nav"] = [{"Home": "README.md"}, {"Guide": contents}, {"Project": project}]
    return config


def on_files(files, config):
    documents = find_documents(config)
    targets = {target for document in documents for target in link_targets(config, document)}
    root = repository(config)
    for path in sorted({*documents, *(target for target in targets if (root / target).exists())}):
        if not is_public_header(path):
            files.append(make_file(page_of(path), root, config))
    return files


def make_file(path, root, config):
    file = File(path, str(root), config["site_dir"], config["use_directory_urls"])
    if path.endswith(".md"):
        file.dest_uri = place_of(file)
        file.abs_dest_path = posixpath.join(config["site_dir"], file.dest_uri)
        file.url = file.dest_uri.removesuffix("index.html") or "./"
    return file


def place_of(file):
    """Returns the path of a page on the site."""
    if not is_document(file):
        return "source/" + file.dest_uri
    for directory, place in DIRECTORIES.items():
        if file.dest_uri.startswith(directory):
            return place + file.dest_uri.removeprefix(directory).lower()
    return file.dest_uri


def is_document(file):
    """Returns whether the page is a document of the repository. Other pages show a source file or a directory."""
    return pathlib.Path(file.abs_src_path).exists()


def on_page_read_source(page, config):
    if is_document(page.file):
        return None
    source = pathlib.Path(page.file.abs_src_path.removesuffix(".md"))
    if source.is_dir():
        code = "\n".join(sorted(path.name for path in source.iterdir()))
    else:
        code = source.read_text(encoding="utf-8").rstrip("\n")
    return f"# {source.name}\n\n````{LANGUAGES.get(source.suffix, 'text')}\n{code}\n````\n"


def on_page_markdown(markdown, page, config, files):
    if not is_document(page.file):
        page.meta["hide"] = ["toc"]
        return markdown
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]
    return "\n".join(converted_lines(markdown, page.file.src_uri, repository(config)))


def converted_lines(markdown, document, root):
    """Yields the lines of a document, with links as on the site and lists as in mkdocs.

    mkdocs requires that the contents of a list item are indented by a multiple of four spaces, not two or three, and
    that an empty line separates a paragraph from a list.
    """
    shift = 0
    before = ""
    for line, is_prose in text_lines(markdown):
        if is_prose and ITEM.match(line) and before.strip() and not ITEM.match(before):
            yield ""
        before = line
        if is_prose or FENCE.match(line):
            margin = len(line) - len(line.lstrip())
            shift = -margin % 4
        if is_prose:
            line = LINK.sub(lambda found: converted_link(found, document, root), line)
        yield " " * shift + line if line else line


def converted_link(found, document, root):
    target = resolved(document, found[1])
    return posixpath.relpath(page_of(target), posixpath.dirname(document) or ".") + (found[2] or "")
