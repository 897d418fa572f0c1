import csv
import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.hida import CONTRADICTED, MODES, NODES
from sttest.compile.spaces.parallel_factors import Index, NodeFacts, OperandAccess, array_partitions, parallel_factors
from sttest.core.errors import InputError

DATA = Path(__file__).parents[2] / "data" / "hida"
ROW = Index("i")


def published(table):
    with (DATA / table).open() as text:
        return list(csv.DictReader(text))


@pytest.mark.parametrize("mode", MODES)
def test_published_factors_per_node(mode):
    ia, ca = MODES[mode]
    decided = parallel_factors(NODES, 32, ia=ia, ca=ca)
    for node, row in zip(NODES, published("hida_parallel_factors.csv"), strict=True):
        assert node.name == row["node"]
        assert node.intensity == int(row["intensity"])
        column = "parallel_factor_with_ia" if ia else "max_parallel_factor_without_ia"
        assert decided[node.name].factor == int(row[column])
        assert list(decided[node.name].unroll.values()) == json.loads(row[f"unroll_{mode}"])


@pytest.mark.parametrize("mode", MODES)
def test_published_array_partitions(mode):
    ia, ca = MODES[mode]
    decided = parallel_factors(NODES, 32, ia=ia, ca=ca)
    banks = array_partitions(NODES, {name: node.unroll for name, node in decided.items()})
    for row in published("hida_array_partitions.csv"):
        if (row["array"], mode) in CONTRADICTED:
            continue
        assert list(banks[row["array"]]) == json.loads(row[f"factors_{mode}"])
        assert math.prod(banks[row["array"]]) == int(row[f"banks_{mode}"])


def test_the_two_contradicted_cells():
    unrolls = {row["node"]: row for row in published("hida_parallel_factors.csv")}
    array_b = next(row for row in published("hida_array_partitions.csv") if row["array"] == "B")
    assert all(unrolls[node]["unroll_ca"] == unrolls[node]["unroll_naive"] for node in ("Node1", "Node2"))
    assert array_b["factors_ca"] != array_b["factors_naive"]

    for mode, consistent in (("ia", (1, 8)), ("naive", (4, 8))):
        factors = {name: json.loads(row[f"unroll_{mode}"]) for name, row in unrolls.items()}
        named = {node.name: dict(zip(node.trips, factors[node.name], strict=True)) for node in NODES}
        assert array_partitions(NODES, named)["B"] == consistent
        exchanged = named | {"Node1": {"k": named["Node1"]["j"], "j": named["Node1"]["k"]}}
        assert list(array_partitions(NODES, exchanged)["B"]) == json.loads(array_b[f"factors_{mode}"])


@pytest.mark.parametrize(
    ("max_factor", "intensity", "factor"),
    [(32, 128, 32), (32, 64, 16), (32, 91, 32), (32, 90, 16), (32, 1, 1), (24, 128, 16), (24, 64, 16)],
)
def test_factor_is_rounded_to_the_nearest_power_of_two(max_factor, intensity, factor):
    nodes = [NodeFacts("peak", {"i": 128}, ()), NodeFacts("node", {"i": intensity}, ())]
    assert parallel_factors(nodes, max_factor, ia=True, ca=True)["node"].factor == factor


def test_a_factor_below_one_is_refused():
    with pytest.raises(InputError, match="0 lanes"):
        parallel_factors(NODES, 0, ia=True, ca=True)


def test_reductions_take_what_parallel_loops_cannot():
    node = NodeFacts("dot", {"k": 64, "i": 4}, (), reductions=frozenset("k"))
    assert parallel_factors([node], 16, ia=True, ca=True)["dot"].unroll == {"k": 4, "i": 4}


def test_a_nest_too_small_for_its_factor_is_unrolled_whole():
    node = NodeFacts("small", {"i": 2, "j": 3}, ())
    assert parallel_factors([node], 16, ia=False, ca=False)["small"].unroll == {"i": 2, "j": 1}


def test_banks_serve_every_stride():
    node = NodeFacts("n", {"i": 8}, (OperandAccess("X", (ROW,)), OperandAccess("X", (Index("i", 3),))))
    assert array_partitions([node], {"n": {"i": 4}}) == {"X": (12,)}
    two = [
        NodeFacts("whole", {"i": 8}, (OperandAccess("X", (ROW,)),)),
        NodeFacts("thirds", {"i": 8}, (OperandAccess("X", (Index("i", 3),)),)),
    ]
    assert array_partitions(two, {"whole": {"i": 4}, "thirds": {"i": 2}}) == {"X": (12,)}


def test_constant_subscripts_need_one_bank():
    node = NodeFacts("row", {"i": 8}, (OperandAccess("X", (None, ROW)),))
    assert array_partitions([node], {"row": {"i": 4}}) == {"X": (1, 4)}


@given(st.data())
def test_unroll_reaches_the_factor_or_the_nest(data):
    loops = st.dictionaries(st.sampled_from("ijk"), st.sampled_from([1, 2, 3, 8, 12, 16]), min_size=1)
    nodes = []
    for n in range(data.draw(st.integers(1, 4))):
        trips = data.draw(loops)
        arrays = data.draw(st.lists(st.sampled_from("XYZ"), unique=True))
        accesses = tuple(OperandAccess(array, tuple(map(Index, trips))[:1]) for array in arrays)
        nodes.append(NodeFacts(f"n{n}", trips, accesses))
    max_factor = data.draw(st.sampled_from([1, 4, 32]))
    decided = parallel_factors(nodes, max_factor, ia=data.draw(st.booleans()), ca=data.draw(st.booleans()))
    for node in nodes:
        chosen = decided[node.name]
        assert chosen.factor <= max_factor
        assert all(node.trips[loop] % factor == 0 for loop, factor in chosen.unroll.items())
        most = math.prod(trips & -trips for trips in node.trips.values())
        assert math.prod(chosen.unroll.values()) == min(chosen.factor, most)
