"""Drawings from files, made fit to stand inside a page: nothing in them can run, load, or clash with another.

Only elements and attributes of still pictures pass.  Ids get a prefix, black and gray follow the
page's light or dark colors, white becomes its paper.
"""

import base64
import re
from pathlib import Path
from xml.etree.ElementTree import Element

from markupsafe import Markup, escape

from sttest.core.errors import InputError
from sttest.core.files import parse_xml, read_bytes

MAX_FIGURE_BYTES = 4 * 1024 * 1024
_PNG_MAGIC = b"\x89PNG\r\n\x1a\n"
_PLAIN_DOCTYPE = re.compile(rb"<!DOCTYPE\s+svg\b[^\[\]>]*>")
_TAGS = frozenset({
    "svg", "g", "defs", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon", "text", "tspan", "use",
    "clipPath", "linearGradient", "radialGradient", "stop", "title", "desc", "marker", "pattern", "symbol",
})  # fmt: skip
_ATTRIBUTES = frozenset({
    "id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height", "points",
    "transform", "style", "viewBox", "preserveAspectRatio", "clip-path", "clip-rule", "fill", "fill-opacity",
    "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap", "stroke-linejoin", "stroke-dasharray",
    "stroke-dashoffset", "stroke-miterlimit", "opacity", "font-family", "font-size", "font-weight", "font-style",
    "text-anchor", "offset", "stop-color", "stop-opacity", "gradientUnits", "gradientTransform", "patternUnits",
    "clipPathUnits", "href", "xlink:href",
})  # fmt: skip
_LOCAL = re.compile(r"url\(\s*[\"']?#([\w.:-]+)[\"']?\s*\)")
_HARMLESS_VALUE = re.compile(r"[\w\s.,:;%#()'\"+-]*")
_GREY = re.compile(r"#([0-9a-f]{2})\1\1\b", re.IGNORECASE)


def figure_markup(path: Path, prefix: str, title: str) -> Markup:
    """An SVG as an element of the page, a PNG as an ``img`` that holds it.

    Args:
        path: path of the figure.
        prefix: prefix of its ids, different for each figure of the page.
        title: description for readers who can't see it.

    Raises:
        InputError: not readable, too large, not an SVG or PNG.
    """
    data = read_bytes(path, most_bytes=MAX_FIGURE_BYTES)
    if path.suffix != ".svg":
        if not data.startswith(_PNG_MAGIC):
            raise InputError("bad-figure", "is no PNG", where=str(path), hints=["draw it again"])
        source = f"data:image/png;base64,{base64.b64encode(data).decode()}"
        return Markup('<img src="{}" alt="{}">').format(source, title)
    root = parse_xml(_PLAIN_DOCTYPE.sub(b"", data, count=1), str(path))
    if _local_name(root) != "svg" or not root.get("viewBox"):
        raise InputError("bad-figure", "is no SVG with a viewBox", where=str(path), hints=["draw it again"])
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    inside = Markup("").join(_markup(child, prefix) for child in root)
    return Markup('<svg role="img" aria-label="{}" fill="currentColor" stroke-linejoin="round" {}>{}</svg>').format(
        title, _attributes(root, prefix), inside
    )


def _local_name(element: Element) -> str:
    return element.tag.rpartition(":")[2]


def _markup(element: Element, prefix: str) -> Markup:
    tag = _local_name(element)
    if tag not in _TAGS:
        return Markup("")
    inside = Markup("").join(_markup(child, prefix) + escape(child.tail or "") for child in element)
    text = element.text if element.text and element.text.strip() else ""
    attributes = _attributes(element, prefix)
    return Markup("<{}{}{}>{}{}</{}>").format(tag, " " if attributes else "", attributes, text, inside, tag)


def _attributes(element: Element, prefix: str) -> Markup:
    found = []
    for name, value in element.attrib.items():
        safe = _value(name, value, prefix) if name in _ATTRIBUTES else None
        if safe is not None:
            found.append(Markup('{}="{}"').format(name.removeprefix("xlink:"), safe))
    return Markup(" ").join(found)


def _value(name: str, value: str, prefix: str) -> str | None:
    """What the attribute may say, None where it may not be there."""
    if name == "id":
        return f"{prefix}-{value}"
    if name.endswith("href"):
        return f"#{prefix}-{value[1:]}" if value.startswith("#") else None
    if name in ("d", "points", "transform", "viewBox"):
        return value
    if name == "style":
        return ";".join(filter(None, (_declaration(each, prefix) for each in value.split(";")))) or None
    return _plain_value(value, prefix)


def _declaration(declaration: str, prefix: str) -> str:
    name, _, value = (part.strip() for part in declaration.partition(":"))
    safe = _plain_value(value, prefix)
    return f"{name}:{_in_page_colors(safe)}" if safe and re.fullmatch(r"[a-z-]+", name) else ""


def _plain_value(value: str, prefix: str) -> str | None:
    local = _LOCAL.sub(rf"url(#{prefix}-\1)", value)
    is_foreign = "url" in _LOCAL.sub("", value).lower() or not _HARMLESS_VALUE.fullmatch(value)
    return None if is_foreign else local


def _in_page_colors(value: str) -> str:
    """White as the page's paper, black as its ink, grays the other way round where the page is dark."""

    def in_page(found: re.Match[str]) -> str:
        level = int(found[1], 16)
        if level in (0, 255):
            return "currentColor" if level == 0 else "var(--paper)"
        dark = f"{255 - level:02x}" * 3
        return f"light-dark({found[0]},#{dark})"

    return _GREY.sub(in_page, value)
