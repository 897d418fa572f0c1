"""Public designs of FINN, FINN+ and TAPA, where clones of their repositories are at hand: nothing of them is kept here.

Files are taken from one commit of a clone, whatever is checked out in it; a bare one will do.
"""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sttest.importers.finn import read_finn, write_depths
from sttest.importers.finn_layers import kind_of, layer_of
from sttest.importers.finn_model import read_model
from sttest.importers.tapa import read_tapa
from sttest.importers.tapa import write_depths as write_tapa_depths
from sttest.sim import simulate

pytestmark = pytest.mark.nightly
HOW_TO = (Path(__file__).parents[2] / "docs/your-design/import-tapa-finn.md").read_text()


@dataclass(frozen=True)
class Repository:
    """A commit of a public repository, and the environment variable that names a clone."""

    variable: str
    name: str
    commit: str
    branch: str = ""

    def file(self, path: str, out: Path) -> Path:
        """Writes one of its files; skips the test without a clone, fails it without the commit."""
        if self.variable not in os.environ:
            branch = f", of branch {self.branch}" if self.branch else ""
            pytest.skip(f"{self.variable} names no clone of https://github.com/{self.name} with {self.commit}{branch}")
        line = ["git", "-C", os.environ[self.variable], "show", f"{self.commit}:{path}"]
        out.write_bytes(subprocess.run(line, check=True, capture_output=True, timeout=60).stdout)
        return out


FINN = Repository("STTEST_FINN", "Xilinx/finn", "39f0c9a6b7675f62d47390fbf9a591707bcbac9b")
FINN_PLUS = Repository(
    "STTEST_FINN_PLUS", "eki-project/finn-plus", "21e8c3400ed344f8fecd00f76f0f91d9fadac757", "wifisense/metafi_livefifo"
)
TAPA = Repository("STTEST_TAPA", "rapidstream-org/rapidstream-tapa", "9a572fc40c74b533aaf29a728a1697cc2248de28")

# A build of a residual network for a card, with the FIFO depths that FINN+ found by running it there.
BUILD = "metafi/output_trainedMMFIMediumBBonly_debug_tbt"
RATES = """\
clock_mhz: 250
tasks:
  Mmap2Stream: {iterations: 1024, interval: 1, latency: 70, streams: {stream: 1}}
  Add: {iterations: 1024, interval: 1, latency: 8, streams: {a: 1, b: 1, c: 1}}
  Stream2Mmap: {iterations: 1024, interval: 2, latency: 5, streams: {stream: 1}}
"""


# --- FINN


@pytest.fixture
def residual(tmp_path: Path) -> Path:
    """A test case of FINN: a residual block, before FIFOs are inserted."""
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    return FINN.file("src/finn/qnn-data/testcase/residual_testcase.onnx", tmp_path / "residual.onnx")


def test_the_residual_block_of_finn_deadlocks(residual: Path) -> None:
    """It has no FIFO beside its branch of layers."""
    beside = "DuplicateStreams_Batch_0__AddStreams_Batch_0"
    graph = read_finn(residual)
    assert (len(graph.processes), len(graph.fifos)) == (9, 9)
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.fix is not None
    assert set(deadlock.fix) == {beside}
    freed = graph.with_depths(deadlock.fix)
    assert simulate(freed).verdict == "done"
    assert simulate(freed, engine="simpy").cycles == simulate(freed).cycles
    assert simulate(graph.with_depths({beside: deadlock.fix[beside] - 1})).verdict == "deadlock"


def test_frames_of_finns_block_are_as_far_apart_as_its_slowest_layer(residual: Path) -> None:
    """Sixteen rows of weights for each of 32 by 32 pixels, by FINN's formula."""
    deep = {"DuplicateStreams_Batch_0__AddStreams_Batch_0": 1024}
    two, three = (simulate(read_finn(residual, frames=n).with_depths(deep)).cycles for n in (2, 3))
    assert two is not None
    assert three is not None
    assert 16_384 <= three - two <= 1.01 * 16_384


# --- FINN+


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """The model of the whole build, after step_set_fifo_depths."""
    pytest.importorskip("onnx", reason="needs onnx, pip install 'sttest[finn]'")
    return FINN_PLUS.file(f"{BUILD}/intermediate_models/step_set_fifo_depths.onnx", tmp_path / "metafi.onnx")


def report(name: str, tmp_path: Path) -> dict[str, Any]:
    """One of FINN's reports of the build."""
    return json.loads(FINN_PLUS.file(f"{BUILD}/report/{name}.json", tmp_path / f"{name}.json").read_text())


def part(source: Path, out: Path, last: str, first: str = "") -> Path:
    """The part of a model that the output of a node depends on, with all that comes before another node cut off."""
    from onnx import ModelProto, TensorProto, helper

    model = ModelProto()
    model.ParseFromString(source.read_bytes())
    nodes = {node.name: node for node in model.graph.node}
    cut = list(nodes[first].input) if first else []
    before = {tensor: node.name for node in model.graph.node for tensor in node.output if tensor not in cut}
    names, todo = set[str](), [last]
    while todo:
        names.add(todo[-1])
        needed = [before[tensor] for tensor in nodes[todo.pop()].input if tensor in before]
        todo += [name for name in needed if name not in names]
    kept = [node for node in model.graph.node if node.name in names]
    del model.graph.node[:]
    model.graph.node.extend(kept)
    model.graph.input.extend(helper.make_tensor_value_info(tensor, TensorProto.FLOAT, [1]) for tensor in cut)
    model.graph.output[0].name = nodes[last].output[0]
    out.write_bytes(model.SerializeToString())
    return out


