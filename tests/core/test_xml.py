"""XML as it stands in the file, with a bound on size and nesting, and never with a DTD."""

from __future__ import annotations

from pathlib import Path
from xml.etree.ElementTree import Element, tostring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.core import files
from sttest.core.errors import InputError
from sttest.core.files import MAX_XML_NESTING, parse_xml, read_xml

NAMES = st.sampled_from(["a", "b", "c1", "d-e"])
TEXTS = st.text(st.sampled_from("xyz <>&'\"é"), max_size=6)


@st.composite
def trees(draw, depth: int = 3) -> Element:
    element = Element(draw(NAMES), draw(st.dictionaries(NAMES, TEXTS, max_size=2)))
    element.text = draw(TEXTS) or None
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        inner = draw(trees(depth=depth - 1))
        inner.tail = draw(TEXTS) or None
        element.append(inner)
    return element


@given(trees())
def test_what_was_written_comes_back(tree: Element) -> None:
    assert tostring(parse_xml(tostring(tree), "t.xml")) == tostring(tree)


def test_prefixes_of_namespaces_are_part_of_names(tmp_path: Path) -> None:
    (tmp_path / "t.xml").write_text('<s:graph xmlns:s="http://x"><s:actor s:name="a">5</s:actor></s:graph>')
    graph = read_xml(tmp_path / "t.xml")
    assert (graph.tag, graph.attrib) == ("s:graph", {"xmlns:s": "http://x"})
    assert [(each.tag, each.attrib, each.text) for each in graph] == [("s:actor", {"s:name": "a"}, "5")]


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("", "bad-xml", "not well-formed XML (no element found: line 1, column 0)"),
        ("<a><b></a>", "bad-xml", "not well-formed XML (mismatched tag: line 1, column 8)"),
        ("<a>\n<b x='1' x='2'/></a>", "bad-xml", "not well-formed XML (duplicate attribute: line 2, column 9)"),
        ("<a/><b/>", "bad-xml", "not well-formed XML (junk after document element: line 1, column 4)"),
        ("<a>\xff</a>", "bad-xml", "not well-formed XML (not well-formed (invalid token): line 1, column 3)"),
        ('<?xml version="1.0" encoding="no-such"?><a/>', "bad-xml", "not well-formed XML (unknown encoding: no-such)"),
        ('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "xml-dtd", "has a DOCTYPE, which is never read"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "xml-dtd", "has a DOCTYPE, which is never read"),
        ("<a>" * (MAX_XML_NESTING + 1), "xml-nesting", f"elements are nested more than {MAX_XML_NESTING} deep"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, code: str, says: str, tmp_path: Path) -> None:
    path = tmp_path / "t.xml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InputError) as caught:
        read_xml(path)
    assert (caught.value.code, caught.value.where) == (code, str(path))
    assert caught.value.what.startswith(says)


def test_siblings_are_not_nested() -> None:
    deepest = "<b>" * (MAX_XML_NESTING - 1) + "</b>" * (MAX_XML_NESTING - 1)
    assert len(parse_xml(f"<a>{deepest * 3}</a>".encode(), "t.xml")) == 3


def test_a_large_document_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_XML_BYTES", 4)
    assert parse_xml(b"<a/>", "t.xml").tag == "a"
    (tmp_path / "t.xml").write_bytes(b"<ab/>")
    for read in (lambda: parse_xml(b"<ab/>", "t.xml"), lambda: read_xml(tmp_path / "t.xml")):
        with pytest.raises(InputError, match=r"t\.xml: too large \(bound 4 bytes\)"):
            read()
