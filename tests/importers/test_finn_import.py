"""FINN models: cycles against FINN's estimates, deadlocks and depths, damaged and hostile files."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.importers.finn import read_finn, write_depths
from sttest.importers.finn_layers import layer_of
from sttest.importers.finn_model import element_bits, read_model
from sttest.sim import Pipeline, TimedGraph, read_timed_graph, simulate, write_timed_graph

pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")

from onnx import ModelProto, NodeProto, TensorProto, helper

EXAMPLE = Path(__file__).parents[2] / "examples/finn-residual"
RESIDUAL = EXAMPLE / "residual.onnx"
BYPASS = "fork__join"


def saved(
    path: Path,
    nodes: Sequence[NodeProto],
    inputs: Sequence[str] = ("in",),
    outputs: Sequence[str] = ("out",),
    constants: Sequence[str] = (),
) -> Path:
    """A model of these nodes."""
    ends = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in names] for names in (inputs, outputs)
    ]
    weights = [helper.make_tensor(name, TensorProto.FLOAT, [1], [0.0]) for name in constants]
    graph = helper.make_graph(nodes, "made", ends[0], ends[1], weights)
    path.write_bytes(helper.make_model(graph).SerializeToString())
    return path


def layer(op: str, inputs: list[str], outputs: list[str], **attributes: Any) -> NodeProto:
    """A node of one of FINN's layers."""
    return helper.make_node(op, inputs, outputs, domain="finn.custom_op.fpgadataflow.hls", **attributes)


def matrix(name: str, inputs: list[str], outputs: list[str], **attributes: Any) -> NodeProto:
    """A matrix-vector unit of 8 by 8."""
    given = {"MW": 8, "MH": 8, "SIMD": 2, "PE": 4, "inputDataType": "INT4", "outputDataType": "INT4"}
    return layer("MVAU_hls", inputs, outputs, name=name, **{**given, **attributes})


def window(
    size: list[int], out: list[int], kernel: list[int], stride: list[int], channels: int, depthwise: int = 0
) -> dict[str, Any]:
    """Attributes of a sliding window unit that takes one element a cycle; sizes are [height, width]."""
    return {
        "IFMDim": size, "OFMDim": out, "ConvKernelDim": kernel, "Stride": stride, "Dilation": [1, 1],
        "IFMChannels": channels, "SIMD": 1, "depthwise": depthwise, "is1D": 0, "parallel_window": 0,
        "inputDataType": "INT4",
    }  # fmt: skip


def with_fifos(path: Path) -> Path:
    """Two units with three FIFO nodes, as after FINN's step_set_fifo_depths; the second one is in two pieces."""
    kind = {"folded_shape": [1, 4, 2], "dataType": "INT4"}
    nodes = [
        layer("StreamingFIFO_rtl", ["in"], ["x"], name="first", depth=5, **kind),
        matrix("a", ["x", "w"], ["y"]),
        layer("StreamingFIFO_rtl", ["y"], ["y0"], name="between_0", depth=16, **kind),
        layer("StreamingFIFO_rtl", ["y0"], ["y1"], name="between_1", depth=4, **kind),
        matrix("b", ["y1", "v"], ["z"], SIMD=4),
        layer("StreamingFIFO_rtl", ["z"], ["out"], name="last", depth=2, **kind),
    ]
    return saved(path, nodes, constants=["w", "v"])


# --- A residual block


def test_the_example_is_what_its_script_writes() -> None:
    """And an ONNX model that the package onnx reads."""
    model = ModelProto()
    model.ParseFromString(RESIDUAL.read_bytes())
    assert model == run_path(str(EXAMPLE / "make.py"))["block"]()


def test_a_residual_block_deadlocks_at_the_depths_of_the_model() -> None:
    """It has no FIFO beside its branch of layers."""
    graph = read_finn(RESIDUAL)
    stuck = simulate(graph)
    assert stuck.verdict == "deadlock"
    assert stuck.deadlock is not None
    fix = stuck.deadlock.fix
    assert fix is not None
    assert set(fix) == {BYPASS}
    assert fix[BYPASS] >= 16 + 2  # pixels up to the last one of the first window, 3 by 3 with a padding of 1
    freed = graph.with_depths(fix)
    assert simulate(freed).verdict == "done"
    assert simulate(freed, engine="simpy").cycles == simulate(freed).cycles
    assert simulate(graph.with_depths({BYPASS: fix[BYPASS] - 1})).verdict == "deadlock"


