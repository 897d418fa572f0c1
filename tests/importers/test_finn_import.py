"""FINN models: cycles against FINN's own reports, deadlocks against its depths, damaged and hostile files."""

import gzip
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sttest.core.errors import InputError, ToolMissingError
from sttest.importers.finn import read_finn, write_depths
from sttest.importers.finn_layers import kind_of, layer_of
from sttest.importers.finn_model import element_bits, read_model
from sttest.sim import Pipeline, TimedGraph, read_timed_graph, simulate, write_timed_graph

pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")

from onnx import ModelProto, NodeProto, TensorProto, helper

DATA = Path(__file__).parents[1] / "data/finn"
RESIDUAL = DATA / "residual_testcase.onnx"
TAIL = DATA / "metafi_tail.onnx"
BYPASS = "DuplicateStreams_Batch_0__AddStreams_Batch_0"


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


# --- Real models


def test_cycles_of_every_layer_are_those_that_finn_reports(tmp_path: Path) -> None:
    """143 layers of a public build: the loops that are simulated add up to the cycles of FINN's own report."""
    path = tmp_path / "metafi.onnx"
    path.write_bytes(gzip.decompress((DATA / "metafi.onnx.gz").read_bytes()))
    reported = json.loads((DATA / "metafi_estimate_layer_cycles.json").read_text())
    performance = json.loads((DATA / "metafi_estimate_network_performance.json").read_text())
    layers = {node.name: layer_of(node).cycles for node in read_model(path).nodes if kind_of(node) != "StreamingFIFO"}
    assert {name: layers[name] for name in reported} == reported
    assert len(reported) == 143
    slowest = max(layers, key=lambda name: layers[name])
    assert (slowest, layers[slowest]) == (performance["max_cycles_node_name"], performance["max_cycles"])


def test_a_whole_build_is_imported(tmp_path: Path) -> None:
    """Frames fit together over 237 streams, and the depths are those of the FIFO nodes."""
    path = tmp_path / "metafi.onnx"
    path.write_bytes(gzip.decompress((DATA / "metafi.onnx.gz").read_bytes()))
    notes: list[str] = []
    graph = read_finn(path, notes=notes)
    assert (len(graph.processes), len(graph.fifos)) == (226, 237)
    assert notes == ["a clock of 10 ns, FINN's default: the model names none"]
    assert {fifo.name: fifo.depth for fifo in graph.fifos}["StreamingFIFO_rtl_7"] == 3515


def test_a_residual_block_deadlocks_at_the_depths_of_the_model() -> None:
    """FINN's own test case has no FIFO beside its branch of layers."""
    graph = read_finn(RESIDUAL)
    stuck = simulate(graph)
    assert stuck.verdict == "deadlock"
    assert stuck.deadlock is not None
    fix = stuck.deadlock.fix
    assert fix is not None
    assert set(fix) == {BYPASS}
    freed = graph.with_depths(fix)
    assert simulate(freed).verdict == "done"
    assert simulate(freed, engine="simpy").cycles == simulate(freed).cycles
    assert simulate(graph.with_depths({BYPASS: fix[BYPASS] - 1})).verdict == "deadlock"


def test_what_is_assumed_of_a_model_is_told() -> None:
    """This one is from before FINN told HLS and RTL layers apart, and names no clock."""
    notes: list[str] = []
    read_finn(RESIDUAL, notes=notes)
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
    """FINN estimates 16,384 cycles for the slowest layer of the residual block."""
    one, two = (simulate(read_finn(RESIDUAL, frames=n).with_depths({BYPASS: 1024})).cycles for n in (2, 3))
    assert one is not None
    assert two is not None
    assert 16_384 <= two - one <= 1.01 * 16_384


HOW_TO = (Path(__file__).parents[2] / "docs/how-to/import-tapa-finn.md").read_text()


def test_the_depth_found_on_a_card_against_the_least_of_the_model() -> None:
    """The last part of the build, with the depth that FINN+ found; the page has both."""
    graph = read_finn(TAIL)
    assert depths_of(graph)["StreamingFIFO_rtl_215"] == 21
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.fix == {"StreamingFIFO_rtl_215": 26}
    assert simulate(graph.with_depths(deadlock.fix)).verdict == "done"
    assert "| `StreamingFIFO_rtl_215` | 21 | 26 |" in HOW_TO


