"""Nodes by hand: what they give, and what they refuse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from small_values import BY_COLUMN, COLUMNS, DOUBLED, LAYOUT, ROWS, argument, computing, joining, reordering

from sttest.core.errors import InputError
from sttest.reference import memory_images, read_results, run
from sttest.reference.engine import convert, join, run_order
from sttest.reference.graph import Access, Concat, Converter, Fork, Load, ReferenceGraph, Result, ScalarOp, Store, View

TENSOR = np.arange(24, dtype=np.float32).reshape(4, 6)


def result_of(graph: ReferenceGraph, tensor: np.ndarray = TENSOR) -> np.ndarray:
    return read_results(graph, run(graph, memory_images(graph, {"a": tensor})).results)["r"]


def changed(graph: ReferenceGraph, old: object, new: object) -> ReferenceGraph:
    """The graph with one node or stream exchanged."""
    streams = tuple(new if stream == old else stream for stream in graph.streams)
    nodes = tuple(new if node == old else node for node in graph.nodes)
    return replace(graph, streams=streams, nodes=nodes)


def test_memory_holds_tile_after_tile_and_beat_after_beat() -> None:
    image = memory_images(reordering(), {"a": TENSOR})["load"]
    wanted = [0, 1, 2, 6, 7, 8, 3, 4, 5, 9, 10, 11, 12, 13, 14, 18, 19, 20, 15, 16, 17, 21, 22, 23]
    assert image.view(np.float32).tolist() == wanted


def test_a_converter_changes_the_order_and_nothing_else() -> None:
    graph = reordering()
    kept = run(graph, memory_images(graph, {"a": TENSOR}), keep=["rows", "columns"])
    assert kept.streams["rows"][1].tolist() == [[3, 4, 5], [9, 10, 11]]
    assert kept.streams["columns"][:3].tolist() == [[[0], [6]], [[12], [18]], [[1], [7]]]
    assert np.array_equal(read_results(graph, kept.results)["r"], TENSOR)
    assert kept.results["store"].view(np.float32)[:4].tolist() == [0, 6, 1, 7]


def test_a_repeated_stream_is_read_again() -> None:
    twice = replace(ROWS, trips=(2, 3, 2), steps=(2, 1, 3), coefficients=((1, 0, 0), (0, 0, 1)))
    graph = ReferenceGraph("twice", (argument(),), (), (twice,), (Load("load", "a", "rows", LAYOUT), _sink("rows")))
    tokens = run(graph, memory_images(graph, {"a": TENSOR}), keep=["rows"]).streams["rows"]
    assert tokens.shape == (12, 2, 3)
    assert tokens[:6, 0, 0].tolist() == [0, 3, 0, 3, 0, 3]


def _sink(stream: str) -> Store:
    return Store("store", stream, LAYOUT)


def test_packed_memory_has_the_order_of_the_stream() -> None:
    packed = replace(BY_COLUMN, packed=True)
    nodes = (Load("load", "a", "columns", packed), Store("store", "columns", BY_COLUMN))
    graph = ReferenceGraph("packed", (argument(),), (Result("r", "store", (4, 6), "f32"),), (COLUMNS,), nodes)
    images = memory_images(graph, {"a": TENSOR})
    assert images["load"].view(np.float32)[:6].tolist() == [0, 6, 12, 18, 1, 7]
    assert np.array_equal(read_results(graph, run(graph, images).results)["r"], TENSOR)


def test_an_element_that_the_block_did_not_write_is_named() -> None:
    left_half = replace(ROWS, trips=(2, 1))
    order = Converter("order", "rows", "columns", buffer=(4, 6), blocks=1)
    with pytest.raises(InputError, match=r"converter 'order': token 6 of 'columns' reads \[0, 3\], which the block"):
        convert(order, {"rows": left_half, "columns": COLUMNS}, [np.zeros((2, 1, 2, 3), np.float32)])


def test_a_block_sees_nothing_of_the_one_before() -> None:
    half = Converter("order", "rows", "columns", buffer=(4, 6), blocks=2)
    with pytest.raises(InputError, match=r"token 6 of 'columns' at \[0, 3\] lies outside of the buffer"):
        result_of(changed(reordering(), reordering().nodes[1], half))


def test_a_tensor_that_is_sent_again_fills_the_buffer_again() -> None:
    twice = replace(ROWS, trips=(2, 2, 2), steps=(1, 2, 3), coefficients=((0, 1, 0), (0, 0, 1)))
    again = replace(COLUMNS, trips=(2, 6, 2), steps=(1, 1, 2), coefficients=((0, 0, 1), (0, 1, 0)))
    order = Converter("order", "rows", "columns", buffer=(4, 6), blocks=2)
    sent = np.arange(48, dtype=np.float32).reshape(2, 2, 2, 2, 3)
    (tokens,) = convert(order, {"rows": twice, "columns": again}, [sent])
    assert np.array_equal(tokens[1], tokens[0] + 24)


def test_a_token_outside_of_the_buffer_is_named() -> None:
    narrow = Converter("order", "rows", "columns", buffer=(4, 5), blocks=1)
    with pytest.raises(InputError, match=r"token 1 of 'rows' at \[0, 3\] lies outside of the buffer"):
        result_of(changed(reordering(), reordering().nodes[1], narrow))


def test_tokens_that_make_no_blocks_are_refused() -> None:
    thirds = Converter("order", "rows", "columns", buffer=(4, 6), blocks=3)
    with pytest.raises(InputError, match="the tokens of 'rows' do not make 3 blocks"):
        result_of(changed(reordering(), reordering().nodes[1], thirds))


def test_forks_copy() -> None:
    out = replace(ROWS, name="out")
    graph = ReferenceGraph(
        "fork",
        (argument(),),
        (Result("r", "store", (4, 6), "f32"), Result("again", "other", (6, 4), "f32", (View((6, 4), (1, 0)),))),
        (ROWS, out, replace(ROWS, name="more")),
        (
            Load("load", "a", "rows", LAYOUT),
            Fork("fork", "rows", ("out", "more")),
            Store("store", "out", LAYOUT),
            Store("other", "more", LAYOUT),
        ),
    )
    found = read_results(graph, run(graph, memory_images(graph, {"a": TENSOR})).results)
    assert np.array_equal(found["r"], TENSOR)
    assert np.array_equal(found["again"], TENSOR.T)


def test_a_fork_of_unlike_streams_is_refused() -> None:
    other = replace(ROWS, name="out", trips=(2, 1))
    nodes = (Load("load", "a", "rows", LAYOUT), Fork("fork", "rows", ("out",)), Store("store", "out", LAYOUT))
    graph = ReferenceGraph("fork", (argument(),), (), (ROWS, other), nodes)
    with pytest.raises(InputError, match="fork 'fork': 'out' carries other tokens than 'rows'"):
        run(graph, memory_images(graph, {"a": TENSOR}))


def test_sources_are_read_in_turn() -> None:
    tensors = {"a": TENSOR, "b": -TENSOR[:, :3]}
    found = read_results(joining(), run(joining(), memory_images(joining(), tensors)).results)
    assert np.array_equal(found["r"], np.concatenate([tensors["a"], tensors["b"]], axis=1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turns": 4}, "the 2 tokens of 'first' do not make 4 turns"),
        ({"sources": ("first",)}, "'wide' carries 6 tokens, other than its sources together"),
        ({"sources": ("rows", "narrow")}, "'wide' carries other tokens than 'narrow'"),
    ],
)
def test_a_concatenation_that_does_not_fit_its_streams_is_refused(change: dict, message: str) -> None:
    streams = {stream.name: stream for stream in joining().streams}
    streams["narrow"] = replace(streams["first"], name="narrow", element=(2, 1))
    (node,) = [node for node in joining().nodes if isinstance(node, Concat)]
    node = replace(node, **change)
    tokens = [np.zeros((*streams[name].trips, *streams[name].element), np.float32) for name in node.sources]
    with pytest.raises(InputError, match=f"concatenation 'join': {message}"):
        join(node, streams, tokens)


def test_a_concatenation_of_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="concatenation 'join': has no sources"):
        Concat("join", (), "wide", 1)
    with pytest.raises(InputError, match="number of turns is 0"):
        joining(turns=0)


def test_views_repeat_and_reshape() -> None:
    views = (View((24,)), View((24, 1)), View((24, 2), (0, -1)))
    graph = replace(reordering(), results=(Result("r", "store", (24, 2), "f32", views),))
    assert np.array_equal(result_of(graph), np.repeat(np.arange(24), 2).reshape(24, 2))


def test_a_task_computes_on_every_element() -> None:
    assert np.array_equal(result_of(computing(DOUBLED)), 2 * TENSOR)


def test_an_access_that_the_stream_does_not_follow_is_refused() -> None:
    turned = Access(((0, 1), (1, 0)), (0, 0))
    task = replace(DOUBLED, accesses=(turned, DOUBLED.accesses[1]))
    with pytest.raises(InputError, match="task 'task', stream 'rows': iteration 1 reads a token of another place"):
        result_of(computing(task))


def test_an_access_past_the_tokens_is_refused() -> None:
    shifted = Access(((1, 0), (0, 1)), (0, 1))
    with pytest.raises(InputError, match="do not make a tile without gaps"):
        result_of(computing(replace(DOUBLED, accesses=(shifted, DOUBLED.accesses[1]))))


def test_a_result_that_is_written_twice_is_refused() -> None:
    twice = Access(((1, 0, 0), (0, 1, 0)), (0, 0))
    kinds = ("parallel",) * 3
    wide = replace(DOUBLED, trips=(2, 2, 1), tile=(2, 3, 2), kinds=kinds, accesses=(twice, twice))
    with pytest.raises(InputError, match="does not give each element of its tokens once"):
        result_of(computing(wide))


def test_an_integer_overflow_names_the_task() -> None:
    ops = (ScalarOp("arith.fptosi", "i8", (0,)), ScalarOp("arith.sitofp", "f32", (2,)))
    payload = replace(DOUBLED.payload, ops=ops, results=(3,))
    graph = computing(replace(DOUBLED, payload=payload))
    assert np.array_equal(result_of(graph, -5.5 * TENSOR), np.trunc(-5.5 * TENSOR))
    with pytest.raises(InputError, match=r"task 'task': arith.fptosi of 128\.0, which i8 does not hold"):
        result_of(graph, np.full((4, 6), 128.5, np.float32))


def test_nodes_in_a_circle_are_refused() -> None:
    loop = (replace(DOUBLED, sources=("rows",), sinks=("out",)), replace(DOUBLED, name="back", sources=("out",)))
    nodes = (loop[0], replace(loop[1], sinks=("rows",)))
    graph = ReferenceGraph("circle", (), (), (ROWS, replace(ROWS, name="out")), nodes)
    with pytest.raises(InputError, match=r"circle: the nodes wait for each other: .*task.* -> .*back"):
        run_order(graph)


@pytest.mark.parametrize(
    ("memory", "keep", "message"),
    [
        ({}, (), "there is no image for 'load'"),
        ({"load": np.zeros(95, np.uint8)}, (), "uint8 .95. where memory has 96 bytes"),
        ({"load": np.zeros(96, np.int8)}, (), "int8 .96. where memory has 96 bytes"),
        ({"load": np.zeros(96, np.uint8)}, ("row",), "there is no stream 'row'; did you mean 'rows'"),
    ],
)
def test_memory_that_does_not_fit_is_refused(memory: dict, keep: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        run(reordering(), memory, keep)


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({}, "the argument 'a' has no values"),
        ({"a": TENSOR, "b": TENSOR}, "there is no argument 'b'"),
        ({"a": TENSOR.T}, r"float32 \[6, 4\] where f32 \[4, 6\] lies in memory"),
        ({"a": TENSOR.astype(np.float64)}, "float64"),
    ],
)
def test_tensors_that_do_not_fit_are_refused(tensors: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        memory_images(reordering(), tensors)