def test_what_is_assumed_of_a_model_is_told(tmp_path: Path) -> None:
    """Names from before FINN told HLS and RTL layers apart, and no clock."""
    attributes = window([4, 4], [3, 3], [2, 2], [1, 1], 2)
    notes: list[str] = []
    path = tmp_path / "old.onnx"
    read_finn(saved(path, [layer("ConvolutionInputGenerator", ["in"], ["out"], **attributes)]), notes=notes)
    assert notes == [
        "HLS's window units, as the model does not say which: ConvolutionInputGenerator_0",
        "a clock of 10 ns, FINN's default: the model names none",
    ]


def test_a_layer_that_is_not_estimated_so_is_told(tmp_path: Path) -> None:
    """The model's own estimate is an independent one."""
    notes: list[str] = []
    read_finn(
        saved(tmp_path / "one.onnx", [matrix("a", ["in", "w"], ["out"], cycles_estimate=9)], constants=["w"]),
        notes=notes,
    )
    assert notes[0] == "a takes 8 cycles a frame; FINN estimates 9"


def test_frames_follow_each_other_at_the_pace_of_the_slowest_layer() -> None:
    """The convolution: 256 pixels, nine words of a window, four groups of two channels."""
    one, two = (simulate(read_finn(RESIDUAL, frames=n).with_depths({BYPASS: 256})).cycles for n in (2, 3))
    assert one is not None
    assert two is not None
    slowest = 256 * 9 * 4
    assert slowest <= two - one <= 1.01 * slowest


# --- There and back


def depths_of(graph: TimedGraph) -> dict[str, int]:
    """Depths by FIFO."""
    return {fifo.name: fifo.depth for fifo in graph.fifos}


def test_a_folding_configuration_carries_depths(tmp_path: Path) -> None:
    """What is written is what FINN reads: per node, a depth per stream."""
    graph = read_finn(RESIDUAL)
    sized = graph.with_depths({fifo.name: 3 + number for number, fifo in enumerate(graph.fifos)})
    folding = tmp_path / "folding.json"
    write_depths(sized, RESIDUAL, folding)
    asked = json.loads(folding.read_text())
    beside, branch = depths_of(sized)[BYPASS], depths_of(sized)["fork__pad"]
    assert asked["fork"]["outFIFODepths"] == [branch, beside]
    assert asked["join"]["inFIFODepths"][0] == beside
    assert depths_of(read_finn(RESIDUAL, folding=folding)) == depths_of(sized)


def test_fifo_nodes_get_their_depths(tmp_path: Path) -> None:
    """In a model with FIFOs, those are made deeper; of pieces of one, the first."""
    path = with_fifos(tmp_path / "model.onnx")
    graph = read_finn(path)
    assert depths_of(graph) == {"first": 5, "between": 20, "last": 2}
    sized = graph.with_depths({"first": 26, "between": 40})
    folding = tmp_path / "folding.json"
    write_depths(sized, path, folding)
    assert json.loads(folding.read_text())["first"] == {"depth": 26}
    assert depths_of(read_finn(path, folding=folding)) == depths_of(sized)


def test_depths_of_another_design_are_refused(tmp_path: Path) -> None:
    """FIFOs are matched by name."""
    other = with_fifos(tmp_path / "model.onnx")
    with pytest.raises(InputError, match="no FIFO"):
        write_depths(read_finn(RESIDUAL), other, tmp_path / "folding.json")


def test_an_imported_graph_is_written_and_read(tmp_path: Path) -> None:
    """The JSON holds all of it."""
    graph = read_finn(RESIDUAL)
    write_timed_graph(graph, tmp_path / "design.json")
    assert read_timed_graph(tmp_path / "design.json") == graph


