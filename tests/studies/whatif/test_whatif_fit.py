"""Whether a design fits: as `sttest compile` says, the fullest resource by name, and the best of those that fit."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit, fit_of, together
from sttest.compile.resources.placement import place
from sttest.core.errors import DoesNotFitError, InputError, note_renamed
from sttest.core.results import table_rows
from sttest.explore.found import read_design_file
from sttest.frontend.shipped import lowered_text
from sttest.studies.whatif.figure import axis_name, panels
from sttest.studies.whatif.outcome import BEST, StudyOutcome, fastest
from sttest.studies.whatif.points import points_of
from sttest.studies.whatif.report import COLUMNS, StudyReport, rows_of
from sttest.studies.whatif.settings import full_key
from sttest.studies.whatif.study import load_study

SHARES = {"dsp": 0.5, "lut": 0.87, "ff": 0.2, "bram18": 0.1, "uram": 0.0}
FITS = Fit("tight", "hls", SHARES)
OVER = Fit("tight", "hls", {**SHARES, "lut": 1.45}, "LUT", 1.45, "board-resources", "more LUTs than the budget")
STUDY = """
title: x
best_of: design
base: {model: small-gpt2, context: 32}
axes:
  design: [{value: spatial}, {value: large, settings: {options.share: all}}]
  board.clock_mhz: [100, 200]
"""


@cache
def design() -> CompiledDesign:
    """A shared unit, for even the small model's default design is beyond the budget."""
    text = lowered_text("gpt2", "decode", small=True)
    return compile_text(text, "small", require_hbm(load_board("u55c")), CompileOptions(share="all", gemv_lanes=64))


def on_logic(one: CompiledDesign, **fabric: object) -> CompiledDesign:
    """The design on a board with another logic."""
    return replace(one, board=one.board.model_copy(update={"fabric": one.board.fabric.model_copy(update=fabric)}))


def luts_of_ports() -> float:
    """LUTs of the switch before the pseudo-channels that the design works on."""
    ports = {channel for node in place(design()).taken.nodes for channel in node.hbm_channels}
    return len(ports) * design().board.fabric.hbm_port_lut.value


def test_a_design_that_fits_is_one_that_can_be_placed():
    found, taken = fit_of(design()), place(design()).taken.total
    assert (found.fits, found.code, found.budget, found.flow) == (True, "", "tight", "hls")
    assert found.to_text() == f"yes {100 * found.share:.0f} % LUT"
    # By hand: 60 % of the LUTs that shell and HBM switch leave of three SLRs.
    left = sum(slr.lut.count for slr in design().board.fabric.slrs) - luts_of_ports()
    assert found.share == pytest.approx(taken.lut / (0.6 * left))


def test_a_design_that_does_not_fit_says_by_what():
    slr, taken = design().board.fabric.slrs[0], place(design()).taken.total
    luts = luts_of_ports() + taken.lut / 0.6 / 2
    small = slr.model_copy(update={"lut": slr.lut.model_copy(update={"value": luts})})
    narrow = on_logic(design(), slrs=(small,))
    found = fit_of(narrow)
    with pytest.raises(DoesNotFitError) as refused:
        place(narrow)
    assert (found.fits, found.code, found.why) == (False, refused.value.code, str(refused.value))
    assert found.to_text() == "no 200 % LUT"


@pytest.mark.parametrize(
    ("short", "share", "code", "text"),
    [
        ("LUT/process", 1.2, "process-resources", "no 120 % LUT/process"),
        ("HBM ports", 1.5, "hbm-ports", "no 150 % HBM ports"),
        ("split over SLRs", None, "no-partition", "no split over SLRs"),
        ("URAM", None, "board-resources", "no URAM"),
    ],
)
def test_what_is_short_is_named(short, share, code, text):
    assert Fit("tight", "hls", SHARES, short, share, code, "why").to_text() == text


def test_plain_data_come_back_and_have_no_infinity():
    none = replace(OVER, shares={**SHARES, "uram": None})
    assert Fit.of(json.loads(json.dumps(none.to_dict(), allow_nan=False))) == none
    assert (none.fullest, none.share) == ("uram", None)


def test_designs_on_a_board_at_the_same_time_add_up():
    both = together([FITS, FITS])
    assert (both.fits, both.share, both.to_text()) == (False, 1.74, "no 174 % LUT")
    assert together([FITS]) == FITS
    assert not together([replace(FITS, shares=dict.fromkeys(SHARES, 0.1)), replace(OVER, shares=SHARES)]).fits


