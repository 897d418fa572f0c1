"""The blocks of a page as a browser shows them: of CommonMark with GitHub's tables, and of the site."""

from __future__ import annotations

import re
from collections.abc import Iterator

import markdown
from blocks import Block
from bs4 import BeautifulSoup, Comment, NavigableString, Tag
from markdown_it import MarkdownIt
from mkdocs.config.defaults import MkDocsConfig

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = (*_HEADINGS, "p", "ul", "ol", "table", "pre", "div", "blockquote", "hr", "details", "section")
_NO_TEXT = "a.headerlink, a.md-content__button, span.filename, div.doc, script, style"
"""What the site adds: links, titles of code, and what docstrings say, which has no source in a page."""
_STOPS = ".:?!…)∎"
_RAW = re.compile(r"\]\(|\*\*|`|\| *:?---|<!--|-->|</?span")
_GITHUB = MarkdownIt("commonmark").enable(["table", "strikethrough"])


def github_html(text: str) -> str:
    """A page as CommonMark has it, with GitHub's tables."""
    return _GITHUB.render(text)


def site_html(text: str, config: MkDocsConfig) -> str:
    """A page as Python-Markdown has it, with the extensions of the site."""
    return markdown.markdown(text, extensions=config.markdown_extensions, extension_configs=config.mdx_configs)


def article(text: str) -> Tag:
    """What of a page's HTML is the page: all of it, or on the site its article."""
    _, begin, rest = text.partition("<article")
    soup = BeautifulSoup(f"{begin}{rest.partition('</article>')[0]}" if begin else text, "html.parser")
    found = soup.article or soup
    for each in found.select(_NO_TEXT):
        each.decompose()
    return found


def rendered_blocks(page: Tag) -> list[Block]:
    """The blocks of an article, in order."""
    return list(_within(page, "paragraph", 0))


def cut_sentences(page: Tag) -> list[str]:
    """Paragraphs outside of lists that begin with a small letter, or end without a stop, and no code stands between."""
    found = []
    for paragraph in page.find_all("p"):
        text = _squashed(paragraph.get_text())
        if not text or paragraph.find_parent("li"):
            continue
        before, behind = paragraph.find_previous_sibling(), paragraph.find_next_sibling()
        begins = not text[0].islower() or _begins_with_code(paragraph) or _is(before, "pre", "div")
        ends = text[-1] in _STOPS or _is(behind, "pre", "div", "ul", "ol", "table")
        if not (begins and ends):
            found.append(text)
    return found


def _begins_with_code(paragraph: Tag) -> bool:
    return isinstance(paragraph.next_element, Tag) or paragraph.get_text().startswith("sttest ")


def _is(tag: Tag | None, *names: str) -> bool:
    return tag is not None and tag.name in names


def raw_markup(page: Tag) -> list[str]:
    """Markdown that is shown as text, with the words around it."""
    for code in page.select("pre"):
        code.decompose()
    for code in page.select("code"):
        code.replace_with(".")
    text = " ".join(page.get_text().split())
    return [text[max(found.start() - 30, 0) : found.end() + 30] for found in _RAW.finditer(text)]


def _within(parent: Tag, first: str, depth: int) -> Iterator[Block]:
    """Blocks of a parent; its first text is of the kind ``first``, as in an item of a list."""
    kind, loose = first, ""
    for child in (*parent.children, None):
        if isinstance(child, Comment):
            continue
        if isinstance(child, NavigableString) or (isinstance(child, Tag) and child.name not in _BLOCKS):
            loose += child.get_text()
            continue
        if loose.strip():
            yield Block(kind, depth, _squashed(loose))
            kind = "paragraph"
        loose = ""
        if child is None:
            return
        if child.name == "p" and child.get_text().strip():
            yield Block(kind, depth, _squashed(child.get_text()))
            kind = "paragraph"
        else:
            yield from _block(child, depth)


def _block(tag: Tag, depth: int) -> Iterator[Block]:
    if tag.name in _HEADINGS:
        yield Block(tag.name, depth, _squashed(tag.get_text()))
    elif tag.name == "pre":
        yield Block("code", depth, _squashed(tag.get_text()))
    elif tag.name == "table":
        for row in tag.find_all("tr"):
            cells = (_squashed(cell.get_text()).replace("|", "") for cell in row.find_all(["th", "td"]))
            yield Block("row", depth, "|".join(cells))
    elif tag.name in ("ul", "ol"):
        for item in tag.find_all("li", recursive=False):
            yield from _within(item, "bullet" if tag.name == "ul" else "number", depth + 1)
    else:
        yield from _within(tag, "paragraph", depth)


def _squashed(text: str) -> str:
    return " ".join(text.split())
