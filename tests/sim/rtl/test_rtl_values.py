"""Compiled designs in clocked hardware: every token of the reference engine, in the cycle of the max-plus engine."""

import re
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from integer_contractions import contraction, random_contraction
from linalg_programs import random_whole_program
from rtl_graphs import needs

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.tree import Function
from sttest.core.errors import SttestError
from sttest.crosscheck.rtl_values import random_tensors
from sttest.explore.found import known_design
from sttest.frontend.shipped import lowered_text
from sttest.reference.engine import run
from sttest.reference.memory import memory_images
from sttest.reference.scalar_ops import FLOAT_OPS, INTEGER_OPS
from sttest.sim.graph import MemoryPort
from sttest.targets.rtl.compare import compare
from sttest.targets.rtl.design import ValuedDesign, emit_designs, emulate_designs, pack_tokens

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), needs("verilator")]

LIBRARY = operators(require_hbm(load_board("u55c")))
REFUSALS = {"tile-too-large", "unroll-budget-too-small"}


def valued(text: str, name: str, options: CompileOptions, seed: int = 1) -> ValuedDesign:
    """A compiled text with the tokens of random tensors."""
    design = compile_text(text, name, "u55c", options)
    graph = value_graph(design.module, name)
    tensors = random_tensors(graph, seed)
    dtypes = {stream.name: stream.dtype for stream in graph.streams}
    found = run(graph, memory_images(graph, tensors), keep=dtypes)
    values = {stream: (dtypes[stream], tokens) for stream, tokens in found.streams.items()}
    return ValuedDesign.of(only_kernel(design.module, "test", name), design.graph, LIBRARY, values)