def outcomes(tmp_path: Path, fits: list[Fit], cycles: list[int]):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY, encoding="utf-8")
    study = load_study(path)
    bounds = {"memory_us": 1.0, "compute_us": 1.0, "chain_us": 1.0}
    plain = {
        "clock_mhz": 100.0,
        "bounds": bounds,
        "moved_bytes": 1,
        "layers": 1,
        "design": "default options",
        "gains": {"bandwidth": 0.03, "ports": 0.0, "lanes": 0.06, "latency": 0.01, "clock": 0.08},
    }
    found = [
        StudyOutcome.of(point, {**plain, "cycles": each, "fit": fit.to_dict()})
        for point, fit, each in zip(points_of(study, tmp_path), fits, cycles, strict=True)
    ]
    return study, found


def test_the_best_design_is_one_that_fits(tmp_path):
    # spatial at 100 and 200 MHz, then large, which is twice as fast and fits at 200 MHz only
    study, found = outcomes(tmp_path, [FITS, FITS, OVER, FITS], [1000, 1000, 500, 500])
    assert [each.label for each in fastest(found, study)] == [
        "best (spatial), clock_mhz=100",
        "best (large), clock_mhz=200",
    ]
    assert fastest(found, study)[0].point.axes["design"].source == "the fastest of those that fit, 1 of 2: spatial"


def test_where_none_fits_the_row_says_so_and_names_the_fastest(tmp_path):
    study, found = outcomes(tmp_path, [OVER, FITS, OVER, FITS], [1000, 1000, 500, 500])
    none, _ = fastest(found, study)
    assert none.point.axes["design"].value == BEST
    assert none.point.axes["design"].source == "none of 2 fits; the fastest: large"
    report = StudyReport("x", study, "maxplus", found)
    line = dict(zip(COLUMNS, list(report.lines())[4], strict=True))
    assert (line["point"], line["fits"]) == ("best (large), clock_mhz=100", "no 145 % LUT")
    assert "2 of 4 points are predicted to fit the budget: tight (hls)" in report.fit_lines()


def test_tables_and_json_name_budget_resource_and_share(tmp_path):
    study, found = outcomes(tmp_path, [FITS, OVER, FITS, FITS], [1000, 1000, 500, 500])
    report = StudyReport("x", study, "maxplus", found)
    report.write(tmp_path / "x")
    rows = {row["metric"]: row for row in table_rows(tmp_path / "x" / "table.csv")}
    fits, fullest = (rows[f"{metric} [spatial, clock_mhz=200]"] for metric in ("fits", "fullest resource"))
    assert (fits["value"], fits["unit"], fits["kind"]) == ("0.0", "count", "derived")
    assert fits["note"] == "1 yes, 0 no; budget tight, flow hls; more LUTs than the budget"
    assert (fullest["value"], fullest["unit"], fullest["kind"]) == ("1.45", "ratio", "derived")
    assert fullest["note"] == "LUT; budget tight, flow hls; predicted"
    over = report.to_dict()["points"][1]
    assert (over["fits"]["fits"], over["fits"]["shares"]["lut"], over["fullest"]) == (
        False,
        1.45,
        {"resource": "lut", "share": 1.45},
    )
    picture = (tmp_path / "x" / "figure.svg").read_text(encoding="utf-8")
    assert "Hollow or hatched: does not fit." in picture
    assert "Clock of the kernels (MHz)" in picture


def test_points_that_do_not_fit_are_hollow(tmp_path):
    study, found = outcomes(tmp_path, [FITS, OVER, FITS, OVER], [1000, 1000, 500, 500])
    (lines,) = panels(study, list(rows_of("x", "maxplus", [*found, *fastest(found, study)], [], "MHz")))
    drawn = {each.label: each.hollow for each in lines.series if each.label}
    assert drawn == {"a unit per task": [False, True], "best design": [False, True]}


def test_a_result_from_before_there_was_a_fit_has_none(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY, encoding="utf-8")
    point, *_ = points_of(load_study(path), tmp_path)
    assert StudyOutcome.of(point, {"cycles": 1, "clock_mhz": 100.0}).fit is None


@pytest.mark.parametrize("key", ["board.clock_mhz", "board.memory.hbm.kernel_read_ns", "options.tile_size", "tokens"])
def test_axes_have_names_in_words(key):
    assert axis_name(key)[0].isupper()
    assert not any(mark in axis_name(key) for mark in "._")


# --- Designs that were found


def found_points(tmp_path: Path, axes: str, base="context: 64, precision: w4a8"):
    path = tmp_path / "study.yaml"
    path.write_text(f"title: x\nbase: {{{base}}}\naxes: {axes}\n", encoding="utf-8")
    return points_of(load_study(path), tmp_path)


