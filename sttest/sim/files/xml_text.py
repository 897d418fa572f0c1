"""XML from elsewhere, read so that a hostile file can do no harm.

Documents with a DTD are refused before anything in it is looked at, so that there
are no entities to expand and nothing outside the file is ever opened.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from sttest.errors import InputError

MAX_XML_BYTES = 16 * 1024 * 1024
MAX_NESTING = 40


def read_xml(path: Path) -> Element:
    """The root element of an XML file.

    Raises:
        InputError: not readable, not XML, with a DTD, too large or too deeply nested.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_XML_BYTES + 1)
    except OSError as error:
        raise InputError("unreadable", f"cannot be read ({error.strerror})", where=str(path)) from error
    if len(data) > MAX_XML_BYTES:
        raise InputError("xml-too-large", "too large", where=str(path), bound=MAX_XML_BYTES, unit="bytes")
    return parse_xml(data, str(path))


def parse_xml(data: bytes, where: str) -> Element:
    """The root element of an XML document; ``where`` is its name in errors.

    Raises:
        InputError: not XML, with a DTD, or too deeply nested.
    """
    parser = expat.ParserCreate()
    builder = TreeBuilder()
    open_elements: list[str] = []

    def refuse_dtd(*_: object) -> None:
        raise InputError(
            "xml-dtd", "has a DOCTYPE, which is never read", where=f"{where} line {parser.CurrentLineNumber}",
            levers=["remove the DOCTYPE"],
        )  # fmt: skip

    def start(tag: str, attributes: dict[str, str]) -> None:
        open_elements.append(tag)
        if len(open_elements) > MAX_NESTING:
            line = f"{where} line {parser.CurrentLineNumber}"
            raise InputError("xml-nesting", f"elements are nested more than {MAX_NESTING} deep", where=line)
        builder.start(tag, attributes)

    def end(tag: str) -> None:
        open_elements.pop()
        builder.end(tag)

    parser.StartDoctypeDeclHandler = refuse_dtd
    parser.EntityDeclHandler = refuse_dtd
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = builder.data
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise InputError("bad-xml", f"not well-formed XML ({error})", where=where) from error
    return builder.close()
