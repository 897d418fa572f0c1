"""Marked values and tables are filled in, and nothing beside them; a marker that isn't whole is refused by its line."""

import pytest

from experiments import markers, pages
from sttest.core.errors import InputError

NAMES = {"speed": 1234.5, "best": "none of 4 fits; the fastest: 4096 lanes", "rows": "| a |\n| --- |\n| 1 |\n"}
NAMES["part"] = "0.7 <b>"


def filled(text):
    return markers.filled(text, lambda expression: eval(expression, dict(NAMES)), "some.md")


def test_a_value_is_filled_in_and_its_neighbors_stay():
    text = "It makes\n<span>old 7</span><!-- figure: speed as ,.0f -->/s (<span>1.5</span><!-- figure: best as s -->)."
    new = (
        "It makes\n<span>1,234</span><!-- figure: speed as ,.0f -->/s "
        "(<span>none of 4 fits; the fastest: 4096 lanes</span><!-- figure: best as s -->)."
    )
    assert filled(text) == new
    assert filled(new) == new


def test_a_value_may_be_in_a_cell_in_bold_and_behind_a_parenthesis():
    text = "| a | **<span>{0}</span><!-- figure: speed as .1f -->** | (<span>{0}</span><!-- figure: speed as .1f -->) |"
    assert filled(text.format("two words")) == text.format("1234.5")


def test_a_table_is_filled_in():
    text = "Before.\n\n<!-- table: rows -->\n{}<!-- end -->\n\nBehind.\n"
    assert filled(text.format("| old |\n")) == filled(text.format("")) == text.format(NAMES["rows"])


def test_a_block_of_code_stays():
    text = "```markdown\n<span>7</span><!-- figure: speed as .0f -->\n<!-- end -->\n```\n"
    assert filled(text) == text


@pytest.mark.parametrize(
    ("text", "line", "cause"),
    [
        ("Two\nand <!-- figure: speed as .0f -->.", 2, "belongs to no whole marker"),
        ("<!-- figure: speed as .0f -->7<!-- end -->", 1, "belongs to no whole marker"),
        ("Two\n\n<span>7</span> <!-- figure: speed as .0f -->", 3, "belongs to no whole marker"),
        ("<span>7</span> and more", 1, "belongs to no whole marker"),
        ("<span>7</span><!-- figure: speed -->", 1, "belongs to no whole marker"),
        ("<span>7</span><!-- figure: speed as\n.0f -->", 1, "belongs to no whole marker"),
        ("<span>7<!-- figure: speed as .0f -->", 1, "belongs to no whole marker"),
        ("<span>7</span><!--figure: speed as .0f -->", 1, "belongs to no whole marker"),
        ("\n<!-- table: rows -->\n| a |\n", 2, "belongs to no whole marker"),
        ("A <!-- table: rows -->\n| a |\n<!-- end -->\n", 1, "belongs to no whole marker"),
        ("| a |\n<!-- end -->\n", 2, "belongs to no whole marker"),
        ("\n\n<span>7</span><!-- figure: spede as .0f -->", 3, "NameError: name 'spede' is not defined"),
        ("<span>7</span><!-- figure: best as .0f -->", 1, "ValueError"),
        ("<!-- table: spede -->\n<!-- end -->", 1, "NameError"),
        ("<span>7</span><!-- figure: part as s -->", 1, "no value of a sentence"),
        ("<span>7</span><!-- figure: best[:0] as s -->", 1, "no value of a sentence"),
    ],
)
def test_what_is_no_marker_is_refused_by_page_and_line(text, line, cause):
    with pytest.raises(InputError) as refused:
        filled(text)
    assert refused.value.where == f"some.md:{line}"
    assert cause in str(refused.value)


def test_the_program_names_page_and_line(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("One\n<span>7</span><!-- figure: spede as .0f -->\n", encoding="utf-8")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "PAGES", (page,))
    assert pages.main() == 2
    assert capsys.readouterr().err.startswith("page.md:2: spede gives no value: NameError")


def test_the_program_fills_in_and_names_what_changed(tmp_path, monkeypatch, capsys):
    page = tmp_path / "page.md"
    page.write_text("<span>7</span><!-- figure: len(MODELS) as d -->\n", encoding="utf-8")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "PAGES", (page,))
    assert pages.main() == 0
    assert capsys.readouterr().out == "page.md\n"
    assert page.read_text(encoding="utf-8") == f"<span>{len(pages.MODELS)}</span><!-- figure: len(MODELS) as d -->\n"