def test_folding_overrides_the_model(tmp_path: Path) -> None:
    """As in FINN, values stand per node, and defaults per operation."""
    folding = tmp_path / "folding.json"
    folding.write_text(json.dumps({"Defaults": {}, "convolution": {"PE": 4}}))
    graph = read_finn(RESIDUAL, folding=folding)
    unit = next(process for process in graph.processes if process.name == "convolution")
    assert isinstance(unit, Pipeline)
    assert sum(loop.iterations for loop in unit.loops) == 256 * 9 * 2
    folding.write_text(json.dumps({"Defaults": {"outFIFODepths": [[9, 9], ["DuplicateStreams_hls"]]}}))
    assert depths_of(read_finn(RESIDUAL, folding=folding))[BYPASS] == 9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"convolutino": {"PE": 4}}', "did you mean 'convolution'"),
        ('{"convolution": {"PE": 3}}', "PE of 3 does not divide MH=8"),
        ('{"convolution": {"PE": "many"}}', "not a whole number"),
        ('{"convolution": 4}', "not a JSON object of attributes"),
        ("[]", "not a JSON object of attributes"),
    ],
)
def test_a_folding_that_is_impossible_is_refused(tmp_path: Path, content: str, message: str) -> None:
    """With the node and, where one is near, the name that was meant."""
    folding = tmp_path / "folding.json"
    folding.write_text(content)
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_finn(RESIDUAL, folding=folding)


# --- Layers made for the test


def test_a_converter_is_put_where_folding_differs(tmp_path: Path) -> None:
    """Four elements a token meet two: what FINN's InsertDWC does."""
    nodes = [matrix("a", ["in", "w"], ["x"]), matrix("b", ["x", "v"], ["out"])]
    graph = read_finn(saved(tmp_path / "two.onnx", nodes, constants=["w", "v"]))
    assert {fifo.name: fifo.bits for fifo in graph.fifos} == {
        "in__a": 8, "a__b": 16, "a__b__dwc_out": 8, "b__out": 16,
    }  # fmt: skip
    # Two times four cycles each; b's first read is of what a writes in its fourth.
    assert simulate(graph).cycles == simulate(graph, engine="simpy").cycles


def test_weights_may_be_a_stream(tmp_path: Path) -> None:
    """An input that is no constant is read in every cycle."""
    graph = read_finn(
        saved(tmp_path / "one.onnx", [matrix("a", ["in", "w"], ["out"], weightDataType="INT4")], inputs=["in", "w"])
    )
    bits = {fifo.name: fifo.bits for fifo in graph.fifos}
    assert bits["w__a"] == 2 * 4 * 4
    assert simulate(graph).verdict == "done"


@pytest.mark.parametrize(
    ("op", "attributes", "cycles", "reads", "writes"),
    [
        ("Thresholding_rtl", {"NumChannels": 8, "PE": 2, "numInputVectors": [1, 4, 4]}, 64, 64, 64),
        ("VVAU_hls", {"PE": 2, "SIMD": 3, "Dim": [4, 4], "Kernel": [3, 3], "Channels": 8}, 192, 192, 64),
        ("FMPadding_rtl", {"ImgDim": [4, 5], "Padding": [1, 2, 3, 4], "NumChannels": 4, "SIMD": 2}, 176, 40, 176),
        ("FMPadding_Pixel_hls", {"ImgDim": [3, 3], "Stride": [2, 3], "NumChannels": 4, "SIMD": 4}, 35, 9, 35),
        ("Pool_hls", {"PE": 2, "Channels": 4, "KernelSize": [2, 2], "OutImgDims": [3, 3], "BatchSize": 1}, 72, 72, 18),
        ("StreamingMaxPool_hls", {"ImgDim": [8, 8], "PoolDim": [2, 2], "NumChannels": 4}, 80, 64, 16),
        ("StreamingMaxPool_hls", {"ImgDim": [1, 9], "PoolDim": [1, 4], "NumChannels": 4, "PE": 2}, 22, 18, 4),
        ("GlobalAccPool_hls", {"PE": 2, "NumChannels": 4, "numInputVectors": [1, 3, 3]}, 20, 18, 2),
        ("LabelSelect_hls", {"PE": 1, "Labels": 10, "K": 1}, 11, 10, 1),
        ("DownSampler_hls", {"ImgDim": 5, "NumChannels": 4, "SIMD": 2, "Stride": 2, "numInputVectors": 1}, 50, 50, 18),
        ("UpsampleNearestNeighbour_hls", {"IFMDim": 3, "OFMDim": 6, "NumChannels": 4}, 36, 9, 36),
        ("Lookup_hls", {"InputShape": [7], "EmbeddingDim": 16}, 7, 7, 7),
        ("TLastMarker_hls", {"NumIters": 9, "StreamWidth": 8, "ElemWidth": 4}, 9, 9, 9),
        ("StreamingDataWidthConverter_rtl", {"inWidth": 6, "outWidth": 4, "shape": [6], "dataType": "INT4"}, 6, 4, 6),
    ],
)  # fmt: skip
def test_tokens_and_cycles_of_a_layer(
    tmp_path: Path, op: str, attributes: dict[str, Any], cycles: int, reads: int, writes: int
) -> None:
    """Counted by hand from FINN's formulas, which have nothing for the label that is written."""
    path = saved(tmp_path / "one.onnx", [layer(op, ["in", "t"], ["out"], name="a", **attributes)], constants=["t"])
    found = layer_of(read_model(path).nodes[0])
    assert (found.cycles, found.tokens("read", 0), found.tokens("write", 0)) == (cycles, reads, writes)