@pytest.mark.nightly
def test_depths_of_a_whole_block_against_those_found_on_a_card(tmp_path: Path) -> None:
    """The first residual block of the build, two FIFOs beside two convolutions of 38 by 114 pixels."""
    model = ModelProto()
    model.ParseFromString(gzip.decompress((DATA / "metafi.onnx.gz").read_bytes()))
    before = {tensor: node for node in model.graph.node for tensor in node.output}
    names, todo = set[str](), [node for node in model.graph.node if node.name == "AddStreams_hls_0"]
    model.graph.output[0].name = todo[0].output[0]
    while todo:
        node = todo.pop()
        names.add(node.name)
        todo += [before[tensor] for tensor in node.input if tensor in before and before[tensor].name not in names]
    kept = [node for node in model.graph.node if node.name in names]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    path = tmp_path / "block.onnx"
    path.write_bytes(model.SerializeToString())
    graph = read_finn(path)
    found = depths_of(graph)
    beside = found["StreamingFIFO_rtl_9"]
    assert found["StreamingFIFO_rtl_7"] + beside == 7410
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.fix == {"StreamingFIFO_rtl_7": 7456 - beside}
    assert "| `StreamingFIFO_rtl_7` and `_9` | 7,410 | 7,456 |" in HOW_TO


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
    beside, branch = depths_of(sized)[BYPASS], depths_of(sized)["DuplicateStreams_Batch_0__FMPadding_Batch_0"]
    assert asked["DuplicateStreams_Batch_0"]["outFIFODepths"] == [branch, beside]
    assert asked["AddStreams_Batch_0"]["inFIFODepths"][0] == beside
    assert depths_of(read_finn(RESIDUAL, folding=folding)) == depths_of(sized)


def test_fifo_nodes_get_their_depths(tmp_path: Path) -> None:
    """In a model with FIFOs, those are made deeper."""
    graph = read_finn(TAIL)
    sized = graph.with_depths({"StreamingFIFO_rtl_215": 26})
    folding = tmp_path / "folding.json"
    write_depths(sized, TAIL, folding)
    assert json.loads(folding.read_text())["StreamingFIFO_rtl_215"] == {"depth": 26}
    assert depths_of(read_finn(TAIL, folding=folding)) == depths_of(sized)


def test_depths_of_another_design_are_refused(tmp_path: Path) -> None:
    """FIFOs are matched by name."""
    with pytest.raises(InputError, match="no FIFO"):
        write_depths(read_finn(RESIDUAL), TAIL, tmp_path / "folding.json")


def test_an_imported_graph_is_written_and_read(tmp_path: Path) -> None:
    """The JSON holds all of it."""
    graph = read_finn(RESIDUAL)
    write_timed_graph(graph, tmp_path / "design.json")
    assert read_timed_graph(tmp_path / "design.json") == graph


def test_folding_overrides_the_model(tmp_path: Path) -> None:
    """As in FINN, values stand per node, and defaults per operation."""
    folding = tmp_path / "folding.json"
    folding.write_text(json.dumps({"Defaults": {}, "MatrixVectorActivation_0": {"PE": 4}}))
    graph = read_finn(RESIDUAL, folding=folding)
    unit = next(process for process in graph.processes if process.name == "MatrixVectorActivation_0")
    assert isinstance(unit, Pipeline)
    assert sum(loop.iterations for loop in unit.loops) == 4096
    folding.write_text(json.dumps({"Defaults": {"outFIFODepths": [[9, 9], ["DuplicateStreams_Batch"]]}}))
    assert depths_of(read_finn(RESIDUAL, folding=folding))[BYPASS] == 9


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"MatrixVectorActivation_1": {"PE": 4}}', "did you mean 'MatrixVectorActivation_0'"),
        ('{"MatrixVectorActivation_0": {"PE": 3}}', "PE of 3 does not divide MH=16"),
        ('{"MatrixVectorActivation_0": {"PE": "many"}}', "not a whole number"),
        ('{"MatrixVectorActivation_0": 4}', "not a JSON object of attributes"),
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


# --- Files that are no such models


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


@pytest.mark.parametrize("data", [b"", b"not a model", b"\xff" * 64, b"{}", RESIDUAL.read_bytes()[:4000]])
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
    for place in range(7, len(data), 61):
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


def test_models_are_onnx_that_others_read() -> None:
    """The test data is what it says."""
    model = ModelProto()
    model.ParseFromString(TAIL.read_bytes())
    assert len(model.graph.node) == 49
