"""One fuzz target per reader of sttest: the file that is damaged, what lies beside it, who reads it, what is traced.

A reader's small valid files are in ``corpus/NAME``; what has to lie beside the damaged one is in ``beside/NAME``.
Readers import sttest when they are called, since the worker instruments these imports.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FILES, SIMULATOR = "sttest.core.files", ("sttest.sim.api", "sttest.sim.graph", "sttest.sim.deadlock")
DES_ACCESSES = 2_000
"""Graphs with at most so many accesses are run on both engines."""
DEEP = 1 << 30
"""Tokens: FIFOs that are not made deeper."""


@dataclass(frozen=True)
class Target:
    """A reader under test."""

    name: str
    file: str  # name of the damaged file
    read: Callable[[Path], object]  # gets that file's path
    traced: tuple[str, ...]  # modules whose branches lead the search for new inputs; none with functions of Numba
    tree: str = ""  # form whose parts are changed one by one: json, yaml, xml, elements (of XML with texts) or npz

    @property
    def corpus(self) -> Path:
        """The folder of the reader's small valid files."""
        return HERE / "corpus" / self.name

    @property
    def beside(self) -> dict[str, bytes]:
        """Files that lie beside the damaged one, by name."""
        folder = HERE / "beside" / self.name
        return {path.name: path.read_bytes() for path in sorted(folder.glob("*"))}


# --- Timed graphs


def _simulated(path: Path) -> object:
    import json

    from sttest.sim import load, simulate

    graph = load(path)
    found = simulate(graph)
    if found.fifo_events <= DES_ACCESSES and found.verdict == "done" and found.throughput is None:
        slow = simulate(graph, "simpy")
        assert (slow.cycles, slow.finish) == (found.cycles, found.finish), "the engines disagree"
    json.dumps(found.to_json())
    return found.to_text()


def _archive(path: Path) -> object:
    return _simulated(path.with_name("g.json"))


# --- What a package holds


def _manifest(path: Path) -> object:
    from sttest.package.design_package import DesignPackage

    package = DesignPackage.read(path.parent)
    return package.simulated_us, package.board, package.cycles


def _fifo_report(path: Path) -> object:
    from sttest.package.design_package import DesignPackage

    (path.parent / "reports").mkdir(exist_ok=True)
    for name in ("fifos", "memory"):
        path.with_name(f"{name}.csv").replace(path.parent / "reports" / f"{name}.csv")
    return DesignPackage.read(path.parent).timed_graph


def _values(path: Path) -> object:
    from sttest.reference.graph import read_reference_graph

    return read_reference_graph(path)


def _activity(path: Path) -> object:
    from sttest.boards.energy import read_activity

    return read_activity(path)


def _achieved(path: Path) -> object:
    from sttest.core.files import read_model
    from sttest.package.achieved import SCHEMA, Achieved

    return read_model(Achieved, path, SCHEMA)


# --- Boards, studies, quantization, searches


def _board(path: Path) -> object:
    from sttest.boards.load import load_board, quantities

    board = load_board(path)
    return "".join(f"{key} {quantity} {quantity.source}" for key, quantity in quantities(board))


def _routed(path: Path) -> object:
    from sttest.boards.frequency import routed_designs

    return routed_designs.__wrapped__(path)


def _study(path: Path) -> object:
    from sttest.studies.whatif.points import points_of
    from sttest.studies.whatif.study import load_study

    return points_of(load_study(path), path.parent)


def _scheme(path: Path) -> object:
    from sttest.models.quant.scheme import load_scheme

    return load_scheme(path)


def _own_kernels(path: Path) -> object:
    from sttest.compile.own_kernels import read_own_kernels

    return read_own_kernels(path)


def _store(path: Path) -> object:
    from sttest.explore.objectives import OBJECTIVES
    from sttest.explore.storage import SearchStorage

    return SearchStorage(str(path), "s", {"a": 1}, (), [OBJECTIVES["latency"]], resume=True).tried()


