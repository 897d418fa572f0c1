"""What a study may say, what is refused, and what its points are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.studies.whatif.outcome import StudyOutcome, fastest
from sttest.studies.whatif.points import points_of
from sttest.studies.whatif.study import STUDIES, load_study, study_names
from tests.explore.tiny_searches import two_products

POINTS_SIMULATED = {
    "batch": (60, 60),
    "bits": (384, 384),
    "boards": (90, 90),
    "clock": (50, 50),
    "context": (60, 42),
    "hbm-bandwidth": (180, 180),
    "hbm-channels": (90, 90),
    "launch": (16, 16),
    "precision": (56, 56),
    "speculation": (72, 72),
}
"""Points of each shipped study, and those that a block can be asked for: the models' longest contexts (1024, 2048,
32768) leave 5, 6 and 10 of the ten contexts."""


def points(tmp_path: Path, text: str):
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    return points_of(load_study(path), tmp_path)


@pytest.mark.parametrize("name", study_names())
def test_shipped_studies_have_their_points(name):
    found = points_of(load_study(STUDIES / f"{name}.yaml"), STUDIES)
    assert (len(found), sum(point.block is not None for point in found)) == POINTS_SIMULATED[name]
    assert all(point.refusal for point in found if point.block is None)


def test_every_bandwidth_of_the_shipped_study_names_its_source():
    assert all(value.source for value in load_study(STUDIES / "hbm-bandwidth.yaml").axes["board.hbm.bandwidth"])


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("title: x\naxis: {context: [64]}", "did you mean 'axes'?"),
        ("title: x\naxes: {contxt: [64]}", "did you mean 'context'?"),
        ("title: x\naxes: {board.memory.hbm.psuedo_channels: [8]}", "did you mean 'pseudo_channels'?"),
        ("title: x\naxes: {board.memory: [8]}", "leads to no quantity"),
        ("title: x\naxes: {board.clock_mhz: [-5]}", "greater than or equal to 0"),
        ("title: x\naxes: {board.hbm.channels: [0]}", "greater than 0"),
        ("title: x\naxes: {board.clock_mhz: [fast]}", "'fast' is not a number"),
        ("title: x\naxes: {board: [u5c]}", "did you mean 'u55c'?"),
        ("title: x\naxes: {model: [gtp2]}", "did you mean 'gpt2'?"),
        ("title: x\naxes: {phase: [decoding]}", "did you mean 'decode'?"),
        ("title: x\naxes: {context: [1.5]}", "give a whole number"),
        ("title: x\naxes: {options.tile_sise: [16]}", "did you mean 'options.tile_size'?"),
        ("title: x\naxes: {launch: [qeued_us]}", "did you mean 'queued_us'?"),
        ("title: x\naxes: {launch: [.nan]}", "no finite number in plain digits"),
        ("title: x\naxes: {launch: [-1]}", "give microseconds of at least 0"),
        ("title: x\naxes: {context: [yes]}", "neither a word nor a finite number"),
        ("title: x\naxes: {context: 64}", "axis 'context' is not a list of values"),
        ("title: x\naxes: {context: []}", "axis 'context' is not a list of values"),
        ("title: x\naxes: {context: [64]}\nbase: {context: 64}", "is in the base and an axis"),
        ("title: x\naxes: {context: [64]}\nx: contxt", "did you mean 'context'?"),
        ("title: x\naxes: {context: [64]}\nbest_of: contxt", "best_of is 'contxt', which is no axis"),
        ("title: x\naxes: {fast: [{value: a, settings: {options.share: all}}]}", "say 'best_of: fast' if they are"),
        (
            "title: x\naxes: {d: [{value: a, settings: {options.sharing: all}}]}\nbest_of: d",
            "did you mean 'options.share'?",
        ),
        ("title: x\naxes: {context: [64]}\ncompiled_for: {board.clock_mhz: 100}", "cannot be held"),
        ("title: x\naxes: {context: [{value: 64, sauce: y}]}", "did you mean 'source'?"),
        ("title: x\naxes: {context: [64], precision: [w4a8]}\nbase: {bits.kv: 8}", "precision and bits are both set"),
        ("title: x\naxes: {batch: [1.5]}", "give a whole number"),
        ("title: !!python/object/apply:os.system [ls]\naxes: {context: [64]}", "could not determine a constructor"),
    ],
)
def test_what_is_wrong_is_named_before_anything_runs(tmp_path, text, told):
    with pytest.raises(InputError) as caught:
        points(tmp_path, text)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bandwidth_is_shared_out_over_the_channels(tmp_path):
    text = "title: x\naxes: {board.hbm.bandwidth: [64, 3200]}\nbase: {board.hbm.channels: 16}"
    slow, fast = (point.block.board for point in points(tmp_path, text))
    assert slow.hbm.peak_gb_per_s_per_channel.value == 4
    assert slow.hbm.sustained_gb_per_s_per_channel.value == pytest.approx(4 * 13.2 / 14.375)
    assert slow.hbm.axi_ports.count == 16
    assert fast.hbm.axi_port_gb_per_s == pytest.approx(200), "a port must not hide what its channel can do"
    assert "before: 14.375 GB/s" in slow.hbm.peak_gb_per_s_per_channel.source


def test_values_keep_their_source(tmp_path):
    text = "title: x\naxes: {board.clock_mhz: [{value: 200, source: a book, kind: published}]}"
    (point,) = points(tmp_path, text)
    assert (point.block.board.clock_mhz.source, point.block.board.clock_mhz.kind) == ("a book", "published")


def test_a_board_may_lie_beside_the_study(tmp_path):
    (tmp_path / "slow.yaml").write_text("extends: u55c\nclock_mhz: {value: 100}\n", encoding="utf-8")
    (point,) = points(tmp_path, "title: x\naxes: {board: [slow.yaml]}")
    assert (point.block.board.clock_mhz.value, point.label) == (100, "slow")


def test_a_held_design_is_compiled_for_one_memory(tmp_path):
    text = "title: x\naxes: {board.hbm.bandwidth: [64, 128]}\ncompiled_for: {board.hbm.bandwidth: 32}"
    assert {point.block.design_board.peak_bandwidth_gb_per_s for point in points(tmp_path, text)} == {32}


def test_a_study_says_which_arguments_of_a_text_are_weights(tmp_path):
    (tmp_path / "two.mlir").write_text(two_products())
    text = "title: x\nbase: {model: two.mlir, precision: w8a8}\naxes: {parameters: ['a1,a2', a1]}"
    both, one = (point.block.text for point in points(tmp_path, text))
    assert '["input", "parameter", "parameter"]' in both
    assert '["input", "parameter", "input"]' in one
    with pytest.raises(InputError, match="the text has no argument 'a9'"):
        points(tmp_path, "title: x\nbase: {model: two.mlir}\naxes: {parameters: [a9]}")
    with pytest.raises(InputError, match="a model knows its weights"):
        points(tmp_path, "title: x\nbase: {model: small-gpt2}\naxes: {parameters: [a1]}")


DESIGNS = """
title: x
best_of: design
base: {model: small-gpt2, context: 32}
axes:
  design: [{value: plain}, {value: shared, settings: {options.share: all, context: 16}}]
  board.clock_mhz: [100, 200]
