"""Garbage in the place of padding: where it goes, that it changes nothing, and that a reader of padding is noticed."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sttest.core.errors import SttestError
from sttest.crosscheck.case import WeightSource
from sttest.crosscheck.crosscheck import crosscheck
from sttest.crosscheck.engines import Values, run_csim, run_reference
from sttest.crosscheck.padding import PoisonedCase, hidden_elements, unread_bytes
from sttest.crosscheck.text_case import make_text_case
from sttest.models.program import BlockShape
from sttest.models.tables import decode_inputs
from sttest.package import DesignPackage
from sttest.reference import images_of, run
from sttest.reference.memory import read_argument
from sttest.runtime import design_memory

pytestmark = pytest.mark.torch

# Five elements of a row, and five rows: neither fills a word of 64 bytes.
ODD = """
#m = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d1)>
func.func @odd(%x: tensor<5x5xf32>, %w: tensor<5xf32>) -> tensor<5x5xf32>
    attributes {sttest.arg_kinds = ["input", "parameter"], sttest.arg_names = ["x", "w"]} {
  %e = tensor.empty() : tensor<5x5xf32>
  %y = linalg.generic {indexing_maps = [#m, #r, #m], iterator_types = ["parallel", "parallel"]}
     ins(%x, %w : tensor<5x5xf32>, tensor<5xf32>) outs(%e : tensor<5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> tensor<5x5xf32>
  return %y : tensor<5x5xf32>
}
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory) -> DesignPackage:
    from sttest.studies.compile_request import Request, compile_package

    folder = tmp_path_factory.mktemp("odd")
    (folder / "odd.mlir").write_text(ODD, encoding="utf-8")
    compile_package(Request(str(folder / "odd.mlir"), work_dir=folder / "package"))
    return DesignPackage.read(folder / "package")


@pytest.fixture
def weak_mask(monkeypatch):
    """A mask that hides zeros, which the host puts there, but not what else may lie there."""

    def inputs(*arguments, **named):
        found = decode_inputs(*arguments, **named)
        return {name: np.maximum(table, -1000) if "mask" in name else table for name, table in found.items()}

    monkeypatch.setattr(design_memory, "decode_inputs", inputs)


def ladder(design, case, tmp_path, engines=("torch", "reference")):
    return crosscheck(design.package, case, tmp_path, engines)


def poisoned(design, case=None) -> PoisonedCase:
    return PoisonedCase(case or design.case, design.package.reference_graph)


# --- Where it is


def test_rows_of_a_short_prompt_are_hidden(design_of):
    design = design_of("small-gpt2", "prefill")
    found = hidden_elements(design.package.reference_graph, design.case)
    assert list(found) == ["x"]
    assert found["x"].shape == (32, 64)
    assert found["x"][:5].all()
    assert not found["x"][5:].any()


def test_positions_that_no_token_has_are_hidden(design_of):
    design = design_of("small-gpt2", "decode")
    found = hidden_elements(design.package.reference_graph, design.case)
    assert set(found) == {"k_cache", "k_cache_scale", "v_cache", "v_cache_scale"}
    for where in found.values():
        assert where[:, :5].all()
        assert not where[:, 5:].any()


def test_a_prompt_as_long_as_the_design_has_none(design_of):
    design = design_of("small-gpt2", "decode")
    cache = tuple(
        side._replace(**{n: _longer(getattr(side, n)) for n in side._fields}) for side in design.case.caches[0]
    )
    case = replace(design.case, shape=BlockShape("decode", 1, 32), caches=(cache,))
    assert hidden_elements(design.package.reference_graph, case) == {}
    told = poisoned(design, case)
    assert "no padded position" in str(told.check(()))


def _longer(array):
    """32 positions instead of 27."""
    return np.concatenate([array, array[:, :5]], axis=1)


def test_bytes_behind_a_tensor_are_unread(odd):
    graph = odd.reference_graph
    case = make_text_case(odd, WeightSource(1))
    images = case.images(graph)
    sizes = {
        load.argument: (len(images[load.name]), unread_bytes(graph, load, images[load.name])) for load in graph.loads
    }
    assert sizes["w"][0] == 64
    assert sizes["w"][1].tolist() == [False] * 20 + [True] * 44
    assert sizes["x"][1].sum() == sizes["x"][0] - 100


# --- What is put there, and what comes of it


def test_garbage_is_put_into_padding_and_nowhere_else(design_of):
    design = design_of("small-gpt2", "decode")
    graph, case = design.package.reference_graph, poisoned(design)
    ours, theirs = case.images(graph), design.case.images(graph)
    for argument in graph.arguments:
        clean, found = read_argument(graph, argument.name, theirs), read_argument(graph, argument.name, ours)
        where = case.hidden.get(argument.name, np.zeros(clean.shape, bool))
        assert np.array_equal(clean[~where], found[~where])
        assert np.isfinite(found.astype(np.float64)).all()
        if where.any():
            assert (clean[where] != found[where]).mean() > 0.9
    assert all(np.array_equal(image, case.images(graph)[name]) for name, image in ours.items())


def test_nan_is_put_behind_tensors(odd):
    graph = odd.reference_graph
    case = PoisonedCase(make_text_case(odd, WeightSource(1)), graph)
    (load,) = [each for each in graph.loads if each.argument == "w"]
    image = case.images(graph)[load.name].view(np.float32)
    assert np.isfinite(image[:5]).all()
    assert np.isnan(image[5:]).all()


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", ["small-gpt2", "small-llama-3.2-1b"])
def test_it_reaches_no_result(model, phase, design_of, tmp_path):
    design = design_of(model, phase)
    found = ladder(design, poisoned(design), tmp_path)
    assert found.disagreements == ()
    assert found.padding is not None
    assert found.padding.engines == ("reference",)
    assert "the same results of reference, to the bit" in str(found.padding)


@pytest.mark.usefixtures("needs_compiler")
def test_the_emitted_cpp_is_held_against_it_too(design_of, weak_mask, tmp_path):
    design = design_of("small-gpt2", "decode")
    graph, case = design.package.reference_graph, poisoned(design)
    ran = run_csim(graph, case.images(graph), design.kernel(), design.files, tmp_path)
    assert [line.partition(":")[0] for line in case.check([ran]).disagreements] == [
        "padding reaches the results of csim"
    ]


def test_an_engine_that_uses_what_lies_behind_a_tensor_is_noticed(odd):
    """It adds the number behind w to a sum, which is 0 in memory as the host makes it."""
    graph, case = odd.reference_graph, make_text_case(odd, WeightSource(1))
    load = next(each for each in graph.loads if each.argument == "w")

    def greedy(images) -> Values:
        image = images[load.name].copy()
        numbers = image.view(np.float32)
        numbers[0] += numbers[5]
        return run_reference(graph, {**images, load.name: image})

    clean = case.results(graph, greedy(case.images(graph)).images)
    assert all(np.array_equal(clean[name], case.golden[name]) for name in clean)
    poison = PoisonedCase(case, graph)
    assert poison.check([run_reference(graph, poison.images(graph))]).disagreements == ()
    assert len(poison.check([greedy(poison.images(graph))]).disagreements) == 1


def test_nan_in_a_hidden_position_is_nan_under_every_mask(design_of):
    """Why garbage is finite there: a NaN plus a mask is one, and the quantized block refuses to round it."""
    design = design_of("small-gpt2", "decode")
    graph, case = design.package.reference_graph, poisoned(design)
    scales = read_argument(graph, "k_cache_scale", case.clean).copy()
    scales[case.hidden["k_cache_scale"]] = np.nan
    with pytest.raises(SttestError, match="fptosi of nan"):
        run(graph, {**case.clean, **images_of(graph, {"k_cache_scale": scales})})


# --- On the command line


@pytest.mark.parametrize(
    ("shape", "elements"),
    [
        (("--phase", "decode", "--context", 27, "--batch", 3), 2 * 2 * (2176 + 68) // 2),
        (("--phase", "prefill", "--tokens", 11, "--batch", 2), 896),
    ],
    ids=["decode", "prefill"],
)
def test_sequences_of_different_lengths(shape, elements, sttest, tmp_path):
    options = ("--engines", "torch,reference", "--poison-padding", "--json", "-o", tmp_path / "package")
    outcome = sttest("crosscheck", "small-qwen", *shape, *options)
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)["padding"]
    assert (sum(told["hidden_elements"].values()), told["reached"]) == (elements, {})


def test_a_mask_that_is_too_weak_is_noticed(weak_mask, sttest, tmp_path):
    """Zeros below it weigh nothing, so that all engines agree as long as the host puts zeros there."""
    shape = ("--phase", "decode", "--context", 27, "--precision", "fp32")
    options = ("--engines", "torch,reference", "-o", tmp_path / "package")
    assert sttest("crosscheck", "small-gpt2", *shape, *options).exit_code == 0
    outcome = sttest("crosscheck", "small-gpt2", *shape, *options, "--poison-padding")
    assert outcome.exit_code == 6
    assert "disagree: padding reaches the results of reference: 'y' [0, 0] is" in outcome.stdout
    assert "it reaches results of reference" in outcome.stdout


def test_a_design_without_padding_says_so(sttest, tmp_path):
    options = ("--engines", "torch,reference", "--poison-padding", "-o", tmp_path / "package")
    outcome = sttest("crosscheck", "small-gpt2", "--phase", "decode", "--context", 32, *options)
    assert outcome.exit_code == 0
    assert "padding: the design has no padded position; nothing was poisoned" in outcome.stdout


def test_without_the_option_nothing_is_said(sttest, tmp_path):
    options = ("--engines", "torch,reference", "-o", tmp_path / "package", "--json")
    outcome = sttest("crosscheck", "small-gpt2", "--phase", "decode", "--context", 27, *options)
    assert json.loads(outcome.stdout)["padding"] is None