def _points(path: Path) -> object:
    from sttest.explore.report import read_record

    return read_record(path, 3)


# --- Models


def _text(path: Path) -> object:
    from sttest.compile.opt import parse, printed
    from sttest.core.files import read_text

    return printed(parse(read_text(path), str(path)))


def _config(path: Path) -> object:
    from sttest.models.config_file import read_config

    return read_config(path)


def _tensors(path: Path) -> object:
    from sttest.models.checkpoint import read_tensors

    return read_tensors(path)


def _quantized(path: Path) -> object:
    from sttest.models.checkpoint import load_model
    from sttest.models.config_file import read_config

    return load_model(read_config(path.parent), path.parent)


# --- Designs of other tools


def _tapa(path: Path) -> object:
    from sttest.importers.tapa import read_tapa

    return read_tapa(path.with_name("graph.json"), rates=path.with_name("rates.yaml"))


def _finn(path: Path) -> object:
    from sttest.importers.finn import read_finn

    return read_finn(path)


def _lightningsim(path: Path) -> object:
    from sttest.importers.lightningsim import read_lightningsim

    return read_lightningsim(path, reports=path.with_name("csynth.xml"))


def _aie(path: Path) -> object:
    from sttest.importers.aie import read_aie

    return read_aie(path)


def _allo(path: Path) -> object:
    from sttest.importers.allo import read_allo

    return read_allo(path)


def _cpp_text(path: Path) -> object:
    """What is found in C++ by its text; what runs it is a compiler's and a child's."""
    from sttest.importers.cpp.declarations import declarations
    from sttest.importers.cpp.rewrite import marked
    from sttest.importers.hls.project import read_sources

    texts = read_sources([path])
    return declarations(texts, {"body", "skip", "s", "lanes"}, "top"), [marked(text) for text in texts.values()]


def _reports_of_synthesis(path: Path) -> object:
    from sttest.importers.hls.reports import read_reports

    return read_reports(path)


def _schedule(path: Path) -> object:
    """A schedule of the top; the run of the bitcode, which a child records, lies beside it."""
    from sttest.importers.solution.assemble import FifoNames, assembled
    from sttest.importers.solution.dataflow import set_stages
    from sttest.importers.solution.folder import Solution
    from sttest.importers.solution.matching import matched
    from sttest.importers.solution.program import read_run
    from sttest.importers.solution.stages import staged
    from sttest.sim import simulate

    run = read_run(path.parent)
    schedules = {each.name.removesuffix(".sched.adb"): each for each in path.parent.glob("*.sched.adb")}
    functions = matched(Solution(path.parent, "top", 200.0, schedules, ""), run.code)
    for function in functions.values():
        set_stages(function)
    top = staged(functions, run.code, run.trace)
    notes: list[str] = []
    graph = assembled(top, functions.values(), FifoNames(run.code.channels, {}, run.ports), 200.0, notes)
    return "\n".join([*notes, simulate(graph).to_text()])


# --- Whatever a check is given


def _checked(path: Path) -> object:
    from sttest.studies.check.changes import change_of
    from sttest.studies.check.designs import designs_of
    from sttest.studies.check.request import Asked

    found = list(designs_of(path, None, Asked()))
    deeper = [{fifo.name: fifo.depth + 1 for fifo in each.graph.fifos if fifo.depth < DEEP} for each in found]
    return [(each.find_places(), change_of(each, depths)) for each, depths in zip(found, deeper, strict=True)]


# --- Traces of requests and of experts


def _requests(path: Path) -> object:
    from sttest.studies.serving.requests import read_trace

    return read_trace(path)


def _routing(path: Path) -> object:
    from sttest.studies.experts.routing import read_routing

    return read_routing(path, 8)


def _accepted(path: Path) -> object:
    from sttest.studies.whatif.speculation import Acceptance

    return Acceptance.of(path.name, path.parent).chances(4)


