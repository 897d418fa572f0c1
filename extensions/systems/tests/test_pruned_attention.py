"""Pruned attention: values as PyTorch's with masks; any step ends at the depths of the bound; both engines agree."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.sim import Channel, simulate
from sttest.sim.graph import MemoryPort
from sttest_systems.spatten.attention_graph import Depths, Unit, any_trace_depths, attention_graph, full_rate_depths
from sttest_systems.spatten.top_k import select
from sttest_systems.spatten.values import Rules, attended_step, drawn_caches
from sttest_systems.spatten.work import (
    ONE,
    HeadWork,
    LayerCounts,
    LayerWork,
    Widths,
    bytes_read,
    dense_step,
    drawn_step,
    engine_of,
    probabilities,
)

WIDTHS = Widths(6, 4, 6)


def channels(count: int, latency: int = 58) -> tuple[Channel, ...]:
    return tuple(Channel(f"hbm{number}", latency, 64, 384, 463) for number in range(count))


# --- Values


RULES = Rules((40, 40, 25, 10), (4, 4, 3, 2), 0.3, 4, 0.2)


@pytest.fixture(scope="module")
def caches():
    return drawn_caches(4, 4, 48, 16, 10, (0.5, 1.0, 2.0, 4.0), 1)


def test_outputs_and_choices_are_those_of_attention_with_masks(caches):
    """PyTorch goes over all tokens, in double precision, with what was pruned masked out."""
    torch = pytest.importorskip("torch")
    importance = np.random.default_rng(2).integers(0, ONE, 48)
    before = torch.from_numpy(importance.copy())
    work, outputs = attended_step(caches, RULES, 4, importance)
    tokens, heads = before.topk(40).indices.sort().values, torch.arange(4)
    seen = set()
    for layer, (cache, done, output) in enumerate(zip(caches, work, outputs, strict=True)):
        assert done.tokens.tolist() == tokens.tolist()
        assert len(done.heads) == len(heads)
        query, keys, values = (torch.from_numpy(each) for each in (cache.query, cache.keys, cache.values))
        mask = torch.full((48,), -torch.inf, dtype=torch.float64)
        mask[tokens] = 0
        for head, did in zip(heads.tolist(), done.heads, strict=True):
            high = torch.div(keys[:, head], 16, rounding_mode="floor") * 16
            shares = torch.softmax(high.double() @ query[head] + mask, 0)
            assert did.again == bool(shares.max() < RULES.threshold)
            if did.again:
                shares = torch.softmax(keys[:, head].double() @ query[head] + mask, 0)
            seen.add(did.again)
            before += torch.round(shares * ONE).long()
            best = shares.topk(int(0.3 * len(tokens))).indices.sort().values
            assert did.values.tolist() == best.tolist()
            wanted = shares[best] @ values[best, head]
            assert np.abs(output[head] - wanted.numpy()).max() < len(best) / ONE * 4
        gone = [head for head in range(4) if head not in heads.tolist()]
        assert not output[gone].any()
        if layer < 3:
            tokens = tokens[before[tokens].topk(RULES.tokens[layer + 1]).indices.sort().values]
            sums = torch.from_numpy(output)[heads].abs().sum(1)
            heads = heads[sums.topk(RULES.heads[layer + 1]).indices.sort().values]
    assert seen == {False, True}
    assert (before.numpy() == importance).all()


def test_rules_for_other_layers_are_refused(caches):
    with pytest.raises(InputError, match="4 of 3 layers"):
        attended_step(caches[:3], RULES, 4, np.zeros(48, np.int64))
    with pytest.raises(InputError, match="has more than layer"):
        drawn_step([LayerCounts(2, 5, 3), LayerCounts(2, 6, 3)], 10, 4, 1, 2.0)
    with pytest.raises(InputError, match="LayerCounts"):
        LayerCounts(2, 5, 6)


# --- Bytes and cycles


def test_bytes_are_those_that_ports_move(caches):
    work, _ = attended_step(caches, RULES, 4, np.zeros(48, np.int64))
    unit = Unit(channels(6), lanes=4, engine_lanes=4, dim=16)
    graph = attention_graph("small", work, unit, WIDTHS, full_rate_depths(unit, 48))
    ports = [each for each in graph.processes if isinstance(each, MemoryPort)]
    moved = [
        sum(port.tokens * port.token_bytes for port in ports if port.name.startswith(kind))
        for kind in ("key", "low", "value")
    ]
    keys = sum(len(layer.heads) * count for layer, count in zip(work, RULES.tokens, strict=True))
    again = sum(layer.keys for layer in work for head in layer.heads if head.again)
    values = sum(RULES.values_of(count) * heads for count, heads in zip(RULES.tokens, RULES.heads, strict=True))
    assert moved == [12 * keys, 8 * again, 12 * values] == list(bytes_read(work, WIDTHS, 16))
    assert again


def test_dense_attention_takes_the_time_of_its_channels():
    unit = Unit(channels(8), lanes=8, gathers=False)
    graph = attention_graph("dense", dense_step(2, 4, 1000), unit, Widths(32, 0, 32), full_rate_depths(unit, 1000))
    cycles = simulate(graph).cycles
    per_channel = 2 * 4 * 1000 * 256 / 4 / (64 * 384 / 463)
    assert cycles is not None
    assert per_channel < cycles < 1.1 * per_channel + 600


def test_an_engine_with_other_lanes_is_refused(caches):
    work, _ = attended_step(caches, RULES, 4, np.zeros(48, np.int64))
    unit = Unit(channels(4), engine_lanes=8, dim=16)
    with pytest.raises(InputError, match="other lanes"):
        attention_graph("small", work, unit, WIDTHS, full_rate_depths(unit, 48))


# --- Any step ends


def random_step(rng, context: int, lanes: int) -> list[LayerWork]:
    """Layers with any heads, tokens, values and second readings, over scores of several kinds."""
    tokens = np.sort(rng.permutation(context)[: int(rng.integers(1, context + 1))])
    heads, found = int(rng.integers(1, 5)), list[LayerWork]()
    layers = int(rng.integers(1, 5))
    for number in range(layers):
        done = []
        for _ in range(heads):
            scores = probabilities(rng.normal(0, float(rng.choice([0.0, 0.5, 3.0])), tokens.size))
            kept = int(rng.integers(1, tokens.size + 1))
            search = select(scores, kept, engine_of(context, lanes)) if rng.random() < 0.8 else None
            done.append(HeadWork(bool(rng.random() < 0.5), tokens if search is None else tokens[search.places], search))
        is_last = number + 1 == layers
        picks = [
            None
            if is_last or rng.random() < 0.4
            else select(
                rng.integers(0, int(rng.choice([2, 1000])), count),
                int(rng.integers(1, count + 1)),
                engine_of(max(context, heads), lanes),
            )
            for count in (tokens.size, heads)
        ]
        found.append(LayerWork(tokens, tuple(done), *picks))
        tokens = tokens if picks[0] is None else tokens[picks[0].places]
        heads = heads if picks[1] is None else picks[1].places.size
    return found


def random_graph(seed: int):
    rng = np.random.default_rng(seed)
    lanes = int(rng.choice([1, 2, 4, 8]))
    unit = Unit(
        channels(2 * int(rng.integers(1, 5)), int(rng.choice([1, 20, 60]))),
        int(rng.choice([1, 2, 4, 8])),
        lanes,
        int(rng.integers(1, 4)),
        8,
        int(rng.choice([1, 4, 64])),
        bool(rng.integers(0, 2)),
        bool(rng.integers(0, 2)),
    )
    context = int(rng.integers(1, 60))
    widths = Widths(6, int(rng.choice([0, 4, 4])), 6)
    return attention_graph("any", random_step(rng, context, lanes), unit, widths, any_trace_depths(unit, context))


@pytest.mark.parametrize("first", [0, *(pytest.param(each, marks=pytest.mark.nightly) for each in range(20, 1000, 20))])
def test_any_step_ends_at_the_depths_of_the_bound(first):
    for seed in range(first, first + 20):
        design = random_graph(seed)
        run = simulate(design)
        assert run.cycles is not None, seed
        if seed % 10 == 0:
            oracle = simulate(design, "simpy")
            assert (oracle.cycles, oracle.finish, oracle.max_occupancy) == (run.cycles, run.finish, run.max_occupancy)


@pytest.mark.parametrize("context", [23, 64])
def test_a_place_less_for_exponents_deadlocks(context):
    unit = Unit(channels(4), lanes=4, engine_lanes=4, dim=8)
    step = drawn_step([LayerCounts(2, context, 3)], context, 4, 1, 2.0)
    bound = any_trace_depths(unit, context)
    assert simulate(attention_graph("x", step, unit, WIDTHS, bound)).cycles is not None
    less = replace(bound, exponents=bound.exponents - 1)
    blocked = simulate(attention_graph("x", step, unit, WIDTHS, less))
    assert blocked.deadlock is not None
    assert {"exponentiate", "normalize"} <= {each.process for each in blocked.deadlock.cycle}


def test_a_row_less_than_a_cycle_takes_deadlocks():
    unit = Unit(channels(2), lanes=4, engine_lanes=4, dim=8)
    step = dense_step(1, 1, 8)
    assert simulate(attention_graph("x", step, unit, WIDTHS, Depths(2, 4, 1, 1))).cycles is not None
    assert simulate(attention_graph("x", step, unit, WIDTHS, Depths(2, 3, 1, 1))).cycles is None