def test_cycles_of_every_layer_are_those_that_finn_reports(build: Path, tmp_path: Path) -> None:
    """143 layers: the loops that are simulated add up to the cycles of FINN's own report."""
    reported = report("estimate_layer_cycles", tmp_path)
    performance = report("estimate_network_performance", tmp_path)
    layers = {node.name: layer_of(node).cycles for node in read_model(build).nodes if kind_of(node) != "StreamingFIFO"}
    assert {name: layers[name] for name in reported} == reported
    assert len(reported) == 143
    slowest = max(layers, key=lambda name: layers[name])
    assert (slowest, layers[slowest]) == (performance["max_cycles_node_name"], performance["max_cycles"])


def test_a_whole_build_is_imported(build: Path) -> None:
    """Frames fit together over 237 streams, and the depths are those of the FIFO nodes."""
    notes: list[str] = []
    graph = read_finn(build, notes=notes)
    assert (len(graph.processes), len(graph.fifos)) == (226, 237)
    assert notes == ["a clock of 10 ns, FINN's default: the model names none"]
    assert {fifo.name: fifo.depth for fifo in graph.fifos}["StreamingFIFO_rtl_7"] == 3515


def test_the_depth_found_on_a_card_against_the_least_of_the_model(build: Path, tmp_path: Path) -> None:
    """The last residual block and what follows it; the page has both depths, and the folding takes the second."""
    tail = part(build, tmp_path / "tail.onnx", "StreamingFIFO_rtl_236", first="DuplicateStreams_hls_11")
    graph = read_finn(tail)
    assert {fifo.name: fifo.depth for fifo in graph.fifos}["StreamingFIFO_rtl_215"] == 21
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.fix == {"StreamingFIFO_rtl_215": 26}
    freed = graph.with_depths(deadlock.fix)
    assert simulate(freed).verdict == "done"
    assert "| `StreamingFIFO_rtl_215` | 21 | 26 |" in HOW_TO
    folding = tmp_path / "folding.json"
    write_depths(freed, tail, folding)
    assert json.loads(folding.read_text())["StreamingFIFO_rtl_215"] == {"depth": 26}
    assert read_finn(tail, folding=folding) == freed


def test_depths_of_a_whole_block_against_those_found_on_a_card(build: Path, tmp_path: Path) -> None:
    """The first residual block of the build, two FIFOs beside two convolutions of 38 by 114 pixels."""
    graph = read_finn(part(build, tmp_path / "block.onnx", "AddStreams_hls_0"))
    found = {fifo.name: fifo.depth for fifo in graph.fifos}
    beside = found["StreamingFIFO_rtl_9"]
    assert found["StreamingFIFO_rtl_7"] + beside == 7410
    deadlock = simulate(graph).deadlock
    assert deadlock is not None
    assert deadlock.fix == {"StreamingFIFO_rtl_7": 7456 - beside}
    assert "| `StreamingFIFO_rtl_7` and `_9` | 7,410 | 7,456 |" in HOW_TO


# --- TAPA


def test_tapas_vector_addition_in_slots_of_a_card_takes_as_long(tmp_path: Path) -> None:
    """One design, as TAPA first has it and after its tasks were put into slots, with a level more."""
    flat = TAPA.file("tapa/common/floorplan_reconstruction_test/graph/vadd-graph.json", tmp_path / "flat.json")
    slots = TAPA.file("tapa/graphir_conversion/top_conversion_test_files/graph.json", tmp_path / "slots.json")
    rates = tmp_path / "rates.yaml"
    rates.write_text(RATES)
    one, other = read_tapa(flat, rates), read_tapa(slots, rates)
    # Filling the three pipelines, two FIFOs of a cycle each, and 1,023 times two cycles.
    assert simulate(one).cycles == simulate(other).cycles == 69 + 1 + 7 + 1 + 1023 * 2 + 5
    assert {(fifo.depth, fifo.bits) for fifo in one.fifos} == {(2, 33)}
    assert "SLOT_X3Y3_SLOT_X3Y3_0/Add_0" in [process.name for process in other.processes]
    deeper = other.with_depths({"c_q_VecAdd": 7, "SLOT_X3Y3_SLOT_X3Y3_0/b_q_VecAdd": 9})
    write_tapa_depths(deeper, slots, tmp_path / "sized.json")
    before, after = json.loads(slots.read_text()), json.loads((tmp_path / "sized.json").read_text())
    before["tasks"]["VecAdd"]["fifos"]["c_q_VecAdd"]["depth"] = 7
    before["tasks"]["SLOT_X3Y3_SLOT_X3Y3"]["fifos"]["b_q_VecAdd"]["depth"] = 9
    assert before == after
    assert read_tapa(tmp_path / "sized.json", rates) == deeper
