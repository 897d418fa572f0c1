"""Products on a mesh: who sends sums to whom, both engines against each other, and a closed form."""

import random

import pytest

from sttest.boards.load import load_board
from sttest.core.errors import DoesNotFitError, InputError
from sttest.sim import simulate
from sttest_systems.wafer_mesh.gemv import MeshGemv, closed_form_cycles, column_graph
from sttest_systems.wafer_mesh.reduction import k_tree, pipeline

BOARD = load_board("wse-2")


def cycles(gemv, engine="maxplus", columns=1):
    run = simulate(column_graph(gemv, columns), engine)
    assert run.verdict == "done"
    return run.cycles


def senders(reduction):
    """The root that every core's sum ends at, and how many relays it passes."""
    found = {}
    for groups in reduction.levels:
        for group in groups:
            for chain in group.sides:
                found.update({core: (*chain[place + 1 :], group.root_core)[0] for place, core in enumerate(chain)})
    return found


@pytest.mark.parametrize("cores", [2, 3, 9, 16, 17, 100])
def test_every_core_but_the_root_sends_once_and_all_ends_at_the_root(cores):
    trees = [k_tree(cores, levels) for levels in (1, 2, 3) if 2**levels <= cores]
    for reduction in (pipeline(cores), *trees):
        to = senders(reduction)
        assert set(to) == set(range(cores)) - {reduction.root}
        for core in to:
            seen = {core}
            while core in to:
                core = to[core]
                assert core not in seen
                seen.add(core)
            assert core == reduction.root


def test_a_tree_has_the_papers_number_of_relays():
    """Half of the K-th root of the cores, for each of K levels; a pipeline relays at every core."""
    to = senders(k_tree(625, 2))
    relays = dict.fromkeys(range(625), 0)
    for start in relays:
        core = start
        while core in to:
            core = to[core]
            relays[start] += 1
    assert max(relays.values()) == 2 * (25 // 2)
    assert len(senders(pipeline(625))) == 624 == pipeline(625).root


def test_two_cores_by_hand():
    """Two words: multiply 4, a gap of 2, a word out after 5 cycles and its hop, both in, then the way back."""
    gemv = MeshGemv(BOARD, 2, 4, 4, pipeline(2))
    multiply, gap, relay, hop, words = 4, 2, 5, 1, 2
    taken_in = multiply + gap + (relay - 1 + hop) + (words - 1) + relay
    assert cycles(gemv, "simpy") == taken_in + gap + words + hop == closed_form_cycles(gemv)


@pytest.mark.parametrize("seed", range(20))
def test_random_products_by_both_engines(seed):
    draw = random.Random(seed)
    side = draw.randint(2, 24)
    reductions = [pipeline(side)] + [k_tree(side, levels) for levels in (1, 2, 3) if 2**levels <= side]
    board = BOARD.model_copy(
        update={"relay_cycles": BOARD.relay_cycles.model_copy(update={"value": draw.randint(1, 9)})}
    )
    gemv = MeshGemv(board, side, draw.randint(1, 200), draw.randint(1, 200), draw.choice(reductions))
    graph = column_graph(gemv)
    oracle, compiled = (simulate(graph, engine, record=True) for engine in ("simpy", "maxplus"))
    assert oracle.cycles == compiled.cycles
    for name, times in oracle.write_times.items():
        assert (times == compiled.write_times[name]).all(), name
    assert oracle.cycles >= gemv.compute_cycles + gemv.words


@pytest.mark.parametrize(("side", "levels"), [(9, 2), (25, 2), (49, 2), (27, 3), (64, 1), (81, 2), (125, 3)])
@pytest.mark.parametrize("words", [1, 3, 17])
def test_alike_groups_and_pipelines_take_what_the_closed_form_says(side, levels, words):
    for reduction in (k_tree(side, levels), pipeline(side)):
        gemv = MeshGemv(BOARD, side, 5 * side, words * side, reduction)
        assert cycles(gemv) == closed_form_cycles(gemv)


def test_columns_have_nothing_to_do_with_each_other():
    gemv = MeshGemv(BOARD, 9, 40, 40, k_tree(9, 2))
    assert cycles(gemv, columns=9) == cycles(gemv, "simpy", columns=4) == cycles(gemv)


def test_long_links_do_not_slow_words_down():
    """Words follow each other over a path of many routers, each of which holds one."""
    short, long = (MeshGemv(BOARD, 100, 100, 100 * words, k_tree(100, 2)) for words in (1, 41))
    assert cycles(long) - cycles(short) <= 40 + 2 * 2 * 40 + 40


def test_what_cannot_be():
    with pytest.raises(InputError, match="mesh of 751"):
        MeshGemv(BOARD, 751, 10, 10, pipeline(751))
    with pytest.raises(InputError, match="3 levels over 7 cores"):
        k_tree(7, 3)
    with pytest.raises(DoesNotFitError, match="no room for a tile"):
        MeshGemv(BOARD, 100, 32768, 32768, pipeline(100))