@pytest.mark.parametrize(
    ("op", "attributes", "cycles"),
    [
        ("MVAU_hls", {"MW": 2, "MH": 50, "SIMD": 1, "PE": 1, "numInputVectors": [1, 2, 7]}, 1400),
        ("MVAU_hls", {"MW": 450, "MH": 50, "SIMD": 1, "PE": 1, "numInputVectors": [1, 2, 7]}, 315_000),
        ("FMPadding_rtl", {"ImgDim": [2, 7], "Padding": [1, 0, 1, 1], "NumChannels": 50, "SIMD": 50}, 32),
        ("Pool_hls", {"PE": 1, "Channels": 50, "KernelSize": [2, 2], "OutImgDims": [2, 7], "BatchSize": 1}, 2800),
        ("ConvolutionInputGenerator_rtl", window([4, 8], [2, 7], [3, 2], [1, 1], 50), 5100),
        ("ConvolutionInputGenerator_rtl", window([8, 28], [2, 7], [1, 1], [4, 4], 2), 450),
        ("ConvolutionInputGenerator_rtl", window([8, 28], [4, 14], [2, 2], [2, 2], 2, depthwise=1), 620),
        ("ConvolutionInputGenerator_rtl", window([4, 14], [2, 7], [2, 2], [2, 2], 50, depthwise=1), 4986),
    ],
)  # fmt: skip
def test_cycles_are_those_of_finns_estimate(tmp_path: Path, op: str, attributes: dict[str, Any], cycles: int) -> None:
    """Sizes and cycles of layers of a public build (see test_public_designs, which reads all of it)."""
    given = {"inputDataType": "INT4", "outputDataType": "INT4", **attributes}
    path = saved(tmp_path / "one.onnx", [layer(op, ["in", "w"], ["out"], name="a", **given)], constants=["w"])
    assert layer_of(read_model(path).nodes[0]).cycles == cycles


@pytest.mark.parametrize(
    ("op", "attributes", "code", "message"),
    [
        ("FMPadding_rtl", {"ImgDim": [4, 4], "Padding": [1, 1], "NumChannels": 4}, "bad-attribute",
         "Padding has 2 entries, not 4"),
        ("FMPadding_rtl", {"ImgDim": [4, 4, 4], "NumChannels": 4}, "bad-attribute", "ImgDim has 3 entries, not 2"),
        ("FMPadding_rtl", {"ImgDim": ["a", "b"], "NumChannels": 4}, "not-whole", "ImgDim"),
        ("StreamingMaxPool_hls", {"ImgDim": [7, 7], "PoolDim": [2, 2], "NumChannels": 4, "CeilMode": 1}, "cut-window",
         "windows that reach beyond the image have no known rate"),
        ("StreamingMaxPool_hls", {"ImgDim": [2, 7], "PoolDim": [3, 2], "NumChannels": 4}, "cut-window",
         "windows that reach beyond the image"),
        ("Lookup_hls", {"InputShape": [7], "EmbeddingDim": 16, "mem_mode": "external"}, "external-lookup",
         "an embedding in external memory has no fixed rate"),
        ("ElementwiseAdd_hls", {"lhs_shape": [1, 8], "rhs_shape": [1, 1], "out_shape": [1, 8], "PE": 2}, "broadcast",
         "an operand that is repeated has no known rate"),
        ("Thresholdin_rtl", {"NumChannels": 8, "PE": 2}, "unknown-layer", "did you mean 'Thresholding'?"),
        ("Thresholding_rtl", {"NumChannels": 8, "PE": [2, 2]}, "", "PE"),
    ],
)  # fmt: skip
def test_layers_without_a_rate_are_refused(
    tmp_path: Path, op: str, attributes: dict[str, Any], code: str, message: str
) -> None:
    """With the attribute, and at the node."""
    path = saved(tmp_path / "one.onnx", [layer(op, ["in", "t"], ["out"], name="a", **attributes)], constants=["t"])
    with pytest.raises(InputError) as caught:
        layer_of(read_model(path).nodes[0])
    assert code in ("", caught.value.code)
    assert message in str(caught.value)
    assert caught.value.where == f"{path}: a"