_HLS = ("sttest.importers.hls", "sttest.importers.cpp", FILES)
_SOLUTION = ("sttest.importers.solution", FILES)
_XDSL = ("xdsl.parser", "xdsl.utils.lexer", "xdsl.utils.mlir_lexer")
_PACKAGE = ("sttest.package", "sttest.core.validation", FILES)
_CHECK = ("sttest.studies.check", "sttest.importers.sniffing", FILES)
ALL = (
    Target("graph", "g.json", _simulated, ("sttest.sim.graph_json", FILES, *SIMULATOR), "json"),
    Target("traces", "g.npz", _archive, ("sttest.sim.graph_json", "zipfile"), "npz"),
    Target("sdf3", "g.xml", _simulated, ("sttest.sim.sdf3", FILES, "sttest.sim.throughput", *SIMULATOR), "xml"),
    Target("manifest", "manifest.json", _manifest, _PACKAGE, "json"),
    Target("reports", "fifos.csv", _fifo_report, _PACKAGE),
    Target("values", "values.json", _values, ("sttest.reference.graph", "sttest.core.validation", FILES), "json"),
    Target("activity", "activity.csv", _activity, ("sttest.boards.energy", FILES)),
    Target("achieved", "achieved.json", _achieved, _PACKAGE, "json"),
    Target("board", "b.yaml", _board, ("sttest.boards", FILES, "sttest.core.validation"), "yaml"),
    Target("routed", "routed.csv", _routed, ("sttest.boards.frequency", "sttest.core.validation", FILES)),
    Target("study", "study.yaml", _study, ("sttest.studies.whatif", "sttest.core.validation", FILES), "yaml"),
    Target("scheme", "scheme.yaml", _scheme, ("sttest.models.quant.scheme", FILES), "yaml"),
    Target("own-kernels", "kernels.yaml", _own_kernels, ("sttest.compile.own_kernels", FILES), "yaml"),
    Target("store", "search.db", _store, ("sttest.explore.storage", "sttest.explore.evaluate")),
    Target("points", "pareto.csv", _points, ("sttest.explore.report", "sttest.core.validation", FILES)),
    Target("text", "m.mlir", _text, ("sttest.compile.dialects", "sttest.compile.ir", "sttest.compile.opt", *_XDSL)),
    Target("config", "config.json", _config, ("sttest.models", "sttest.core.validation", FILES), "json"),
    Target("tensors", "m.safetensors", _tensors, ("sttest.models.checkpoint",)),
    Target("quantized", "m.safetensors", _quantized, ("sttest.models.checkpoint", "sttest.models.quant.released")),
    Target("tapa", "graph.json", _tapa, ("sttest.importers", FILES), "json"),
    Target("tapa-rates", "rates.yaml", _tapa, ("sttest.importers", FILES), "yaml"),
    Target("finn", "m.onnx", _finn, ("sttest.importers",)),
    Target("lightningsim", "run.trace", _lightningsim, ("sttest.importers.lightningsim", FILES)),
    Target("aie", "design.mlir", _aie, ("sttest.importers.aie", "sttest.importers.mlir", FILES, *_XDSL)),
    Target("allo", "design.mlir", _allo, ("sttest.importers.allo", "sttest.importers.mlir", FILES, *_XDSL)),
    Target("cpp", "design.cpp", _cpp_text, _HLS),
    Target("csynth", "csynth.xml", _reports_of_synthesis, _HLS, "xml"),
    Target("solution", "top.sched.adb", _schedule, _SOLUTION, "elements"),
    Target("check", "design", _checked, _CHECK),
    Target("requests", "requests.csv", _requests, ("sttest.studies.serving.requests", FILES)),
    Target("routing", "routing.csv", _routing, ("sttest.studies.experts.routing", FILES)),
    Target("accepted", "accepted.csv", _accepted, ("sttest.studies.whatif.speculation", FILES)),
)
TARGETS = {target.name: target for target in ALL}
