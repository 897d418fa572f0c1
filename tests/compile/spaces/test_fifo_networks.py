"""Designs sized by the model, run cycle by cycle as stalling pipelines over bounded FIFOs."""

from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.compile.spaces.paper_fifo_sizing import Delays, FifoFacts, KernelTiming, Strategy, equalize, size_fifos

READ_AFTER_WRITE = 1
UNBOUNDED = 1 << 30


def finish_cycle(kernels, fifos, depths):
    """Cycle in which the last kernel ends, None on a deadlock.

    A kernel has one stage per cycle: it reads its n-th tokens at stage n II
    and writes its n-th at D + n II; it stalls as a whole unless every token
    and every space that the stage needs was there before the cycle.
    """
    stage = {kernel.name: 0 for kernel in kernels}
    inside = {fifo.name: 0 for fifo in fifos}
    cycle = 0
    while any(stage[kernel.name] <= kernel.total_cycles for kernel in kernels):
        moves = []
        for kernel in kernels:
            reads = _due(kernel, stage[kernel.name], 0)
            writes = _due(kernel, stage[kernel.name], kernel.first_output_cycles)
            inputs = [fifo.name for fifo in fifos if fifo.target == kernel.name and reads]
            outputs = [fifo.name for fifo in fifos if fifo.source == kernel.name and writes]
            ready = all(inside[name] for name in inputs) and all(inside[name] < depths[name] for name in outputs)
            if ready and stage[kernel.name] <= kernel.total_cycles:
                moves.append((kernel.name, inputs, outputs))
        if not moves:
            return None
        for name, inputs, outputs in moves:
            stage[name] += 1
            for fifo in inputs:
                inside[fifo] -= 1
            for fifo in outputs:
                inside[fifo] += 1
        cycle += 1
    return cycle


def _due(kernel, stage, first):
    step, rest = divmod(stage - first, kernel.ii)
    return rest == 0 and 0 <= step < kernel.tokens


def run(kernels, fifos, strategy, delays):
    """Finish cycle with the FIFOs sized, and with unbounded ones."""
    sizes = size_fifos(kernels, fifos, strategy, delays=delays, read_after_write_cycles=READ_AFTER_WRITE)
    built = equalize(kernels, strategy) if strategy == Strategy.CONSERVATIVE else kernels
    sized = finish_cycle(built, fifos, {name: size.depth for name, size in sizes.items()})
    return sized, finish_cycle(built, fifos, dict.fromkeys(sizes, UNBOUNDED))


def of_one_length(tokens, **ii_and_first):
    return [KernelTiming(name, ii, first, first + (tokens - 1) * ii) for name, (ii, first) in ii_and_first.items()]


def test_crossed_sources_deadlock_by_paths_but_not_by_schedule():
    kernels = of_one_length(40, s1=(1, 0), s2=(1, 0), a=(1, 20), b=(1, 20), v=(1, 0), x=(1, 0))
    ends = [("s1", "v"), ("s1", "b"), ("b", "x"), ("s2", "x"), ("s2", "a"), ("a", "v")]
    fifos = [FifoFacts(f"{source}-{target}", source, target) for source, target in ends]
    assert run(kernels, fifos, Strategy.NORMAL, Delays.PATHS)[0] is None
    sized, unbounded = run(kernels, fifos, Strategy.NORMAL, Delays.SCHEDULE)
    assert sized == unbounded


def test_a_starving_pipeline_deadlocks_as_normal_but_not_as_throttled():
    # before its first output, `deep` must have read 20 tokens, of which the FIFO beside it holds a third
    kernels = of_one_length(40, slow=(3, 0), deep=(1, 20), join=(1, 0))
    fifos = [FifoFacts("in", "slow", "deep"), FifoFacts("out", "deep", "join"), FifoFacts("skip", "slow", "join")]
    assert run(kernels, fifos, Strategy.NORMAL, Delays.PATHS)[0] is None
    sized, unbounded = run(kernels, fifos, Strategy.THROTTLED, Delays.PATHS)
    assert sized == unbounded


@st.composite
def networks(draw, most_ii):
    tokens, count = draw(st.integers(1, 12)), draw(st.integers(2, 6))
    timings = {f"k{i}": (draw(st.integers(1, most_ii)), draw(st.integers(0, 12))) for i in range(count)}
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    chosen = draw(st.lists(st.sampled_from(pairs), min_size=1, max_size=9, unique=True))
    return of_one_length(tokens, **timings), [FifoFacts(f"{i}-{j}", f"k{i}", f"k{j}") for i, j in chosen]


@settings(deadline=None)
@given(networks(most_ii=1))
def test_kernels_of_one_speed_lose_no_cycle(network):
    kernels, fifos = network
    sized, unbounded = run(kernels, fifos, Strategy.NORMAL, Delays.SCHEDULE)
    assert sized == unbounded


@settings(deadline=None)
@given(networks(most_ii=3))
def test_conservative_designs_lose_no_cycle(network):
    kernels, fifos = network
    sized, unbounded = run(kernels, fifos, Strategy.CONSERVATIVE, Delays.SCHEDULE)
    assert sized == unbounded


@settings(deadline=None)
@given(networks(most_ii=3))
def test_throttled_designs_do_not_deadlock(network):
    kernels, fifos = network
    sized, _ = run(kernels, fifos, Strategy.THROTTLED, Delays.SCHEDULE)
    assert sized is not None