def test_lists_of_one_and_lines_are_what_earlier_releases_wrote(tmp_path: Path) -> None:
    """A number as a list of one; an image of one row."""
    nodes = [layer("Thresholding_rtl", ["in", "t"], ["out"], name="a", NumChannels=[8], PE=[2], numInputVectors=[3])]
    found = layer_of(read_model(saved(tmp_path / "one.onnx", nodes, constants=["t"])).nodes[0])
    assert (found.cycles, found.in_elements) == (12, (2,))
    nodes = [
        layer("UpsampleNearestNeighbour_hls", ["in"], ["out"], name="a", IFMDim=3, OFMDim=6, NumChannels=4, DimMode=1)
    ]
    found = layer_of(read_model(saved(tmp_path / "line.onnx", nodes)).nodes[0])
    assert (found.tokens("read", 0), found.tokens("write", 0), found.cycles) == (3, 6, 6)
    nodes = [layer("DownSampler_hls", ["in"], ["out"], name="a", ImgDim=5, NumChannels=4, SIMD=2, Stride=2, is1D=1)]
    found = layer_of(read_model(saved(tmp_path / "line.onnx", nodes)).nodes[0])
    assert (found.tokens("read", 0), found.tokens("write", 0)) == (10, 6)


def test_two_streams_or_a_stream_and_a_constant_are_added(tmp_path: Path) -> None:
    """The shape of a constant may be any."""
    given = {"lhs_shape": [2, 8], "out_shape": [2, 8], "PE": 4, "lhs_dtype": "INT4"}
    one = layer("ElementwiseMul_hls", ["in", "c"], ["out"], name="a", rhs_shape=[1], rhs_style="const", **given)
    both = layer("ElementwiseAdd_hls", ["in", "b"], ["out"], name="a", rhs_shape=[2, 8], **given)
    for node, reads in ((one, 4), (both, 4)):
        found = layer_of(read_model(saved(tmp_path / "e.onnx", [node], inputs=["in", "b"])).nodes[0])
        assert (found.tokens("read", 0), found.tokens("write", 0)) == (reads, reads)


def test_streams_are_joined_and_split_one_after_the_other(tmp_path: Path) -> None:
    """With a SIMD, channels of several streams share one; without, they lie side by side."""
    cases: list[tuple[dict[str, Any], int, tuple[int, int]]] = [({"SIMD": 2}, 12, (2, 2)), ({}, 2, (4, 8))]
    for attributes, cycles, widths in cases:
        nodes = [
            layer(
                "StreamingConcat_hls",
                ["in", "b"],
                ["out"],
                name="a",
                ChannelsPerStream=[4, 8],
                numInputVectors=[2],
                **attributes,
            )
        ]
        found = layer_of(read_model(saved(tmp_path / "join.onnx", nodes, inputs=["in", "b"])).nodes[0])
        assert (found.cycles, found.in_elements) == (cycles, widths)
        nodes = [
            layer(
                "StreamingSplit_hls",
                ["in"],
                ["out", "p"],
                name="a",
                ChannelsPerStream=[4, 8],
                numInputVectors=[2],
                **attributes,
            )
        ]
        found = layer_of(read_model(saved(tmp_path / "split.onnx", nodes, outputs=["out", "p"])).nodes[0])
        assert (found.cycles, found.out_elements) == (cycles, widths)


