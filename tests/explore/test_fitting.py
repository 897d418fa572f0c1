"""The design that is taken where nobody decides the lanes: it fits, few are tried, and what is asked for holds."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.placement import place
from sttest.core.errors import InputError
from sttest.explore import fitting
from sttest.explore.choice import chosen_design, read_choice
from sttest.explore.fitting import fitting_design
from sttest.explore.recipes import Block, Recipe, any_text_ladder, ladder
from sttest.frontend.shipped import lowered_text
from sttest.models.registry import model_config
from sttest.sim import simulate
from tests.explore.tiny_searches import two_products


def block(model: str = "small-gpt2", phase: str = "decode") -> Block:
    tokens, context = (1, 32) if phase == "decode" else (32, 0)
    return Block(model_config(model), phase, tokens, context)


def compiler(phase: str = "decode") -> StagedCompiler:
    return StagedCompiler(lowered_text("gpt2", phase, small=True), "small", "u55c")


def quiet(_text: str) -> None:
    pass


# --- The ladder


@pytest.fixture
def sizes(monkeypatch):
    """Designs of which nothing but a size is known: those of at most ``sizes.room`` fit."""
    asked = SimpleNamespace(room=0, tried=[])

    def made_by(_compiler, recipe, _options):
        asked.tried.append(recipe.others)
        if recipe.others > 900:
            raise InputError("impossible", "no such tile", where="here")
        return recipe.others

    def fit_of(size):
        return SimpleNamespace(fits=size <= asked.room, short_share=size / max(asked.room, 1))

    monkeypatch.setattr(fitting, "made_by", made_by)
    monkeypatch.setattr(fitting, "fit_of", fit_of)
    return asked


def rungs(*sizes: int):
    return [(f"size-{size}", Recipe(CompileOptions(), others=size)) for size in sizes]


ALL = tuple(range(800, 0, -50))


@pytest.mark.parametrize("room", [5000, 800, 799, 430, 51, 50])
def test_the_largest_that_fits_is_found_in_few_tries(sizes, room):
    sizes.room = room
    found = fitting_design(None, CompileOptions(), [rungs(*ALL)], quiet)
    assert found.recipe == f"size-{max(size for size in ALL if size <= room)}"
    assert sizes.tried[0] == 800, "the fastest is tried first"
    assert len(sizes.tried) <= 6
    assert found.tried <= len(sizes.tried)


def test_a_recipe_that_cannot_be_made_counts_as_too_large(sizes):
    sizes.room = 5000
    assert fitting_design(None, CompileOptions(), [rungs(1000, 950, 920, 800, 100)], quiet).recipe == "size-800"


def test_the_next_ladder_is_taken_where_nothing_of_the_first_fits(sizes):
    sizes.room = 40
    assert fitting_design(None, CompileOptions(), [rungs(800, 100), rungs(60, 40, 20)], quiet).recipe == "size-40"


def test_where_nothing_fits_the_nearest_is_given_and_does_not_claim_to(sizes):
    sizes.room = 10
    found = fitting_design(None, CompileOptions(), [rungs(800, 100), rungs(60, 40, 20)], quiet)
    assert (found.recipe, found.fit.fits, found.tried) == ("size-20", False, len(sizes.tried))


def test_where_nothing_can_be_made_the_reason_is_the_last_refusal(sizes):
    with pytest.raises(InputError, match="no such tile"):
        fitting_design(None, CompileOptions(), [rungs(1000, 950)], quiet)


@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_lanes_fall_along_a_ladder(phase):
    for model in ("small-gpt2", "smollm2-135m", "gpt2", "llama-3.1-8b"):
        lanes = [int(name.split("-")[1]) for name in ladder(block(model, phase), CompileOptions())]
        assert lanes == sorted(lanes, reverse=True), model
        assert lanes[-1] <= 64


# --- What is chosen


@pytest.mark.daily
@pytest.mark.slow
@pytest.mark.parametrize("phase", ["decode", "prefill"])
def test_the_best_design_of_a_small_model_fits_every_slr_and_beats_the_defaults(phase):
    staged = compiler(phase)
    best = chosen_design(staged, CompileOptions(), "best", block(phase=phase), quiet)
    assert (best.origin, best.fit.fits, best.tried <= 6) == ("recipe", True, True)
    for shares in (*best.fit.slrs, *(vars(each) for each in place(best.design).partition.shares)):
        assert max(shares.values()) <= 1
    default = chosen_design(staged, CompileOptions(), "default", block(phase=phase), quiet)
    assert (default.origin, default.fit.fits) == ("default", False)
    # In decode it is faster as well; a prompt's defaults have more lanes than the board has room for.
    assert phase == "prefill" or simulate(best.design.graph).cycles < simulate(default.design.graph).cycles


def test_whoever_gives_lanes_decides_them():
    asked = CompileOptions(first_lanes=8)
    found = chosen_design(compiler(), asked, "best", block(), quiet)
    assert (found.origin, found.design.options.overall_unroll, found.design.options.flow) == ("options", 4096, "hls")


def test_options_that_are_given_hold_over_those_of_the_design():
    asked = CompileOptions(vector_bits=64, precision="w8a8", flow="hls")
    found = chosen_design(compiler(), asked, "best", block(), quiet)
    options = found.design.options
    assert (options.vector_bits, options.precision, options.flow, found.origin) == (64, "w8a8", "hls", "recipe")
    assert found.fit.fits


def test_a_text_of_which_nothing_is_known_has_a_design_too():
    found = chosen_design(StagedCompiler(two_products(), "two", "u55c"), CompileOptions(), "best", None, quiet)
    assert (found.fit.fits, found.name in any_text_ladder(CompileOptions())) == (True, True)


def test_a_file_of_options_is_the_design_that_it_says(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("options: {share: all, gemv_lanes: 256, lanes: {mlp_act: 4}}\n", encoding="utf-8")
    found = chosen_design(compiler(), CompileOptions(), read_choice(str(path)), block(), quiet)
    assert (found.origin, found.name, found.design.options.share) == ("file", str(path), "all")
    assert "mlp_act:4" in found.design.options.lanes


@pytest.mark.parametrize(("text", "told"), [("bset", "did you mean 'best'?"), ("none.yaml", "none.yaml")])
def test_what_is_no_design_is_refused_by_name(text, told):
    with pytest.raises(InputError) as caught:
        read_choice(text)
    assert told in str(caught.value)


def test_fewer_lanes_than_there_can_be_are_the_next_fewer(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("options: {gemv_lanes: 256, lanes: {mlp_act: 7, attn_softmax: 100000}}\n", encoding="utf-8")
    found = chosen_design(compiler(), CompileOptions(), read_choice(str(path)), block(), quiet).design.adaptation
    assert "mlp_act:4" in found.smaller
