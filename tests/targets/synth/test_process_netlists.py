"""Processes for synthesis: their text against that for simulators, netlists against their text, in every clock."""

import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from integer_contractions import contraction, random_contraction
from module_bench import Compared, Pair, compare_modules, needs_verilator

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.compiler import compile_text
from sttest.compile.ir.module_walk import only_kernel
from sttest.compile.options import CompileOptions
from sttest.compile.rtl import module_text
from sttest.compile.rtl.cells import Cells
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.processes import design_modules
from sttest.frontend.shipped import lowered_text
from sttest.targets.synth.processes import ProcessJobs, jobs_of
from sttest.targets.synth.yosys import Synthesized, synthesize

pytest.importorskip("xls", reason="needs xls-python, pip install 'sttest[rtl]'")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800), needs_verilator]

LIBRARY = operators(require_hbm(load_board("u55c")))
CELLS = Path(__file__).with_name("cells.sv")
# Initial contents of memories, which are unknown.
_CONTENTS = re.compile(r"^ *\.INITP?_[0-9A-F]{2}\(.*\n", re.MULTILINE)


def modules(model: str, cells: Cells | None, *, small: bool) -> dict[str, ModuleText]:
    """The tasks and converters of a decode block by their names."""
    design = compile_text(lowered_text(model, "decode", small=small), model, "u55c", CompileOptions())
    found = design_modules(only_kernel(design.module, "test", model), design.graph, LIBRARY, cells)
    return {each.processes[0]: each for each in found if each.kind in ("task", "converter")}


def is_integer(module: ModuleText) -> bool:
    return "$signed" in module.body and "fp::" not in module.body


def written(folder: Path, texts: Mapping[str, str]) -> list[Path]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    return [folder / name for name in texts]


def library(*processes: ModuleText) -> dict[str, str]:
    """Texts of the parts of processes, and of what those use."""
    parts = {part.name: part for process in processes for part in process.parts}
    uses = dict.fromkeys(["primitives", *(name for part in parts.values() for name in part.uses)])
    return {f"{name}.sv": module_text(name) for name in uses} | {f"{name}.v": part.text for name, part in parts.items()}


def check(found: list[Compared], names: list[str]) -> None:
    for name, each in zip(names, found, strict=True):
        assert each.wrong == 0, f"{name}: {each}"
        assert each.given > 0, name


# --- The text for synthesis and that for simulators


BLOCKS = [
    pytest.param(
        "small-gpt2", ("attn_norm", "attn_own_score", "order_attn_norm_quantize_fill"), marks=pytest.mark.nightly
    ),
    *(pytest.param(model, (), marks=pytest.mark.nightly) for model in ("gpt2", "qwen", "llama", "gemma")),
]


@pytest.mark.parametrize(("model", "picked"), BLOCKS)
def test_both_texts_do_the_same(model, picked, tmp_path):
    """In all clocks: handshakes, and tokens that leave; the nightly ones all processes of a block of full size."""
    small = model.startswith("small-")
    model = model.removeprefix("small-")
    simulated, cells = modules(model, None, small=small), modules(model, Cells(tmp_path / "lanes"), small=small)
    names = list(picked or {module.body: name for name, module in simulated.items()}.values())
    texts = [each[name].text(f"{name}_{kind}") for name in names for kind, each in (("m", simulated), ("c", cells))]
    sources = written(tmp_path, {**library(*(cells[name] for name in names)), "processes.sv": "\n".join(texts)})
    pairs = [Pair(simulated[name], f"{name}_m", f"{name}_c", is_integer(simulated[name])) for name in names]
    check(compare_modules(pairs, sources, tmp_path, 20_000 if picked else 100_000), names)


# --- Sums of products down cascades


def contraction_module(text: str, options: CompileOptions, cells: Cells | None) -> ModuleText:
    """The one task of a product of matrices of integers."""
    design = compile_text(text, "contraction", "u55c", options)
    found = design_modules(only_kernel(design.module, "test", "contraction"), design.graph, LIBRARY, cells)
    return next(module for module in found if module.kind == "task")


@pytest.mark.parametrize(
    ("seeds", "clocks"),
    [
        ((2, 3, 6, 10, 13, 21), 3_000),
        *(pytest.param(range(n, n + 50), 20_000, marks=pytest.mark.nightly) for n in (100, 150)),
    ],
)
def test_both_texts_of_random_contractions_do_the_same(seeds, clocks, tmp_path):
    """Chains that are whole, shorter, or several to a result; one and two products to a DSP."""
    made = [random_contraction(seed) for seed in seeds]
    simulated = [contraction_module(*each, None) for each in made]
    cells = [contraction_module(*each, Cells()) for each in made]
    assert all(len(module.parts) >= 1 for module in cells)
    texts = [
        each.text(f"c{n}_{kind}") for kind, every in (("m", simulated), ("c", cells)) for n, each in enumerate(every)
    ]
    sources = written(tmp_path, {**library(*cells), "processes.sv": "\n".join(texts)})
    pairs = [Pair(module, f"c{n}_m", f"c{n}_c", True) for n, module in enumerate(simulated)]
    check(compare_modules(pairs, sources, tmp_path, clocks), [f"seed {seed}" for seed in seeds])