def test_names_of_earlier_releases(tmp_path: Path) -> None:
    """FINN up to 0.9 had suffixes and names of its own."""
    given = {"MW": 8, "MH": 8, "SIMD": 2, "PE": 4, "inputDataType": "INT4", "outputDataType": "INT4"}
    for op in ("StreamingFCLayer_Batch", "MatrixVectorActivation", "MVAU", "MVAU_rtl"):
        path = saved(tmp_path / "old.onnx", [layer(op, ["in", "w"], ["out"], **given)], constants=["w"])
        assert [process.name for process in read_finn(path).processes] == [f"{op}_0", "in", f"{op}_0__out__sink"]


def test_direct_memory_access_at_both_ends(tmp_path: Path) -> None:
    """A port half as wide as the stream gives a token every other cycle, and needs no source or sink."""
    memory = {"NumChannels": 8, "dataType": "INT4", "streamWidth": 8, "intfWidth": 4}
    nodes = [
        layer("IODMA_hls", ["in"], ["x"], name="load", direction="in", **memory),
        matrix("a", ["x", "w"], ["y"], PE=2),
        layer("IODMA_hls", ["y"], ["out"], name="store", direction="out", **memory),
    ]
    graph = read_finn(saved(tmp_path / "memory.onnx", nodes, constants=["w"]), frames=10)
    assert [process.name for process in graph.processes] == ["load", "a", "store"]
    done = simulate(graph)
    assert done.verdict == "done"
    assert done.cycles == simulate(graph, engine="simpy").cycles
    # Ten frames of sixteen cycles; in each, four tokens are read at once, of which two have been waiting.
    assert 10 * 16 <= (done.cycles or 0) <= 10 * (16 + 2)


@pytest.mark.parametrize(
    ("name", "bits"), [("INT4", 4), ("UINT12", 12), ("BIPOLAR", 1), ("TERNARY", 2), ("FIXED<8,4>", 8), ("FLOAT16", 16)]
)
def test_element_types(name: str, bits: int) -> None:
    """QONNX's names."""
    assert element_bits(name, "here") == bits


# --- What a model says of clocks, types and FIFOs


def clocked(path: Path, key: str, value: str) -> Path:
    """A unit in a model whose metadata has an entry."""
    saved(path, [matrix("a", ["in", "w"], ["out"], cycles_estimate=8)], constants=["w"])
    model = ModelProto()
    model.ParseFromString(path.read_bytes())
    model.metadata_props.add(key=key, value=value)
    path.write_bytes(model.SerializeToString())
    return path


def test_a_clock_of_the_model_is_taken(tmp_path: Path) -> None:
    """In ns, from its metadata; an estimate that fits is no reason to say anything."""
    notes: list[str] = []
    assert read_finn(clocked(tmp_path / "c.onnx", "clk_ns", "4.0"), notes=notes).clock_mhz == 250
    assert notes == []
    nodes = [matrix("a", ["in", "w"], ["out"], clk_ns="2.5")]
    assert read_finn(saved(tmp_path / "n.onnx", nodes, constants=["w"])).clock_mhz == 400


@pytest.mark.parametrize("text", ["nan", "0", "-5", "1e300", "ten", "1_0"])
def test_a_clock_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    """As it stands in the file."""
    with pytest.raises(InputError) as caught:
        read_finn(clocked(tmp_path / "c.onnx", "clk_ns", text))
    assert (caught.value.code, caught.value.what) == ("bad-clock", f"clk_ns is '{text}'")


def test_an_annotated_type_comes_before_those_of_the_nodes(tmp_path: Path) -> None:
    """FINN annotates tensors; a stream without any type has no width."""
    path = saved(tmp_path / "t.onnx", [matrix("a", ["in", "w"], ["out"])], constants=["w"])
    model = ModelProto()
    model.ParseFromString(path.read_bytes())
    annotation = model.graph.quantization_annotation.add(tensor_name="out")
    annotation.quant_parameter_tensor_names.add(key="scale", value="INT3")
    annotation.quant_parameter_tensor_names.add(key="finn_datatype", value="INT17")
    path.write_bytes(model.SerializeToString())
    assert {fifo.name: fifo.bits for fifo in read_finn(path).fifos} == {"in__a": 2 * 4, "a__out": 4 * 17}
    nodes = [matrix("a", ["in", "w"], ["out"], inputDataType="", outputDataType="")]
    with pytest.raises(InputError, match="no element type of stream 'in__a'") as caught:
        read_finn(saved(tmp_path / "u.onnx", nodes, constants=["w"]))
    assert caught.value.hints == ("annotate the tensor", "run FINN's InferDataTypes")


