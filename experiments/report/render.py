"""Templates to text: everything from files is escaped, and one page holds its style and script."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

_JOINT = re.compile(r"(?<=[/._])(?=\w)")
_URL = re.compile(r"https?://[^\s<>\"')\]]+[^\s<>\"')\].,;]")


def render_page(**shown: Any) -> str:
    """The page as text.

    The only script is our own; the page's policy names its hash, so that nothing that
    came in with a result could run, and nothing is loaded from anywhere.
    """
    room = Environment(
        loader=PackageLoader("experiments.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    room.filters["linked"] = _linked
    room.filters["breakable"] = _breakable
    room.filters["format_count"] = "{:,}".format
    script = Markup(_without_blank_lines(room.get_template("page.js").render()))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = room.get_template("page.html").render(script=script, script_hash=f"sha256-{digest}", **shown)
    return _without_blank_lines(page) + "\n"


def _without_blank_lines(text: str) -> str:
    return "\n".join(line for line in text.split("\n") if line.strip())


def _breakable(text: str) -> Markup:
    """Text that may be broken behind the marks that hold paths and names together."""
    return Markup("<wbr>").join(_JOINT.split(text))


def _linked(text: str) -> Markup:
    """Text with its addresses as links."""
    made, end = Markup(""), 0
    for found in _URL.finditer(text):
        made += escape(text[end : found.start()])
        made += Markup('<a href="{0}" rel="noreferrer noopener">{0}</a>').format(found[0])
        end = found.end()
    return made + escape(text[end:])
