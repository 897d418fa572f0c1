"""Where a launch puts the new entries of its caches: where the reference engine looks for them, in slices, too."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from sliced_caches import slice_caches

from sttest.compile.channels.cache_entries import CacheEntries, cache_entries
from sttest.compile.dialects import df
from sttest.compile.hls.dma_wait import cpp_is_here, cpp_place
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.pipeline import all_passes
from sttest.compile.reference_graph import value_graph
from sttest.compile.sharing.processes import node_label
from sttest.core.errors import InputError
from sttest.frontend.shipped import lowered_text
from sttest.reference import ReferenceGraph
from sttest.reference.graph import NUMPY
from sttest.reference.memory import images_of, read_argument

TOKENS = 5


def entries_of(tokens: int = TOKENS) -> tuple[ReferenceGraph, dict[str, CacheEntries]]:
    """Of GPT-2's decode step; depths of FIFOs matter to no one here."""
    context = new_context()
    module = parse(lowered_text("gpt2", "decode", head=True, small=True), "entries", context)
    set_target(module, "u55c")
    options = CompileOptions(layers=2, share="all", generate=tokens, positions=True)
    for each in all_passes(options):
        if not isinstance(each, SizeFifos):
            each.apply(context, module)
    (kernel,) = all_of(module, df.KernelOp)
    waiting = [dma for dma in all_of(kernel, df.DmaReadOp) if dma.takes_entries]
    return value_graph(module, "entries"), {node_label(dma): cache_entries(kernel, dma) for dma in waiting}


@pytest.mark.parametrize("slices", [1, 2, 8])
def test_an_entry_goes_where_its_cache_is_read(slices: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if slices > 1:
        slice_caches(monkeypatch, slices)
    values, found = entries_of()
    arguments = {load.name: values.argument[load.argument] for load in values.loads}
    assert {each.slices for each in found.values()} == {slices}
    rng = np.random.default_rng(3)
    for name, entries in found.items():
        argument, written = arguments[name], 0
        for _ in range(8):
            head, column = int(rng.integers(entries.heads)), int(rng.integers(entries.columns))
            position = int(rng.integers(entries.first, entries.first + TOKENS))
            tensor = np.zeros(argument.shape, np.int8 if argument.dtype == "i8" else np.float16)
            tensor[(head, position, column)[: tensor.ndim]] = 1
            image = images_of(values, {argument.name: tensor})[name].view(tensor.dtype)
            first = column - column % entries.run
            here = all(evaluated(text, head, position) for text in cpp_is_here(entries, "h", f"({first})"))
            assert here == entries.is_here(head, position, column)
            place = evaluated(cpp_place(entries, "h", f"({first})"), head, position) + column % entries.run
            assert place == entries.place(head, position, column)
            assert [*np.flatnonzero(image)] == ([place] if here else [])
            written += here
        assert written == 8 or entries.slices > 1


def test_a_cache_in_slices_is_read_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    slice_caches(monkeypatch, 2)
    values, _ = entries_of()
    caches = [each for each in values.arguments if each.kind == "cache"]
    assert caches
    for argument in caches:
        tensor = np.arange(prod(argument.shape)).astype(NUMPY[argument.dtype]).reshape(argument.shape)
        images = images_of(values, {argument.name: tensor})
        np.testing.assert_array_equal(read_argument(values, argument.name, images), tensor)


def evaluated(text: str, head: int, position: int) -> int:
    """An expression of C++ over numbers that are not negative."""
    return eval(text.replace("/", "//"), {"h": head, "position": position})


def test_more_tokens_than_places_are_refused() -> None:
    with pytest.raises(InputError, match="more tokens than the cache has places"):
        entries_of(33)