def test_only_pieces_in_their_order_are_one_fifo(tmp_path: Path) -> None:
    """Names alone do not make one."""
    kind = {"folded_shape": [1, 4, 2], "dataType": "INT4"}
    nodes = [
        layer("StreamingFIFO_rtl", ["in"], ["x0"], name="f_0", depth=16, **kind),
        layer("StreamingFIFO_rtl", ["x0"], ["x"], name="f_2", depth=4, **kind),
        matrix("a", ["x", "w"], ["y"]),
        layer("StreamingFIFO_rtl", ["y"], ["y0"], name="g_1", depth=3, **kind),
        layer("StreamingFIFO_rtl", ["y0"], ["out"], name="plain", depth=2, **kind),
    ]
    graph = read_finn(saved(tmp_path / "p.onnx", nodes, constants=["w"]))
    assert [(fifo.name, fifo.depth, fifo.latency) for fifo in graph.fifos] == [("f_0", 20, 1), ("g_1", 5, 1)]
    write_depths(graph.with_depths({"f_0": 30}), tmp_path / "p.onnx", tmp_path / "folding.json")
    written = json.loads((tmp_path / "folding.json").read_text())
    assert {name: written[name]["depth"] for name in ("f_0", "f_2", "g_1", "plain")} == {
        "f_0": 26, "f_2": 4, "g_1": 3, "plain": 2
    }  # fmt: skip
    whole = read_finn(with_fifos(tmp_path / "model.onnx"))
    assert [(fifo.name, fifo.latency) for fifo in whole.fifos] == [("first", 0), ("between", 1), ("last", 0)]


# --- Files that are no such models


@pytest.mark.parametrize(
    ("nodes", "code", "message"),
    [
        (
            [layer("StreamingFIFO_rtl", [], ["x"], name="f", depth=2), matrix("a", ["x", "w"], ["out"])],
            "open-end", "f: a FIFO without an input",
        ),
        (
            [
                matrix("a", ["in", "w"], ["x"]), matrix("b", ["x", "w", "x2"], ["out"]),
                matrix("c", ["in2", "w"], ["x2"]),
            ],
            "no-such-port", "b: input 2 is no stream of a MVAU_hls",
        ),
        ([matrix("a", ["in", "w"], ["out", "more"])], "open-end", "nothing reads its output 'more'"),
    ],
)  # fmt: skip
def test_streams_without_an_end_are_refused(tmp_path: Path, nodes: list[NodeProto], code: str, message: str) -> None:
    """At the node."""
    with pytest.raises(InputError) as caught:
        read_finn(saved(tmp_path / "bad.onnx", nodes, inputs=["in", "in2"], constants=["w"]))
    assert (caught.value.code, message in str(caught.value)) == (code, True), str(caught.value)


def test_networks_without_layers_are_refused(tmp_path: Path) -> None:
    """A QONNX network has no rates yet; the message says which step gives it some."""
    nodes = [helper.make_node("MatMul", ["in", "w"], ["x"]), helper.make_node("Quant", ["x"], ["out"], domain="qonnx")]
    with pytest.raises(InputError, match="MatMul, Quant are no layers with a rate; run FINN's build"):
        read_finn(saved(tmp_path / "plain.onnx", nodes, constants=["w"]))