"""


def test_a_design_is_its_settings_over_the_base(tmp_path):
    found = points(tmp_path, DESIGNS)
    shares = {(point.label, point.block.options.share, point.block.context) for point in found}
    assert shares == {
        ("plain, clock_mhz=100", "none", 32),
        ("plain, clock_mhz=200", "none", 32),
        ("shared, clock_mhz=100", "all", 16),
        ("shared, clock_mhz=200", "all", 16),
    }


def test_the_fastest_design_is_a_point_of_its_own(tmp_path):
    found = points(tmp_path, DESIGNS)
    path = tmp_path / "study.yaml"
    cycles = [100, 100, None, 50]
    outcomes = [
        StudyOutcome.of(point if each else replace(point, refusal="no design"), {"cycles": each, "clock_mhz": 100.0})
        for point, each in zip(found, cycles, strict=True)
    ]
    best = fastest(outcomes, load_study(path))
    assert [(each.point.label, each.simulated["cycles"]) for each in best] == [
        ("best, clock_mhz=100", 100),
        ("best, clock_mhz=200", 50),
    ]
    assert [each.point.axes["design"].source for each in best] == [
        "none of 1 fits; the fastest: plain",
        "none of 2 fits; the fastest: shared",
    ]


def test_too_many_points_are_refused(tmp_path):
    values = list(range(1, 400))
    with pytest.raises(InputError, match="too many points"):
        points(tmp_path, f"title: x\naxes: {{context: {values}, tokens: {values}}}")