# Found in one build: what is in the text of the sums of products, of their part or of the process, and what is instead.
FAULTS = {
    "registers of a product behind others": ("1 + BEHIND", "1"),
    "chain that is not joined": ("down[n - 1 + (n == 0)]", "48'd0"),
    "one product less in a chain": ("of_chain = p[LAST]", "of_chain = p[LAST - 1]"),
    "length of a chain": (".CHAIN(16)", ".CHAIN(8)"),
    "a chain that ends early": ("waiting[SHORTER-1]", "waiting[SHORTER-2]"),
    "skew of the factors that differ": ("in1_skew5_late[3][", "in1_skew5_late[2]["),
    "skew of the factors that are shared": ("in0_skew15_late[13][", "in0_skew15_late[12]["),
    "no skew": ("in1_skew2_late[0][", "in1_skew2["),
    "a stage more": ("CYCLES - FIRST - LEVELS", "CYCLES - FIRST - LEVELS + 1"),
    "borrow of the upper field": ("48'd1 << (FIELD - 1)", "48'd0"),
}


@pytest.mark.nightly
def test_faults_of_cascades_are_found(tmp_path):
    """Each breaks a copy of its own of a process with chains of 16 and of 8; the process with it differs."""
    options = CompileOptions(tiles=("op:1x2x24",), lanes=("op:48",), precision="fp32", cascades=("op:16",))
    text = contraction(2, 48, 4)
    simulated, cells = contraction_module(text, options, None), contraction_module(text, options, Cells())
    products = module_text("dot_products")
    texts = {"processes.sv": simulated.text("model") + cells.text("whole"), **library(cells)}
    for number, (fault, (right, wrong)) in enumerate(FAULTS.items()):
        broken = "".join([products, *(part.text for part in cells.parts), cells.text(f"broken_{number}")])
        assert right in broken, fault
        parts = {part.name: f"{part.name}_{number}" for part in cells.parts}
        renamed = parts | {each: f"{each}_{number}" for each in ("dot_products", "dsp_product")}
        texts[f"broken_{number}.sv"] = "".join(
            renamed.get(word, word) for word in re.split(r"\b", broken.replace(right, wrong))
        )
    others = ["whole", *(f"broken_{number}" for number in range(len(FAULTS)))]
    pairs = [Pair(simulated, "model", other, True) for other in others]
    whole, *found = compare_modules(pairs, written(tmp_path, texts), tmp_path, 5_000)
    check([whole], ["without a fault"])
    assert {fault: each.wrong > 0 for fault, each in zip(FAULTS, found, strict=True)} == dict.fromkeys(FAULTS, True)


# --- Netlists


CHAINED = ["chains"]
KINDS = {
    "task with cascades": "attn_own_score",
    "running sums of fp32": "attn_norm",
    "requantizer": "attn_norm_quantize",
    "converter": "order_attn_norm_quantize_fill",
    "converter whose tokens differ": "order_attn_normalize_quantize_fill",
}


@pytest.mark.parametrize(
    ("kinds", "clocks"),
    [
        (["converter"], 5_000),
        (CHAINED, 5_000),
        *(pytest.param([kind], 100_000, marks=pytest.mark.nightly, id=kind) for kind in KINDS),
    ],
)
def test_netlists_do_what_the_text_does(kinds, clocks, tmp_path):
    pytest.importorskip("pyosys", reason="needs pyosys, pip install 'sttest[rtl]'")
    if kinds == CHAINED:
        picked = {f"chains of seed {seed}": contraction_module(*random_contraction(seed), Cells()) for seed in (3, 6)}
    else:
        every = modules("gpt2", Cells(tmp_path / "lanes"), small=True)
        picked = {kind: every[KINDS[kind]] for kind in kinds}
    jobs = {kind: jobs_of(module) for kind, module in picked.items()}
    wanted = [job for each in jobs.values() for job in (each.frame, *each.parts.values())]
    found = synthesize(wanted, tmp_path / "jobs", 2, lambda line: None)
    assert all(isinstance(each, Synthesized) for each in found.values()), found
    texts = {"cells.sv": CELLS.read_text(), **library(*picked.values())}
    for job in wanted:
        texts[f"{job.key}.v"] = netlist(tmp_path / "jobs" / job.key / "netlist.v", jobs.values())
    texts["processes.sv"] = "\n".join(module.text(f"process_{number}") for number, module in enumerate(picked.values()))
    pairs = [
        Pair(module, f"process_{number}", f"job_{jobs[kind].frame.key}", "products_" in module.body)
        for number, (kind, module) in enumerate(picked.items())
    ]
    check(compare_modules(pairs, written(tmp_path, texts), tmp_path, clocks), [*picked])


def netlist(path: Path, processes) -> str:
    """A netlist whose black boxes are the netlists of parts."""
    text = _CONTENTS.sub("", path.read_text())
    for each in processes:
        assert isinstance(each, ProcessJobs)
        for name, job in each.parts.items():
            text = re.sub(rf"\b{name}\b", f"job_{job.key}", text)
    return text


# --- Processes that take turns: what synthesis reads strictly, Verilator forgives


@pytest.mark.nightly
def test_processes_that_take_turns_are_read_by_synthesis(tmp_path):
    """Those whose turns differ in length or in trips, of a design with split products: units, forks, gathers, sums."""
    options = CompileOptions(share="all", product_units=2, layers=2, flow="rtl")
    design = compile_text(lowered_text("gpt2", "decode", small=True), "gpt2", "u55c", options)
    cells = Cells(tmp_path / "lanes")
    found = design_modules(only_kernel(design.module, "test", "gpt2"), design.graph, LIBRARY, cells)
    turning = {module.processes[0]: jobs_of(module).frame for module in found if "OF_TURN" in module.body}
    kinds = {name: job for name, job in turning.items() if name.split("_")[0] in ("fork", "gather", "attn")}
    assert {name.split("_")[0] for name in kinds} >= {"fork", "attn"}
    made = synthesize(list(kinds.values()), tmp_path / "synth", 2, lambda _: None)
    failed = {name: str(made[job.key]) for name, job in kinds.items() if not isinstance(made[job.key], Synthesized)}
    assert failed == {}