def test_the_parent_of_a_partition_names_its_child(tmp_path: Path) -> None:
    """The layers are in the file that the partition names."""
    node = helper.make_node(
        "StreamingDataflowPartition", ["in"], ["out"], domain="finn.custom_op.fpgadataflow", model="/tmp/x/child.onnx"
    )
    with pytest.raises(InputError, match=r"import the model of the partition, child\.onnx"):
        read_finn(saved(tmp_path / "parent.onnx", [node]))


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([layer("FINNLoop_hls", ["in"], ["out"])], "no schedule is known for FINNLoop_hls"),
        ([layer("MVAU_hls", ["in", "w"], ["out"], name="a", MW=8)], "attribute 'MH' is missing"),
        ([matrix("a", ["in", "w"], ["out"], PE=0)], "PE is 0, at least 1"),
        ([matrix("a", ["in", "w"], ["out"], MH=-8)], "MH is -8, at least 1"),
        ([matrix("a", ["in", "w"], ["out"], MH=1 << 60)], "at most"),
        ([matrix("a", ["in", "w"], ["out"], inputDataType="INT9999999")], "unknown element type"),
        ([matrix("a", ["in", "w"], ["out"], inputDataType="INT0")], "unknown element type"),
        ([matrix("a", ["in", "w"], ["out"], inFIFODepths=[1 << 50])], "at most"),
        ([matrix("a", ["nowhere", "w"], ["out"])], "nothing writes its input 'nowhere'"),
        ([matrix("a", ["in", "w"], ["x"])], "nothing reads its output 'x'"),
        ([matrix("a", ["in", "w"], ["x"]), matrix("a", ["x", "w"], ["out"])], "two nodes are called 'a'"),
        ([matrix("a", ["in", "w"], ["x"]), matrix("b", ["x", "w"], ["out"], MW=16)], "bits a frame are written"),
        ([matrix("a", ["in", "w"], ["x"]), matrix("b", ["x"], ["y"]), matrix("c", ["x"], ["out"])], "two readers"),
        ([layer("AddStreams_hls", ["in"], ["out"], NumChannels=4, PE=2, inputDataType="INT4")], "no input 1"),
        ([layer("DuplicateStreams_hls", ["in"], ["out"], NumChannels=4, PE=2, inputDataType="INT4")], "no output 1"),
        ([layer("DuplicateStreams_hls", ["in"], ["out"], NumChannels=4, PE=2, NumOutputStreams=1 << 40)], "no output"),
        ([matrix("a", ["in", "w"], ["out"]), matrix("b", ["in", "w"], ["out"])], "two writers"),
        ([matrix("a\x1b[31m", ["in", "w"], ["out"])], "printable"),
        ([matrix("a" * 300, ["in", "w"], ["out"])], "up to 200"),
    ],
)  # fmt: skip
def test_impossible_models_are_refused(tmp_path: Path, nodes: list[NodeProto], message: str) -> None:
    """In one line, with the node."""
    with pytest.raises(InputError, match=message) as caught:
        read_finn(saved(tmp_path / "bad.onnx", nodes, constants=["w"]))
    assert "\n" not in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_a_circle_of_fifos_is_refused(tmp_path: Path) -> None:
    """It would otherwise be followed for ever."""
    nodes = [
        layer("StreamingFIFO_rtl", ["b"], ["a"], name="f", depth=2),
        layer("StreamingFIFO_rtl", ["a"], ["b"], name="g", depth=2),
        matrix("m", ["b", "w"], ["out"]),
    ]
    with pytest.raises(InputError, match="two readers"):
        read_finn(saved(tmp_path / "circle.onnx", nodes, constants=["w"]))


@pytest.mark.parametrize("data", [b"", b"not a model", b"\xff" * 64, b"{}", RESIDUAL.read_bytes()[:1500]])
def test_files_that_are_no_onnx_are_refused(tmp_path: Path, data: bytes) -> None:
    """Whatever stands in them."""
    path = tmp_path / "bad.onnx"
    path.write_bytes(data)
    with pytest.raises(InputError):
        read_finn(path)


def test_every_damage_of_a_model_is_an_input_error(tmp_path: Path) -> None:
    """A byte changed anywhere gives a graph or one line, never a traceback."""
    data = bytearray(RESIDUAL.read_bytes())
    path = tmp_path / "damaged.onnx"
    outcomes: set[str] = set()
    for place in range(7, len(data), 37):
        damaged = bytearray(data)
        damaged[place] ^= 0x55
        path.write_bytes(damaged)
        try:
            read_finn(path)
        except InputError as error:
            outcomes.add(str(error))
        else:
            outcomes.add("read")
    assert len(outcomes) > 3
    assert not any("\n" in outcome for outcome in outcomes)


def test_without_the_package_the_hint_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    """onnx is an extra."""
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ToolMissingError, match=r"pip install 'sttest\[finn\]'"):
        read_finn(RESIDUAL)
