import pytest
from hypothesis import given
from hypothesis import strategies as st

from sttest.compile.spaces.fusion import EdgeFacts, Fusion, GroupCost, KernelFacts, fuse
from sttest.core.errors import DoesNotFitError, InputError


def test_five_kernel_walk():
    """One branch of the greedy walk per kernel, C_max = 100 bytes."""
    kernels = [
        KernelFacts("k0", 20),
        KernelFacts("k1", 10),
        KernelFacts("k2", 30),
        KernelFacts("k3", 15),
        KernelFacts("k4", 5),
    ]
    edges = [
        EdgeFacts("k0", "k1", 0),
        EdgeFacts("k1", "k2", 60),
        EdgeFacts("k0", "k3", 70),
        EdgeFacts("k2", "k3", 40),
        EdgeFacts("k1", "k4", 64),
        EdgeFacts("k3", "k4", 8),
        EdgeFacts("k2", "k4", 2),
    ]
    # k0: the first kernel opens group 0:                       0 + 20 =  20
    # k1: types agree, joins group 0 at converter cost 0:  20 + 0 + 10 =  30
    # k2: group 0 would be                                30 + 60 + 30 = 120 > 100
    #     so it opens group 1, where k1 -> k2 is not charged:   0 + 30 =  30
    # k3: candidates group 0 (70) and group 1 (40), nearest is 1,
    #     the 70 of k0 -> k3 are not charged:              30 + 40 + 15 =  85
    # k4: candidates group 0 (64) and group 1 (8 + 2), nearest is 1,
    #     both edges from group 1 are charged, C_max is met: 85 + 10 + 5 = 100
    assert fuse(kernels[:1], [], 100).costs == (GroupCost(0, 20),)
    assert fuse(kernels[:2], edges[:1], 100).costs == (GroupCost(0, 30),)
    assert fuse(kernels[:3], edges[:2], 100).costs == (GroupCost(0, 30), GroupCost(0, 30))
    assert fuse(kernels[:4], edges[:4], 100).costs == (GroupCost(0, 30), GroupCost(40, 45))

    walk = fuse(kernels, edges, 100)
    assert walk.groups == (("k0", "k1"), ("k2", "k3", "k4"))
    assert walk.costs == (GroupCost(0, 30), GroupCost(50, 50))
    assert [cost.total_bytes for cost in walk.costs] == [30, 100]
    assert [(edge.source, edge.target) for edge in walk.external_edges] == [("k1", "k2"), ("k0", "k3"), ("k1", "k4")]

    one_less = fuse(kernels, edges, 99)
    assert one_less.group_of["k4"] == 2
    assert one_less.costs == (GroupCost(0, 30), GroupCost(40, 45), GroupCost(0, 5))


def test_kernel_without_producers_joins_the_group_opened_last():
    fusion = fuse(
        [KernelFacts("norm", 10), KernelFacts("table", 10), KernelFacts("rotary", 10)],
        [EdgeFacts("norm", "rotary", 1), EdgeFacts("table", "rotary", 1)],
        c_max_bytes=32,
    )
    assert fusion.groups == (("norm", "table", "rotary"),)
    assert fusion.costs == (GroupCost(2, 30),)


def test_kernels_given_out_of_order():
    fusion = fuse([KernelFacts("late", 1), KernelFacts("early", 1)], [EdgeFacts("early", "late", 3)], 5)
    assert fusion.groups == (("early", "late"),)


def test_no_kernels_no_groups():
    assert fuse([], [], 0) == Fusion({}, (), ())


def test_kernel_that_alone_exceeds_c_max_says_by_how_much():
    with pytest.raises(DoesNotFitError) as caught:
        fuse([KernelFacts("ffn", 101)], [], 100)
    assert caught.value.to_dict() == {
        "code": "kernel-exceeds-c-max",
        "what": "the local buffers of kernel 'ffn' alone exceed C_max",
        "where": "ffn",
        "demand": 101,
        "bound": 100,
        "unit": "bytes",
        "hints": ["lower the tile size", "lower the unroll size", "take a board with more on-chip memory"],
    }


@pytest.mark.parametrize(
    ("kernels", "edges", "code"),
    [
        ("ab", [("a", "b"), ("b", "a")], "cyclic-graph"),
        ("a", [("a", "a")], "cyclic-graph"),
        ("ab", [("a", "c")], "unknown-name"),
        ("aa", [], "duplicate-name"),
    ],
)
def test_bad_graphs_are_refused(kernels, edges, code):
    with pytest.raises(InputError) as caught:
        fuse([KernelFacts(name) for name in kernels], [EdgeFacts(*edge) for edge in edges], 1)
    assert caught.value.code == code


def test_a_cycle_is_named():
    names = "abcde"
    edges = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e")]
    with pytest.raises(InputError, match=r"(b -> c -> d -> b|c -> d -> b -> c|d -> b -> c -> d)"):
        fuse([KernelFacts(name) for name in names], [EdgeFacts(*edge) for edge in edges], 1)


@pytest.mark.parametrize(
    ("kernel_bytes", "edge_bytes", "c_max_bytes", "where"), [(-1, 0, 9, "a"), (0, -1, 9, "a -> b"), (0, 0, -1, "C_max")]
)
def test_negative_bytes_are_refused(kernel_bytes, edge_bytes, c_max_bytes, where):
    with pytest.raises(InputError) as caught:
        fuse([KernelFacts("a", kernel_bytes), KernelFacts("b")], [EdgeFacts("a", "b", edge_bytes)], c_max_bytes)
    assert (caught.value.code, caught.value.where) == ("negative-bytes", where)


@st.composite
def fusion_problems(draw):
    count = draw(st.integers(1, 9))
    kernels = [KernelFacts(f"k{i}", draw(st.integers(0, 10))) for i in range(count)]
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=16)) if pairs else []
    edges = [EdgeFacts(f"k{i}", f"k{j}", draw(st.integers(0, 12))) for i, j in chosen]
    return draw(st.permutations(kernels)), edges, draw(st.integers(10, 40))


@given(fusion_problems())
def test_groups_form_a_dag_within_c_max(problem):
    kernels, edges, c_max_bytes = problem
    fusion = fuse(kernels, edges, c_max_bytes)
    assert all(fusion.group_of[edge.source] <= fusion.group_of[edge.target] for edge in edges)
    assert sorted(name for group in fusion.groups for name in group) == sorted(kernel.name for kernel in kernels)
    assert all(fusion.groups)
    assert all(cost.total_bytes <= c_max_bytes for cost in fusion.costs)


@given(fusion_problems())
def test_costs_are_the_local_buffers_and_the_converters_inside(problem):
    kernels, edges, c_max_bytes = problem
    fusion = fuse(kernels, edges, c_max_bytes)
    for group, cost in enumerate(fusion.costs):
        inside = [e for e in edges if fusion.group_of[e.source] == fusion.group_of[e.target] == group]
        assert cost.converter_bytes == sum(edge.converter_bytes for edge in inside)
        members = [kernel for kernel in kernels if fusion.group_of[kernel.name] == group]
        assert cost.local_buffer_bytes == sum(kernel.local_buffer_bytes for kernel in members)


@given(fusion_problems())
def test_enough_memory_gives_one_group(problem):
    kernels, edges, _ = problem
    everything = sum(k.local_buffer_bytes for k in kernels) + sum(e.converter_bytes for e in edges)
    assert len(fuse(kernels, edges, everything).costs) == 1
