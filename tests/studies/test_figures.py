"""Figures: one color per meaning, names that people use, and nothing but what the committed tables hold."""

import errno
import itertools
import os
import re
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath

from experiments.figures import figure_of
from sttest.core.errors import InputError
from sttest.studies.figures import STYLES, Bar, Bars, Lines, Series, draw, save_figure
from sttest.studies.report.read import read_results

RESULTS = Path(__file__).parents[2] / "results"
FIGURES = sorted(RESULTS.glob("*/*.svg"))
SVG = "{http://www.w3.org/2000/svg}"


def texts_of(path):
    """Every text of a drawing, as it is read."""
    return ["".join(each.itertext()).strip() for each in Xml.parse(path).iter(f"{SVG}text")]


def test_a_figure_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    def half(_, path, **__):
        Path(path).write_bytes(b"%PDF")
        raise OSError(errno.ENOSPC, "No space left on device")

    (tmp_path / "f.pdf").write_text("older")
    monkeypatch.setattr(Figure, "savefig", half)
    with pytest.raises(OSError, match="No space"):
        save_figure(Figure(), tmp_path / "f.pdf")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"f.pdf": "older"}


@pytest.mark.timeout(60)
def test_a_figure_is_not_written_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "f.pdf")
    with pytest.raises(InputError, match=r"f\.pdf: cannot be written: it is a named pipe"):
        save_figure(Figure(), tmp_path / "f.pdf")


@pytest.mark.parametrize("path", FIGURES, ids=lambda path: path.parent.name)
def test_committed_figures_have_names_that_people_use(path):
    texts = texts_of(path)
    assert len(texts) > 8
    for text in texts:
        assert not re.search(r"\b[a-z]+(_[a-z0-9]+)+\b|\b(bits|board|options)\.\w|\w=\w", text), text


@pytest.mark.parametrize("name", ["gpt2", "boards", "clock", "fusion", "explore-gpt2-prefill"])
def test_committed_figures_are_what_their_tables_draw(name, tmp_path):
    (found,) = read_results(RESULTS, [name])
    drawn = figure_of(found, RESULTS / name)
    assert drawn is not None
    drawn.write(found.rows, lambda file: tmp_path / file)
    assert texts_of(tmp_path / f"{drawn.stem}.svg") == texts_of(RESULTS / name / f"{drawn.stem}.svg")


def test_every_result_with_a_figure_can_be_drawn_again():
    for path in FIGURES:
        (found,) = read_results(RESULTS, [path.parent.name])
        drawn = figure_of(found, path.parent)
        assert drawn is not None, path
        assert drawn.stem == path.stem


def test_bars_say_their_values_and_meanings_have_their_colors(tmp_path):
    bars = [
        Bar("theirs", 12.34, "published"),
        Bar("ours", 1234.5),
        Bar("too large", 3.0, fits=False),
        Bar("none", None),
    ]
    draw([Bars("", "Speed (tokens/s)", bars)], tmp_path / "figure.svg")
    text = (tmp_path / "figure.svg").read_text(encoding="utf-8")
    for shown in ("theirs", "12.3", "1,234", "no such design", "Speed (tokens/s)"):
        assert shown in texts_of(tmp_path / "figure.svg")
    assert STYLES["published"][0] in text
    assert STYLES["simulated"][0] in text
    assert "pattern" in text, "what does not fit is hatched"


def test_lines_have_their_names_beside_them_and_none_on_another(tmp_path):
    lines = [Series(f"line {number}", [(1, 1.0), (10, 5 + 0.01 * number)]) for number in range(4)]
    draw([Lines("", "Tokens", "Speed (tokens/s)", lines, "x")], tmp_path / "figure.svg")
    places = {}
    for each in Xml.parse(tmp_path / "figure.svg").iter(f"{SVG}text"):
        name = "".join(each.itertext()).strip()
        if name.startswith("line "):
            numbers = re.findall(r"[-\d.]+", each.get("transform", "") or f"{each.get('x')} {each.get('y')}")
            places[name] = [float(number) for number in numbers]
    assert len(places) == 4
    heights = sorted(place[-1] for place in places.values())
    assert min(high - low for low, high in itertools.pairwise(heights)) > 7, "a line of text apart"


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_figure_is_the_same_file(tmp_path, suffix):
    for name in ("one", "two"):
        draw([Bars("", "x", [Bar("a", 1.0)])], tmp_path / f"{name}.{suffix}", "title")
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


def test_a_name_stands_where_its_line_ends_on_the_right(tmp_path):
    falling = [(32, 1.0), (8, 10.0), (2, 100.0)]
    draw(
        [Lines("", "Bits", "Speed", [Series("falling", falling), Series("level", [(2, 50.0), (32, 50.0)])])],
        tmp_path / "figure.svg",
    )
    heights = {
        "".join(each.itertext()).strip(): float(re.findall(r"[-\d.]+", each.get("transform") or f"{each.get('y')}")[-1])
        for each in Xml.parse(tmp_path / "figure.svg").iter(f"{SVG}text")
    }
    assert heights["falling"] > heights["level"], "further down, as its last point is"


def places_of(path):
    """Where every text of a drawing begins, in points from the left."""
    return {
        "".join(each.itertext()).strip(): float(re.findall(r"[-\d.]+", each.get("transform"))[-2])
        for each in Xml.parse(path).iter(f"{SVG}text")
    }


def test_a_title_longer_than_its_panel_is_not_cut(tmp_path):
    title, names = "A model with a name, a unit per task", [Bar("a memory whose name is long", 1.0)]
    draw([Bars("short", "x", names), Bars(title, "x", names)], tmp_path / "figure.svg", columns=2)
    places, letters = places_of(tmp_path / "figure.svg"), FontProperties(weight="bold")
    width = TextPath((0, 0), title, 9.5, prop=letters).get_extents().width
    assert places[title] + width <= 8.6 * 72
    assert places[title] > places["short"] + 200


def test_a_value_that_ends_at_its_bound_stands_behind_it(tmp_path):
    draw(
        [Bars("", "x", [Bar("a", 90.0, bound=99.0), Bar("b", 91.0), Bar("c", 21.0, bound=80.0)])],
        tmp_path / "figure.svg",
    )
    places = places_of(tmp_path / "figure.svg")
    assert places["90"] > places["91"] + 20
    assert places["91"] > places["21"] + 250


@pytest.mark.parametrize(("largest", "columns", "named"), [(5000, 2, True), (30000, 2, False), (30000, 1, True)])
def test_marks_between_powers_of_ten_are_named_where_there_is_room(tmp_path, largest, columns, named):
    panel = Lines("", "x", "y", [Series("a", [(60, 1.0), (largest, 2.0)])], "x")
    draw([panel, panel], tmp_path / "figure.svg", columns=columns)
    between, powers = {"200", "500", "2,000"}, {"100", "1,000"}
    assert {*texts_of(tmp_path / "figure.svg")} & (between | powers) == (between | powers if named else powers)
