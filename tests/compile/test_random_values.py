"""Random small programs through all passes compute what their text says, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from functional_runs import graph_of, results_of, whole_tensors
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from linalg_programs import Program, random_program, random_whole_program
from linalg_values import values_of

from sttest.compile.options import CompileOptions
from sttest.core.errors import SttestError

# What a random program may be refused for: its sizes, not its form.
REFUSALS = {"tile-too-large"}
SETTINGS = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
OPTIONS = st.builds(
    CompileOptions,
    tile_size=st.sampled_from((1, 2, 3, 4, 8, 16)),
    beat_bits=st.sampled_from((8, 64, 512)),
    vector_bits=st.sampled_from((32, 128, 4096)),
    overall_unroll=st.just(100_000),
    precision=st.just("fp32"),
)


# Emitted C++ is held against 300 more of them, and this engine with it.
@pytest.mark.parametrize("examples", [20, pytest.param(100, marks=pytest.mark.nightly)])
def test_whole_numbers_come_out_exactly(examples: int) -> None:
    def check(seed: int, options: CompileOptions) -> None:
        _check(random_whole_program(seed), options, seed)

    settings(SETTINGS, max_examples=examples)(given(st.integers(0, 10**6), OPTIONS)(check))()


@settings(SETTINGS, max_examples=40)
@given(st.integers(0, 10**6), OPTIONS)
def test_shallow_programs_of_exponentials(seed: int, options: CompileOptions) -> None:
    _check(random_program(seed, ops=2), options, seed, rtol=1e-6)


def _check(text: str, options: CompileOptions, seed: int, rtol: float = 0.0) -> None:
    try:
        graph = graph_of(text, options)
    except SttestError as error:
        if error.code in REFUSALS:
            reject()
        raise
    tensors = whole_tensors(graph, seed)
    if rtol:
        tensors = {name: values / np.float32(7) for name, values in tensors.items()}
    with np.errstate(over="ignore"):
        wanted = values_of(text, tensors)
    for found, expected in zip(results_of(graph, tensors).values(), wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=rtol)


@pytest.mark.parametrize("tile", [1, 3, 16])
def test_sums_are_pairwise(tile: int) -> None:
    program = Program()
    value = program.argument(5, 48)
    text = program.text(program.reduce(program.matmul(value, program.argument(48, 32)), 0))
    graph = graph_of(text, CompileOptions(tile_size=tile, overall_unroll=100_000, precision="fp32"))
    source = np.random.default_rng(3)
    tensors = {a.name: (source.standard_normal(a.shape) * 1000).astype(np.float32) for a in graph.arguments}
    left, right = tensors["a0"], tensors["a1"]
    terms = [left[:, k, None] * right[k] for k in range(48)]
    while len(terms) > 3:
        terms = [first + second for first, second in zip(terms[::2], terms[1::2], strict=True)]
    wanted = terms[0] + (terms[1] + terms[2])
    total = wanted[0] + ((wanted[1] + wanted[2]) + (wanted[3] + wanted[4]))
    (found,) = results_of(graph, tensors).values()
    assert np.array_equal(found, total)
    assert not np.array_equal(found, (left @ right).sum(0)), "another order gives another sum"
