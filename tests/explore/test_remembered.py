"""A design that was found once is not looked for again, and nothing that it follows from may change unseen."""

from __future__ import annotations

import pytest

from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.explore import fitting
from sttest.explore.choice import chosen_design
from sttest.explore.remembered import place
from tests.explore.tiny_searches import two_products

SCHEME = "name: mine\nweights: int%d\n"


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache of its own."""
    monkeypatch.setenv("STTEST_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "choices"


def compiler(**given: object) -> StagedCompiler:
    return StagedCompiler(two_products(), "two", "u55c", **given)  # pyright: ignore[reportArgumentType]


def chosen():
    told: list[str] = []
    return chosen_design(compiler(), CompileOptions(), "best", None, told.append), told


def test_the_second_time_one_design_is_compiled_and_held_against_nothing(monkeypatch):
    first, tried = chosen()
    monkeypatch.setattr(fitting, "fit_of", lambda design: pytest.fail("predicted again"))
    second, told = chosen()
    assert (second.name, second.fit, second.tried) == (first.name, first.fit, first.tried)
    assert second.design.graph == first.design.graph
    assert (told, len(tried) > 1) == ([first.name], True)


@pytest.mark.parametrize("broken", ["", "{}", None])
def test_what_is_not_what_was_kept_is_looked_for_again(cache, broken):
    first, _ = chosen()
    (file,) = cache.iterdir()
    edited = file.read_text().replace('"lut":0.', '"lut":1.')
    assert edited != file.read_text()
    file.write_text(edited if broken is None else broken)
    again, _ = chosen()
    assert (again.name, again.fit) == (first.name, first.fit)
    assert "recipe" in file.read_text()


def test_a_cache_that_cannot_be_written_is_no_reason_to_fail(cache):
    cache.parent.mkdir()
    cache.write_text("no folder")
    assert chosen()[0].fit.fits


def test_whatever_a_choice_follows_from_has_a_place_of_its_own(tmp_path):
    scheme = tmp_path / "mine.yaml"
    scheme.write_text(SCHEME % 4)
    asked = CompileOptions(precision=str(scheme))
    places = [
        place(compiler(), CompileOptions(), None),
        place(compiler(), CompileOptions(budget="all"), None),
        place(compiler(), CompileOptions(share=CompileOptions().share), None),
        place(compiler(parameters=["a1"]), CompileOptions(), None),
        place(compiler(), asked, None),
    ]
    scheme.write_text(SCHEME % 8)
    places.append(place(compiler(), asked, None))
    assert len(set(places)) == len(places)
