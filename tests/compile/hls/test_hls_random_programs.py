"""Random small programs from text to emitted C++ compute what their text says, to the bit, with the sized FIFOs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import pytest
from functional_runs import whole_tensors
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from linalg_programs import random_whole_program
from linalg_values import values_of
from many_kernels import Call, run_all
from small_kernels import needs_compiler

from sttest.compile.compiler import compile_text
from sttest.compile.hls.files import emit_design
from sttest.compile.hls.kernel import EmittedKernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import SttestError
from sttest.reference import ReferenceGraph, memory_images, read_results, run

BATCH = 52
BATCHES = {"quick": 1, "nightly": 19}
# Of the programs of a batch, those with a concatenation.
LEAST_SHARE = 0.15
# What a random program may be refused for: its sizes, not its form.
REFUSALS = {"tile-too-large", "hbm-channels", "engine-tokens"}
OPTIONS = st.builds(
    CompileOptions,
    tile_size=st.sampled_from((1, 2, 3, 4, 8, 16)),
    vector_bits=st.sampled_from((128, 512, 4096)),
    overall_unroll=st.just(100_000),
    precision=st.just("fp32"),
    share=st.sampled_from(("none", "all")),
    prefetch_kib=st.sampled_from((0, 64)),
)


@needs_compiler
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("batches", ["quick", pytest.param("nightly", marks=pytest.mark.nightly)])
def test_emitted_programs_compute_what_their_text_says(batches: str) -> None:
    chosen = settings(
        deadline=None,
        max_examples=BATCHES[batches],
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example, HealthCheck.data_too_large],
    )
    batch = given(st.integers(0, 10**6), st.lists(OPTIONS, min_size=BATCH, max_size=BATCH))
    chosen(batch(_check_a_batch))()


def _check_a_batch(first_seed: int, options: list[CompileOptions]) -> None:
    seeds = iter(range(first_seed, first_seed + 10 * BATCH))
    cases = [_compiled(seeds, chosen) for chosen in options]
    assert sum("tensor.concat" in text for _, text, _, _ in cases) >= LEAST_SHARE * BATCH
    calls, tensors = [], []
    for seed, _, kernel, graph in cases:
        tensors.append(whole_tensors(graph, seed))
        read = {name: values for name, values in tensors[-1].items() if name in graph.argument}
        calls.append(Call(kernel, memory_images(graph, read)))
    with tempfile.TemporaryDirectory() as folder:
        written = run_all(calls, Path(folder))
    for (seed, text, _, graph), given_tensors, call, found in zip(cases, tensors, calls, written, strict=True):
        for name, image in run(graph, call.memory).results.items():
            assert np.array_equal(image, found[name]), f"program {seed}: reference engine and C++ differ in {name}"
        wanted = values_of(text, given_tensors)
        for got, expected in zip(read_results(graph, found).values(), wanted, strict=True):
            np.testing.assert_array_equal(got, expected, err_msg=f"program {seed}")


def _compiled(seeds: object, options: CompileOptions) -> tuple[int, str, EmittedKernel, ReferenceGraph]:
    """The next program that its sizes let pass."""
    for seed in seeds:  # type: ignore[attr-defined]
        text = random_whole_program(seed)
        try:
            design = compile_text(text, "random", "u55c", options)
            return seed, text, emit_design(design), value_graph(design.module, "random")
        except SttestError as error:
            if error.code not in REFUSALS:
                raise
    pytest.fail("all programs were refused")