@pytest.mark.parametrize("key", ["design", "knobs_from"])
def test_a_design_that_was_found_runs_as_many_layers_as_it_was_found_for(tmp_path, key):
    (point,) = found_points(tmp_path, f"{{{key}: [tight]}}")
    assert (point.block.choice.name, point.block.options.given) == ("gpt2-decode-tight", {"layers": 24})


def test_without_a_word_on_the_design_it_is_the_best(tmp_path):
    (point,) = found_points(tmp_path, "{context: [64]}".replace("context", "tokens"))
    assert (point.block.choice, point.block.options.given) == ("best", {"layers": 24})


def test_whoever_sets_lanes_has_the_defaults_of_the_other_options(tmp_path):
    (point,) = found_points(tmp_path, "{options.gemv_lanes: [512]}")
    assert point.block.options.given == {"gemv_lanes": 512}


def test_what_a_study_sets_goes_over_the_options_of_the_file(tmp_path):
    (point,) = found_points(tmp_path, "{design: [tight], options.layers: [2], options.keep_kib: [4]}")
    assert point.block.options.given == {"layers": 2, "buffer_rereads_kib": 4}


def test_switches_of_the_compiler_are_0_and_1(tmp_path):
    off, on = found_points(tmp_path, "{options.flatten_bottleneck_loops: [0, 1]}")
    assert (off.block.options.flatten_bottleneck_loops, on.block.options.flatten_bottleneck_loops) == (False, True)
    with pytest.raises(InputError, match="flatten_bottleneck_loops"):
        found_points(tmp_path, "{options.flatten_bottleneck_loops: [2]}")


def test_a_model_for_which_none_was_found_is_a_row_that_says_so(tmp_path):
    found, none = found_points(tmp_path, "{model: [llama, llama-3.2-1b], design: [all]}")
    assert found.block is not None
    assert none.block is None
    assert "no design was found for llama-3.2-1b, decode, within the budget all" in none.refusal


def test_a_design_of_ones_own_lies_beside_the_study(tmp_path):
    (tmp_path / "mine.yaml").write_text("options: {share: all, lanes: {mlp_fc1: 64}}\n", encoding="utf-8")
    (point,) = found_points(tmp_path, "{model: [small-gpt2], design: [mine.yaml]}")
    options = point.block.choice.file.compile_options("mine.yaml")
    assert (point.block.choice.name, options.share, options.lanes) == ("mine.yaml", "all", ("mlp_fc1:64",))


@pytest.mark.parametrize(
    ("file", "named", "told"),
    [
        ("", "tigth", "did you mean 'tight'?"),
        ("options: {sharing: all}", "mine.yaml", "did you mean 'share'?"),
        ("option: {share: all}", "mine.yaml", "did you mean 'options'?"),
        ("options: {precision: w4a8}", "mine.yaml", "set precision: w4a8"),
        ("", "missing.yaml", "missing.yaml"),
    ],
)
def test_what_is_wrong_with_such_a_file_is_said_in_one_line(tmp_path, file, named, told):
    if file:
        (tmp_path / "mine.yaml").write_text(f"{file}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        found_points(tmp_path, f"{{model: [small-gpt2], design: [{named}]}}", "context: 64")
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


# --- What was written before options were called so


def test_a_study_that_says_knobs_means_options_and_is_told_so(tmp_path, capsys):
    note_renamed.cache_clear()
    (point,) = found_points(
        tmp_path, "{knobs.share: [all]}\nx: knobs.share", "context: 64, knobs.gemv_lanes: 512, knobs.keep_kib: 4"
    )
    assert point.block.options.given == {"share": "all", "gemv_lanes": 512, "buffer_rereads_kib": 4}
    assert capsys.readouterr().err.count("note: 'knobs.NAME' is called 'options.NAME' now") == 1
    assert load_study(tmp_path / "study.yaml").x_axis == "options.share"
    assert full_key("knobs.tile_size") == full_key("tile_size") == "options.tile_size"


def test_a_design_file_that_says_knobs_is_read(tmp_path, capsys):
    note_renamed.cache_clear()
    path = tmp_path / "mine.yaml"
    path.write_text("knobs: {share: all, lanes: {mlp_fc1: 64}}\n", encoding="utf-8")
    assert read_design_file(path).compile_options("mine.yaml").lanes == ("mlp_fc1:64",)
    assert "note: 'knobs' is called 'options' now" in capsys.readouterr().err
    path.write_text("knobs: {share: all}\noptions: {share: all}\n", encoding="utf-8")
    read_design_file.cache_clear()
    with pytest.raises(InputError, match="unknown key 'knobs'"):
        read_design_file(path)
