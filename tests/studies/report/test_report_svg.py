"""Drawings from files: what is harmless stays, the rest does not."""

import pytest

from sttest.core.errors import InputError
from sttest.studies.report.svg import figure_markup

HEAD = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="9" viewBox="0 0 9 9">'


def markup(tmp_path, inside, head=HEAD, name="figure.svg"):
    path = tmp_path / name
    path.write_text(f"{head}{inside}</svg>", encoding="utf-8")
    return figure_markup(path, "f1", "a title")


def test_ids_and_their_uses_get_a_prefix(tmp_path):
    made = markup(tmp_path, '<path id="a" d="M0 0" clip-path="url(#c)" style="fill: url(#g)"/><use xlink:href="#a"/>')
    assert 'id="f1-a"' in made
    assert 'clip-path="url(#f1-c)"' in made
    assert "fill:url(#f1-g)" in made
    assert 'href="#f1-a"' in made


def test_colors_follow_the_page(tmp_path):
    made = markup(
        tmp_path, '<path style="fill: #ffffff; stroke: #000000"/><path style="fill: #444444; stroke:#20639b"/>'
    )
    assert "fill:var(--paper);stroke:currentColor" in made
    assert "fill:light-dark(#444444,#bbbbbb);stroke:#20639b" in made


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '<g onload="alert(1)"><path d="M0 0"/></g>',
        "<foreignObject><body xmlns='http://www.w3.org/1999/xhtml'>x</body></foreignObject>",
        '<image href="https://example.org/x.png"/>',
        '<use xlink:href="https://example.org/x.svg#a"/>',
        '<a href="javascript:alert(1)"><text>x</text></a>',
        '<path style="fill: url(https://example.org/x)"/>',
        '<path fill="url(//example.org/x)"/>',
        '<path style="background: u\\72l(https://example.org)"/>',
        "<style>@import 'https://example.org';</style>",
        '<animate attributeName="href" to="javascript:alert(1)"/>',
    ],
)
def test_nothing_runs_or_loads(tmp_path, inside):
    made = markup(tmp_path, inside).lower()
    for word in ("script", "onload", "example.org", "foreignobject", "@import", "animate", "72l"):
        assert word not in made


def test_text_is_escaped(tmp_path):
    assert "<text>&lt;b&gt; &amp;</text>" in markup(tmp_path, "<text>&lt;b&gt; &amp;</text>")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<svg", "bad-xml"),
        (b"<html/>", "bad-figure"),
        (b"<svg/>", "bad-figure"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]><svg viewBox="0 0 1 1">&a;</svg>', "xml-dtd"),
        (b"<g>" * 100, "xml-nesting"),
    ],
)
def test_what_is_no_drawing_is_refused(tmp_path, content, code):
    path = tmp_path / "figure.svg"
    path.write_bytes(content)
    with pytest.raises(InputError) as refusal:
        figure_markup(path, "f", "t")
    assert refusal.value.code == code


def test_a_png_stands_in_the_page(tmp_path):
    path = tmp_path / "figure.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n...")
    assert figure_markup(path, "f", 'a "title"').startswith('<img src="data:image/png;base64,iVBORw0KGgo')
    path.write_bytes(b"<svg>")
    with pytest.raises(InputError):
        figure_markup(path, "f", "t")