def program(seed: int, ops: int = 6) -> ValuedDesign | None:
    """A random program of so many operations; None if its sizes refuse the tile."""
    options = CompileOptions(
        tile_size=(1, 2, 3, 4, 8, 16)[seed % 6],
        vector_bits=(128, 512, 4096)[seed // 6 % 3],
        overall_unroll=64 << seed % 4,
        precision="fp32",
        prefetch_kib=(0, 64)[seed // 18 % 2],
        share=("none", "all")[seed // 3 % 2],
    )
    try:
        return valued(random_whole_program(seed, ops), f"program {seed}", options, seed)
    except SttestError as error:
        if error.code not in REFUSALS:
            raise
        return None


def check(designs: Sequence[ValuedDesign], folder) -> None:
    for design, ran in zip(designs, emulate_designs(designs, folder, many_small=len(designs) > 1), strict=True):
        found = compare(design.graph, ran)
        assert ran.verdict == "done", design.graph.name
        assert found.first is None, f"{design.graph.name}: {found.first}"
        assert not ran.wrong, f"{design.graph.name}: {ran.wrong[0]}"
        assert found.events > 0


LARGE = (3019, 3023, 3035, 3037, 3047, 3055)
"""Programs of which each takes as long to compile as five others."""
SMALL = [seed for seed in range(3000, 3056) if seed not in LARGE]


@pytest.mark.parametrize(
    ("seeds", "ops"),
    [
        (SMALL[::5], 2),
        pytest.param(SMALL, 2, marks=pytest.mark.nightly),
        pytest.param(LARGE, 2, marks=pytest.mark.nightly),
        *(pytest.param(range(n, n + 100), 6, marks=pytest.mark.nightly) for n in range(0, 1300, 100)),
    ],
)
def test_random_programs(seeds, ops, tmp_path):
    """Ten programs in the suite and 1,000 at night, some of whose sizes refuse their tile."""
    designs = [design for seed in seeds if (design := program(seed, 1 + seed % ops)) is not None]
    assert len(designs) >= (len(seeds) if ops == 2 else 50 * len(seeds) // 64)
    check(designs, tmp_path)


_HUNDREDS = (range(n, n + 100) for n in range(100, 500, 100))


@pytest.mark.parametrize(
    "seeds", [range(0, 24, 6), *(pytest.param(each, marks=pytest.mark.nightly) for each in (range(24), *_HUNDREDS))]
)
def test_random_contractions_down_cascades(seeds, tmp_path):
    """Products of matrices of integers, whose chains make their stages: values, and cycles of the timed graph."""
    check([valued(*_named(seed), seed) for seed in seeds], tmp_path)


def _named(seed: int) -> tuple[str, str, CompileOptions]:
    text, options = random_contraction(seed)
    return text, f"contraction {seed}", options


def test_a_wrong_length_of_chains_is_found_and_named(tmp_path):
    """A process whose sums take the stages of another chain gives its results in other cycles."""
    options = CompileOptions(tiles=("op:1x2x16",), lanes=("op:32",), precision="fp32")
    made, *others = (
        valued(contraction(2, 32, 4), "contraction", options.with_(cascades=(f"op:{each}",))) for each in (16, 2, 4, 8)
    )
    broken = [replace(made, modules=other.modules) for other in others]
    for other, ran in zip(others, emulate_designs(broken, tmp_path, many_small=True), strict=True):
        (task,) = (module for module in other.modules if module.kind == "task")
        first = compare(made.graph, ran).first
        assert any(f"'{each}'" in str(first) for each in (*task.processes, *(side.fifo for side in task.sides))), first


def test_tasks_of_one_engine_with_sums_of_different_depths(tmp_path):
    """Their body has the levels of the deepest sum, so that all turns are timed with them."""
    options = CompileOptions(tile_size=1, vector_bits=4096, overall_unroll=100_000, precision="fp32", share="all")
    check([valued(random_whole_program(132), "program 132", options, 132)], tmp_path)


PREDICATES = ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno")
_COMPARISONS = tuple(f"arith.cmpf {each}," for each in (*PREDICATES, "true", "false"))
_TO_BITS = "arith.bitcast {0} : f32 to i32"


def every_operation() -> str:
    """A text in which each operation of docs/reference/values.md has a result of its own."""
    bodies = [f"%f = {name} %x, %y : f32\n%r = {_TO_BITS.format('%f')}" for name in FLOAT_OPS if name in _TWO]
    bodies += [f"%f = {name} %x : f32\n%r = {_TO_BITS.format('%f')}" for name in FLOAT_OPS if name not in _TWO]
    bodies += [f"%c = {each} %x, %y : f32\n%r = arith.select %c, %one, %two : i32" for each in _COMPARISONS]
    bodies += ["%h = arith.truncf %x : f32 to f16\n%f = arith.extf %h : f16 to f32\n%r = " + _TO_BITS.format("%f")]
    for kind in ("i4", "i8", "i16"):
        for name in INTEGER_OPS:
            narrow = "\n".join(f"%{each}n = arith.trunci %{each}i : i32 to {kind}" for each in "xy")
            bodies.append(f"{narrow}\n%s = {name} %xn, %yn : {kind}\n%r = arith.extsi %s : {kind} to i32")
        bodies.append(
            f"%xn = arith.trunci %xi : i32 to {kind}\n%f = arith.sitofp %xn : {kind} to f32\n"
            f"%r = arith.bitcast %f : f32 to i32"
        )
    bodies += [f"%r = {name} %xi, %yi : i32" for name in INTEGER_OPS]
    kind, both = "tensor<4x8xf32>", "affine_map<(i, j) -> (i, j)>"
    head = """linalg.generic {indexing_maps = [MAP, MAP, MAP], iterator_types = ["parallel", "parallel"]}
        ins(%a, %b : TENSOR, TENSOR) outs(%empty : tensor<4x8xi32>) {
        ^bb0(%x : f32, %y : f32, %old : i32):
        %xi = arith.fptosi %x : f32 to i32
        %yi = arith.fptosi %y : f32 to i32
        %one = arith.constant 1 : i32
        %two = arith.constant 2 : i32
        """.replace("MAP", both).replace("TENSOR", kind)
    ops = [f"%o{n} = {head}{body}\nlinalg.yield %r : i32\n}} -> tensor<4x8xi32>" for n, body in enumerate(bodies)]
    results = [f"%o{n}" for n in range(len(bodies))]
    kinds = ", ".join(["tensor<4x8xi32>"] * len(bodies))
    return (
        f"func.func @every(%a : {kind}, %b : {kind}) -> ({kinds}) {{\n%empty = tensor.empty() : tensor<4x8xi32>\n"
        + "\n".join(ops)
        + f"\nfunc.return {', '.join(results)} : {kinds}\n}}"
    )


_TWO = {f"arith.{name}" for name in ("addf", "subf", "mulf", "divf", "maximumf", "minimumf")}


@pytest.mark.nightly
def test_every_operation(tmp_path):
    """Each has a stream of its own: its place in the RTL and its values, whatever else a block has."""
    check(
        [
            valued(
                every_operation(), "every operation", CompileOptions(precision="fp32", tile_size=4, channels="together")
            )
        ],
        tmp_path,
    )


BLOCKS = [
    pytest.param(model, phase, small, marks=pytest.mark.nightly)
    for small in (True, False)
    for model in ("gpt2", "qwen", "llama", "gemma")
    for phase in ("decode", "prefill")
    if small or phase == "decode" or model == "gpt2"
]


@pytest.mark.parametrize(("model", "phase", "small"), BLOCKS)
def test_blocks(model, phase, small, tmp_path):
    check([valued(lowered_text(model, phase, small=small), f"{model}-{phase}", CompileOptions())], tmp_path)


# Products by columns in units side by side, whose results are concatenated, and an engine for all of a unit's turns.
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("model", "phase", "share"),
    [("qwen", "decode", "all"), ("gpt2", "decode", "all"), ("gpt2", "prefill", "none"), ("llama", "decode", "none")],
)
def test_products_in_units_side_by_side(model, phase, share, tmp_path):
    options = CompileOptions(gemv_lanes=256, share=share, product_units=2, flow="rtl", seldom_bursts=1)
    made = valued(lowered_text(model, phase, small=True), f"{model}-{phase}", options)
    assert any("unit1of2" in process.name for process in made.graph.processes)
    check([made], tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("model", ["gpt2", "qwen", "llama", "gemma"])
def test_found_designs(model, tmp_path):
    """What the search found for a U55C, a layer of it: own lanes for every task, units that tasks share, wide ports."""
    options = known_design(model, "decode", "tight").file.compile_options("test")
    check([valued(lowered_text(model, "decode"), f"{model}-tight", options.with_(layers=1))], tmp_path)


# --- Faults: one put into each layer, all found in one build


def in_one(
    design: ValuedDesign, fault: tuple[str, str, str | Callable[[re.Match[str]], str]]
) -> tuple[ValuedDesign, ModuleText] | None:
    """The design with a piece of text replaced in its first module of a kind that has it, and that module."""
    kind, pattern, text = fault
    modules = list(design.modules)
    for place, module in enumerate(modules):
        if module.kind == kind and (body := re.sub(pattern, text, module.body, count=1)) != module.body:
            modules[place] = replace(module, nodes=(Function("", body),))
            return replace(design, modules=modules), module
    return None


def one_less(group: int) -> Callable[[re.Match[str]], str]:
    """Text in the place of a match: itself, with a number one less."""
    return lambda found: found[0].replace(found[group], str(int(found[group]) - 1))


# Kind of module, pattern, what is written in its place.
FAULTS = {
    "last bit of a payload": ("task", r"return \{(v\d+)\};", r"return {\1 ^ 32'd1};"),
    "rounding": ("task", r"fp::fp_round\((\w+)\)", r"\1"),
    "a stage less in a payload": ("task", r"_late_at == (\d+)", one_less(1)),
    "first step of a sum": ("task", r"== 0 (&& \w+ == 0 )?\? ", r"== 1 \1? "),
    "iterations of a loop": ("task", r"c\d_x\d == \d'd([2-9]) \?", one_less(1)),
    "place of an element": ("task", r"in0_AT \[\d+\] = '\{0, (\d+)", one_less(1)),
    "length of a run": ("task", r"last_pass \? \d+'d(\d+)", one_less(1)),
    "stage of a write": ("task", r"assign out0_moves = c\d+_valid", "assign out0_moves = c0_valid"),
    "order of a buffer": ("converter", r"drain_place = 0 ", "drain_place = 1 "),
    "halves of a buffer": ("converter", r"drain_half <= ~drain_half", "drain_half <= drain_half"),
    "data of a fork": ("fork", r"token\[0\] <= in0_data", "token[0] <= ~in0_data"),
}


@pytest.mark.nightly
def test_a_fault_in_any_layer_is_found_and_named(tmp_path):
    programs = [design for seed in (3006, 3000, 3007) if (design := program(seed)) is not None]
    broken = {
        name: next(made for design in programs if (made := in_one(design, fault)) is not None)
        for name, fault in FAULTS.items()
    }
    runs = emulate_designs([design for design, _ in broken.values()], tmp_path, max_clocks=100_000)
    for (name, (design, module)), ran in zip(broken.items(), runs, strict=True):
        first = compare(design.graph, ran).first
        sides = {side.fifo for side in module.sides}
        assert any(f"'{each}'" in str(first) for each in (*sides, *module.processes)), f"{name}: {first}"


def test_a_wrong_value_is_named_by_stream_token_cycle_and_byte(tmp_path):
    whole = next(made for seed in (3006, 3000) if (made := program(seed)) is not None)
    fifo = next(each.fifo for each in whole.graph.processes if isinstance(each, MemoryPort) and each.op == "write")
    rows = whole.tokens[fifo]
    other = rows.copy()
    other[3, -1] ^= 0x40
    (ran,) = emulate_designs([replace(whole, tokens={**whole.tokens, fifo: other})], tmp_path, many_small=True)
    first, cycle = compare(whole.graph, ran).first, int(ran.writes[fifo][3])
    assert first is not None
    was, shall = int(rows[3, -1]), int(other[3, -1])
    assert str(first) == f"token 3 of '{fifo}', cycle {cycle}: byte 0 is 0x{was:02x}, not 0x{shall:02x}"
    assert (first.kind, first.token, first.cycle) == ("value", 3, cycle)


def test_a_token_may_be_wider_than_what_a_simulator_prints_at_once(tmp_path):
    """Of a head's weights one has 16,384 bits; Verilator refuses to print numbers of more than 8,192."""
    design = next(made for seed in (3006, 3000) if (made := program(seed)) is not None)
    emit_designs([design], tmp_path)
    sources = ("twin_log.sv", "fifo_ram.sv", "checked_fifo.sv")
    options = ("--lint-only", "-Wno-lint", "-Wno-style", "--top-module", "checked_fifo", "-GWIDTH=16384")
    subprocess.run(["verilator", *options, *sources], cwd=tmp_path, check=True)


def test_a_fifo_of_another_depth_is_found(tmp_path):
    design = next(made for seed in (3006, 3000) if (made := program(seed)) is not None)
    shallow = tuple(replace(fifo, depth=min(fifo.depth, 2)) for fifo in design.graph.fifos)
    (ran,) = emulate_designs([replace(design, graph=replace(design.graph, fifos=shallow))], tmp_path)
    assert "FIFO '" in str(compare(design.graph, ran).first)


def test_int4_tokens_lie_as_in_memory():
    packed = pack_tokens(np.array([[1, -2, 3, 4]], np.int8), 4)
    assert packed.tolist() == [[0x43, 0xE1]]
