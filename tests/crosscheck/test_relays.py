"""Designs on several SLRs: what is emitted has the relays of the placed timed graph, with its values and cycles."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from io import StringIO
from itertools import cycle
from pathlib import Path

import pytest
from filecheck.finput import FInput
from filecheck.matcher import Matcher
from filecheck.options import Options
from filecheck.parser import Parser, pattern_for_opts

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources, die_under
from sttest.compile.resources.placement import SlrPlacement, placement
from sttest.compile.spaces.partition import assess
from sttest.core.files import read_text
from sttest.crosscheck.rtl_kernel import emulate_kernel, package_kernel
from sttest.crosscheck.rtl_values import valued_design
from sttest.package import DesignPackage
from sttest.package.compiled import write_package
from sttest.sim import TimedGraph, simulate
from sttest.sim.crossings import register_ends
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.rtl.compare import compare
from sttest.targets.rtl.design import emulate_designs
from sttest.targets.rtl.drive import RtlRun
from sttest.targets.vitis.floorplan import floorplan
from sttest.targets.vitis.rules import check_kernel

LINEAR = Path(__file__).parents[1] / "compile" / "hls" / "golden" / "linear.mlir"
needs_verilator = pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator not found")


def pinned(design: CompiledDesign, slrs: tuple[int, ...]) -> SlrPlacement:
    """A design whose processes lie on these SLRs in turn."""
    taken = design_resources(design)
    slr_of = dict(zip((node.name for node in taken.nodes), cycle(slrs), strict=False)) | {"hbm": 0}
    return placement(design, taken, assess(slr_of, taken.processes(), taken.links(), die_under(design, taken)))


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> DesignPackage:
    """A normalization, a product and an activation, every process on another SLR than the one before."""
    design = compile_text(read_text(LINEAR), "linear", "u55c", CompileOptions(precision="fp32"), keep_ir="ends")
    folder = tmp_path_factory.mktemp("linear") / "package"
    return write_package(design, folder, pinned(design, (2, 0, 1)))


RELAYS = r"""
CHECK: static void relay_order_norm_to_norm_2_0(fifo<float>& a, fifo<float>& b) { relay<2>(a, b); }
CHECK-NEXT: static void relay_order_norm_to_norm_2_1(fifo<float>& a, fifo<float>& b) { relay<2>(a, b); }
CHECK: hls::stream<float, 2> norm_ordered_relay_0("order_norm__norm_2__relay_0");
CHECK-NEXT: #pragma HLS bind_storage variable=norm_ordered_relay_0 type=fifo impl=srl
CHECK-NEXT: hls::stream<float, 2> norm_ordered_relay_1("order_norm__norm_2__relay_1");
CHECK: hls::stream<float, 2> norm_ordered("order_norm__norm_2");
CHECK: hls::stream<f32x16> proj_out_relay_0[2]; STTEST_FIFO(proj_out_relay_0, "proj__act__relay_0", 2);
CHECK: order_norm_drain, norm_blocks, norm_ordered_relay_0
CHECK: relay_order_norm_to_norm_2_0, norm_ordered_relay_0, norm_ordered_relay_1
CHECK: relay_order_norm_to_norm_2_1, norm_ordered_relay_1, norm_ordered)
CHECK: norm_2, x_in1, norm_ordered, norm_2_out_relay_0
"""


def test_relays_stand_in_the_cpp_between_writer_and_fifo(package: DesignPackage, capsys) -> None:
    text = package.files.cpp_text
    one_line = re.sub(r"\n +(?=STTEST_PROCESS|\w+[,)])", " ", text)
    options = Options(match_filename="relays")
    checks = Parser(options, StringIO(RELAYS), *pattern_for_opts(options))
    assert Matcher(options, FInput("kernel.cpp", one_line), checks).run() == 0, capsys.readouterr().err
    assert text.count("static void relay(") == 1, "those of one width are one template"
    assert check_kernel(text) == []


def test_the_cpp_has_the_relays_of_the_graph_and_none_of_buses(package: DesignPackage) -> None:
    assert package.placed_graph is not None
    kinds = Counter(each.category for each in package.placed_graph.processes)
    assert kinds["crossing"] == len(package.relays) == 24
    assert kinds["bus-crossing"] == 2 * sum(package.report("crossings").query("source == 'hbm'")["boundaries"]) * 2
    emitted = package.emitted_graph
    relays = {each.name for each in emitted.processes if each.category == "crossing"}
    assert relays == {*package.relays}
    assert not any(each.category == "bus-crossing" for each in emitted.processes)
    fifos = {
        each.name: each.depth for each in emitted.fifos if each.name not in ("order_norm_full", "order_norm_empty")
    }
    assert package.files.depths == fifos
    read = [ends[0] for ends in map(register_ends, emitted.processes) if ends]
    assert len(read) == len({*read}) == 24


def test_cycles_grow_by_the_registers_on_the_longest_way(package: DesignPackage) -> None:
    """The product's way: bus there and back, load, fork, both halves of the norm, product, activation, store.

    Plain: the first half of x is there in cycle 52, 2 cycles of beats and the 200 ns of the HBM; 157 cycles later the
    store takes the result, and 36 after that, 143 ns, comes the response.
    """
    assert package.placed_graph is not None
    plain, placed = (simulate(graph).cycles for graph in (package.timed_graph, package.placed_graph))
    assert (plain, placed) == (52 + 157 + 36, 52 + 157 + 36 + 32) == (245, 277)
    moved = simulate(package.emitted_graph).cycles
    assert moved is not None
    assert 245 < moved < 277


def test_each_half_of_a_relay_lies_on_its_side_of_the_boundary(package: DesignPackage) -> None:
    found = floorplan(package.files.cpp_text, package.slr_of, package.relays)
    slrs = [found.slr_of[f"relay_norm_2_to_proj_{number}"] for number in range(4)]
    assert [package.slr_of["norm_2"], *slrs, package.slr_of["proj"]] == [2, 2, 1, 1, 0, 0]
    assert [found.fifos[f"norm_2_out_relay_{number}"] for number in range(4)] == slrs
    assert len(found.fifos) == 24
    lines = [line for line in found.tcl("k_1", "title").splitlines() if "norm_2_out_relay_2" in line]
    assert len(lines) == 1
    pattern = lines[0].rpartition("{")[2].removesuffix("}]")
    assert re.fullmatch(pattern, "pfm_top_i/dynamic_region/k_1/inst/norm_2_out_relay_2_U")
    assert re.fullmatch(pattern, "pfm_top_i/dynamic_region/k_1/inst/norm_2_out_relay_2_1_U")
    assert "sttest_slr1" in lines[0]
    assert found.json()["relay_norm_2_to_proj_3_U0"] == "SLOT_X0Y0:SLOT_X1Y0"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_values_in_cpp_are_the_same(package: DesignPackage, sttest, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the golden of a text needs PyTorch")
    outcome = sttest("emulate", str(package.folder), "--backend", "csim", "-o", str(tmp_path), "--json")
    assert outcome.exit_code == 0, outcome.stderr
    told = json.loads(outcome.stdout)
    assert told["results"]["verdict"] == "same"
    peaks = {each["name"]: each["written"] for each in told["fifos"]}
    assert peaks["order_norm__norm_2__relay_1"] == peaks["order_norm__norm_2"] == 2


def is_exact(ran: RtlRun, graph: TimedGraph) -> bool:
    """Whether hardware has the values of the reference and the cycles of the graph, in every access."""
    return compare(graph, ran).first is None and not ran.wrong and ran.cycles == simulate(graph).cycles


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
@needs_verilator
def test_values_and_cycles_in_hardware_are_those_of_the_placed_graph(package: DesignPackage, tmp_path: Path) -> None:
    """And a relay that changes a token is found and named."""
    assert package.placed_graph is not None
    design = valued_design(package, package.placed_graph, 1)
    modules = [
        replace(each, body=each.body.replace("out0_data = in0_data", "out0_data = in0_data + 1'b1"))
        if "relay_norm_2__proj_1" in each.processes
        else each
        for each in design.modules
    ]
    right, wrong = emulate_designs([design, replace(design, modules=modules)], tmp_path, many_small=True)
    assert is_exact(right, package.placed_graph)
    assert right.cycles == 277
    assert len(right.writes["norm_2__proj__relay_3"]) == 2
    assert wrong.wrong[0].fifo == "norm_2__proj__relay_2"
    assert not is_exact(wrong, package.placed_graph)


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.timeout(900)
@needs_verilator
def test_a_kernel_with_axi_ports_has_them_as_flip_flops(package: DesignPackage, tmp_path: Path) -> None:
    text = "".join(package_kernel(package).sources({}).values())
    assert len(re.findall(r"^ *fifo_relay #", text, re.MULTILINE)) == 24
    found = emulate_kernel(package, tmp_path / "axi", 1)
    assert (found.done, found.complaints, found.differing) == (True, (), ())


OPTIONS = CompileOptions(overall_unroll=1200, beat_bits=128)
GENERATION = CompileOptions(overall_unroll=1200, budget="published", share="all", layers=6, generate=4)


@pytest.mark.nightly
@pytest.mark.timeout(3600)
@needs_verilator
@pytest.mark.parametrize(("options", "head"), [(OPTIONS, False), (GENERATION, True)], ids=["token", "generation"])
def test_small_gpt2_where_the_partition_puts_it(options: CompileOptions, head: bool, tmp_path: Path) -> None:
    """A decode step, and a launch whose DMAs wait for what they read, as `compile --check-resources` has them."""
    request = Request(
        "small-gpt2", "decode", None, 32, options=options, head=head, work_dir=tmp_path / "p", check_resources=True
    )
    compile_package(request)
    package = DesignPackage.read(tmp_path / "p")
    assert package.placed_graph is not None
    assert len(package.relays) > 10
    (ran,) = emulate_designs([valued_design(package, package.placed_graph, 1)], tmp_path)
    assert is_exact(ran, package.placed_graph)
