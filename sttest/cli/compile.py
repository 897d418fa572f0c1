"""`sttest compile` and `sttest opt`: from a model, or IR text, to a design package or other IR."""

import re
import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from sttest.cli.common import Batch, Board, Json, Parameters, Phase, names_of, print_json, progress, takes_options
from sttest.compile.compiler import Design
from sttest.compile.lane_adaptation import LaneAdaptation
from sttest.compile.opt import run_opt
from sttest.compile.options import CompileOptions
from sttest.compile.reports import narrow_loops
from sttest.compile.resources.fit import NAMES
from sttest.compile.resources.placement import place
from sttest.core.errors import InputError, note
from sttest.core.files import read_text
from sttest.core.tables import print_table
from sttest.explore.choice import Chosen, read_choice
from sttest.frontend.module_source import ModuleSource, is_module_reference
from sttest.models.registry import SMALL, model_config
from sttest.package import DesignPackage, check_target, read_lanes
from sttest.package.compiled import write_groups, write_package
from sttest.studies.workload import CompileRequest, is_file

if TYPE_CHECKING:
    from sttest.frontend.operations import SourceLine

LayersOf = Literal["one", "all"]


@takes_options()
def compile_verb(
    model: Annotated[
        str,
        typer.Argument(
            help="A name (see sttest models), small-NAME, a config.json or its folder, a .mlir file, FILE.py:FUNCTION."
        ),
    ],
    phase: Annotated[Phase | None, typer.Option(help="prefill needs --tokens, decode needs --context.")] = None,
    tokens: Annotated[int | None, typer.Option(help="Tokens that enter the block [decode: 1, up to 128].")] = None,
    context: Annotated[int | None, typer.Option(help="Tokens in the cache; 0 in prefill.")] = None,
    batch: Batch = None,
    board: Board = "u55c",
    work_dir: Annotated[
        Path | None, typer.Option("--work-dir", "-o", help="The package's folder [build/MODEL-PHASE-BOARD].")
    ] = None,
    *,
    options: CompileOptions,
    design: Annotated[
        str,
        typer.Option(
            "--design",
            metavar="best|default|FILE.yaml",
            help="best: the fastest known or found that fits; default: the options' defaults; or a file of knobs. "
            "Options that are given hold over all; one of lanes leaves nothing to look for.",
        ),
    ] = "best",
    lanes_from: Annotated[Path | None, typer.Option(help="Take the lanes of this package instead.")] = None,
    head: Annotated[
        bool, typer.Option("--head", help="Final norm, LM head and choice of the token behind the last layer; decode.")
    ] = False,
    check_resources: Annotated[
        bool, typer.Option("--check-resources", help="Refuse what does not fit the board; place the rest on its SLRs.")
    ] = False,
    layers_of: Annotated[
        LayersOf | None,
        typer.Option(help="One layer per launch, or all of the model; a decode of 64 cached tokens if not said."),
    ] = None,
    groups: Annotated[
        bool,
        typer.Option("--groups", help="Where the design does not fuse into one kernel, make a package of several."),
    ] = False,
    parameters: Parameters = None,
    require_quantized: Annotated[
        bool, typer.Option("--require-quantized", help="Refuse a scheme's design with contractions in floating point.")
    ] = False,
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="Keep the IR after every pass, not of the first and last alone.")
    ] = False,
    operations: Annotated[
        bool, typer.Option("--operations", help="Only say of each line of a module how it is done, or why it is not.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Compile one decoder block to a design package.

    Resources are always reported, as shares of --budget; with --check-resources exit code 4 where it is exceeded.

    Examples:

      sttest compile gpt2 --phase decode --context 64

      sttest compile qwen --phase prefill --tokens 128 -o build/qwen-128

      sttest compile gpt2 --phase decode --context 64 --design default

      sttest compile gpt2 --phase decode --context 256 --tokens 4 --gemv-lanes 1024 --print-after-all

      sttest compile gpt2 --phase decode --context 256 --batch 4

      sttest compile qwen3-30b-a3b --layers-of one

      sttest compile block.mlir --board my-board.yaml --tile 32

      sttest compile block.mlir --precision w8a8 --parameters arg1,arg3 --require-quantized

      sttest compile my-module.py:make --precision fp32

      sttest compile my-module.py:make --operations

      sttest compile gpt2 --phase decode --context 64 --beat-bits 256 --check-resources --budget published

      sttest compile gpt2 --phase decode --context 64 --share weights --prefetch-kib 4096 --layers 24

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head

      sttest compile gpt2 --phase prefill --tokens 256 --share weights --own-unit 'mlp_fc2+mlp_fc2_groups'

      sttest compile gpt2 --phase prefill --tokens 256 --fabric attn_scores --fabric attn_mix

      sttest compile gpt2 --phase decode --context 256 --gemv-lanes 1024 --share all --layers 24 --head --generate 16

      sttest compile gpt2 --phase decode --context 768 --attention one-pass --attention-chunk 128

      sttest compile small-gpt2 --phase prefill --tokens 32 --c-max-bytes 30000 --groups

      sttest compile gpt2 --phase decode --context 64 --rank 50% --rank "attn.?_proj=256"
    """
    if operations:
        _report_operations(model, as_json=as_json)
        return
    request = Request(
        model, phase, tokens, context, board, options, head, work_dir, lanes_from, check_resources,
        keep_ir="all" if print_after_all else "ends", parameters=names_of(parameters),
        require_quantized=require_quantized, batch=batch, choice=read_choice(design),
    )  # fmt: skip
    if layers_of is not None:
        request = with_layers_of(request, layers_of)
    request = with_told_shape(request)
    if groups:
        _compile_groups(request, as_json=as_json)
        return
    summary = summarise(compile_package(request).design, DesignPackage.read(request.folder))
    if as_json:
        print_json(summary)
    else:
        print(_text(summary))


def opt_verb(
    file: Annotated[Path, typer.Argument(help="IR text of any level; - is standard input.")],
    pipeline: Annotated[str, typer.Option("--passes", "-p", help="As in pass,pass{option=value}.")] = "",
    board: Annotated[
        str | None, typer.Option(help="A board's name, or a YAML file, instead of the one that the module names.")
    ] = None,
    print_after_all: Annotated[
        bool, typer.Option("--print-after-all", help="The IR after every pass, on stderr.")
    ] = False,
    verify_each: Annotated[bool, typer.Option("--verify-each", help="Verify after every pass.")] = False,
    time_passes: Annotated[bool, typer.Option("--time-passes", help="Milliseconds per pass, on stderr.")] = False,
    as_json: Json = False,
) -> None:
    """Run passes on IR text and print the result; without passes, read, verify and print.

    Examples:

      sttest opt block.mlir -p quantize{scheme=w8a8},linalg-to-kernels{tile-size=32}

      sttest opt build/gpt2-decode-u55c/ir/00_quantize.mlir -p linalg-to-kernels,assign-lanes --time-passes

      sttest opt streams.mlir --board u280 -p size-fifos

      sttest opt - -p fold-dma --verify-each < kernels.mlir
    """
    text = read_text(file, hints=["name a .mlir file, or - for standard input"])
    where = "standard input" if file == Path("-") else str(file)
    result = run_opt(
        text, where, pipeline, board=board, print_after_all=print_after_all, verify_each=verify_each,
        time_passes=time_passes,
    )  # fmt: skip
    if as_json:
        passes = [{"pass": str(each.spec), "seconds": each.seconds, "text": each.text} for each in result.passes]
        print_json({"schema": "sttest.opt/1", "passes": passes, "text": result.text})
        return
    for each in result.passes:
        if each.text is not None:
            print(f"// IR after {each.spec}\n{each.text}", file=sys.stderr)
    for each in result.passes:
        if each.seconds is not None:
            print(f"{1e3 * each.seconds:10.2f} ms  {each.spec}", file=sys.stderr)
    sys.stdout.write(result.text)


def _report_operations(model: str, *, as_json: bool) -> None:
    """Prints the operations of a module by source line; exit code 2 where one is refused."""
    if not is_module_reference(model):
        hints = ["give FILE.py:FUNCTION"]
        raise InputError("not-a-module", "--operations is of a module", where=model, hints=hints)
    with progress(f"reading {model}"):
        source = ModuleSource.load(model)
        found = source.operations()
        if not any(each.state == "refused" for each in found):
            found = [*found, *_refused_by_the_compiler(source, model)]
    if as_json:
        print_json({"schema": "sttest.operations/1", "lines": [asdict(line) for line in found]})
    else:
        rows = [(_short(each.place), ", ".join(each.operations), each.state, each.hint) for each in found]
        print_table(("line", "operations", "done", "instead"), rows)
    if any(each.state == "refused" for each in found):
        raise typer.Exit(InputError.exit_code)


def _refused_by_the_compiler(source: ModuleSource, model: str) -> "list[SourceLine]":
    """What of a module gets through the front end, and no further."""
    from sttest.frontend.operations import SourceLine

    try:
        CompileRequest(model, options=CompileOptions(precision="fp32"), module=source).design()
    except InputError as error:
        place = re.search(r"\S+:\d+", error.where or "")
        return [SourceLine(place[0] if place else "", "", (error.what,), "refused", "; ".join(error.hints))]
    return []


def _short(place: str) -> str:
    return "/".join(place.rsplit("/", 2)[-2:]) if place.startswith("/") else place


@dataclass(frozen=True)
class Request(CompileRequest):
    """What the options of the command ask for."""

    work_dir: Path | None = None  # folder of the package; None for the default
    lanes_from: Path | None = None  # a package whose lanes are taken over
    check_resources: bool = False  # refuse a design that does not fit, and give every process an SLR

    @property
    def folder(self) -> Path:
        """The folder of the package: ``build/<model>-<phase>-<board>`` unless another is named."""
        if self.work_dir is not None:
            return self.work_dir
        name = (
            Path(self.model.rpartition(":")[0] if is_module_reference(self.model) else self.model).stem
            if is_file(self.model)
            else model_config(self.model).name
        )
        parts = (name, self.phase, self.board_name)
        return Path("build") / "-".join(part for part in parts if part)


DEFAULT_TOKENS, DEFAULT_CONTEXT = 32, 64
"""Of a prefill, and of a decode: the shapes that are shipped lowered, so that they need no torch-mlir."""
DEFAULT_SMALL_CONTEXT = 32


def with_default_shape(asked: Request, *, small: bool = False) -> Request:
    """The compilation, its model small if asked for, with the phase, the tokens or the context that it lacks.

    >>> with_default_shape(Request("gpt2", "decode"), small=True).context
    32
    """
    if is_file(asked.model):
        if small:
            raise InputError("shape-of-a-file", "--small is for models", where=asked.model, hints=["leave it out"])
        return asked
    if asked.phase is None:
        asked = replace(asked, phase="decode")
    if small and not asked.model.startswith(SMALL):
        asked = replace(asked, model=f"{SMALL}{asked.model}")
    context = DEFAULT_SMALL_CONTEXT if asked.model.startswith(SMALL) else DEFAULT_CONTEXT
    if asked.phase == "prefill" and asked.tokens is None:
        return replace(asked, tokens=DEFAULT_TOKENS)
    if asked.phase == "decode" and asked.context is None:
        return replace(asked, context=context)
    return asked


def with_told_shape(asked: Request) -> Request:
    """The compilation with the tokens or the context that it lacks, which is said on stderr; a phase is asked for."""
    if asked.phase is None:
        return asked
    found = with_default_shape(asked)
    if found.tokens != asked.tokens:
        note(f"--tokens is not given: a prompt of {found.tokens} tokens")
    if found.context != asked.context:
        note(f"--context is not given: {found.context} tokens in the cache")
    return found


def with_layers_of(asked: Request, layers: LayersOf) -> Request:
    """A decode step of one layer, or of all layers in a launch, of what the request lacks the default.

    Raises:
        InputError: a file, whose layers nobody knows; layers that were given as a number, too.
    """
    if is_file(asked.model) or asked.options.layers > 1:
        where = asked.model if is_file(asked.model) else "--layers"
        raise InputError("layers-twice", "--layers-of is of a model, without --layers", where=where,
                         hints=["leave one of them out"])  # fmt: skip
    found = with_default_shape(asked)
    count = model_config(asked.model).layers if layers == "all" else 1
    return replace(found, options=found.options.with_(layers=count))


def compile_package(request: Request) -> Chosen:
    """Compiles and writes the package into the request's folder.  All input is checked before any work.

    Raises:
        SttestError: bad input, a design that does not fit, or no front end.
    """
    check_target(request.folder)
    if request.lanes_from is not None:
        lanes = read_lanes(request.lanes_from)
        request = replace(request, options=request.options.with_(lanes=lanes, adapt_lanes=True))
    with progress(f"compiling {request.model}") as step:
        found = request.chosen(step)
        if request.check_resources:
            step("placing")
        placed = place(found.design) if request.check_resources else None
        write_package(found.design, request.folder, placed, fit=found.fit, which=found.facts)
    return found


def _compile_groups(request: Request, *, as_json: bool) -> None:
    with progress(f"compiling {request.model}") as step:
        package = write_groups(request.grouped(step), request.folder)
    if as_json:
        print_json(package.content.model_dump(mode="json", by_alias=True) | {"package": str(package.folder)})
        return
    handed = sum(each.total_bytes for each in package.content.tensors)
    print(f"package        {package.folder}")
    print(f"groups         {len(package.groups)}, a design package each")
    print(f"handed on      {len(package.content.tensors)} tensors, {handed:,} bytes")
    print(f"next           sttest simulate {package.folder}")


def summarise(design: Design, package: DesignPackage) -> dict[str, Any]:
    """What a package holds, in the figures that matter first (``sttest.compile/1``)."""
    manifest = package.manifest.to_json()
    return {
        "schema": "sttest.compile/1", "package": str(package.folder), "name": manifest["name"],
        "clock_mhz": design.graph.clock_mhz,
        "workload": manifest["configuration"]["workload"], "groups": manifest["groups"],
        "kernels": len(design.fusion.fusion.group_of), "fifos": len(design.graph.fifos),
        "fifo_bits": sum(fifo.depth * fifo.bits for fifo in design.graph.fifos),
        "intermediates": manifest["intermediates"], "sizing": manifest["sizing"], "resources": manifest["resources"],
        "design": manifest["design"], "fit": manifest["fit"],
        "partition": manifest.get("partition"), "contractions": manifest.get("contractions"),
        "lanes": asdict(design.adaptation),
        "narrow_loops": narrow_loops(design),
        "compile_s": round(sum(stage.seconds for stage in design.stages), 3),
        "passes": [{"pass": stage.spec, "seconds": round(stage.seconds, 4)} for stage in design.stages],
    }  # fmt: skip


def _text(summary: dict[str, Any]) -> str:
    parts = summary["intermediates"]
    ratio = parts["fused_over_original"]
    shown = "no intermediate results before fusion" if ratio is None else f"ratio {ratio:.3f}"
    lines = [
        _headline(summary),
        f"design         {_design(summary)}",
        f"package        {summary['package']}",
        f"kernels        {summary['kernels']} in {summary['groups']} group{'s' if summary['groups'] != 1 else ''}",
        f"FIFOs          {summary['fifos']}, {summary['fifo_bits']:,} bits",
        f"intermediates  {parts['original_bytes']:,} bytes before fusion, {parts['fused_bytes']:,} on chip after "
        f"({shown})",
        f"cycles         {_cycles(summary['sizing'])}",
        f"resources      {_resources(summary['resources'])}",
        *_memories(summary["resources"], parts),
        *_partition(summary["partition"]),
        *_contractions(summary["contractions"]),
        *(f"lanes          {line}" for line in LaneAdaptation(**summary["lanes"]).lines),
        *_narrow(summary["narrow_loops"]),
        f"next           sttest simulate {summary['package']}",
    ]
    return "\n".join([*lines[:3], *_padding(summary["workload"]), *lines[3:]])


def _headline(summary: dict[str, Any]) -> str:
    """Which design it is, how long it takes, and whether it fits; one that does not says so first."""
    cycles, fit = summary["sizing"]["cycles"], summary["fit"]
    time = "deadlock" if cycles is None else f"{cycles:,} cycles = {cycles / summary['clock_mhz']:,.2f} µs"
    if fit["fits"]:
        return f"{summary['name']}: {time}, fits the {fit['budget']} budget"
    return f"does not fit: {summary['name']}: {time}, {short_of(fit)}"


def short_of(fit: dict[str, Any]) -> str:
    """What a design has too little of, as in "LUT 145 % of the tight budget"."""
    over = [f"{NAMES[kind]} {_percent(share)}" for kind, share in fit["shares"].items() if share is None or share > 1]
    if over:
        return f"{', '.join(over)} of the {fit['budget']} budget"
    share = "" if fit["short_share"] is None else f" {_percent(fit['short_share'])}"
    return f"{fit['short']}{share} of the {fit['budget']} budget"


def _percent(share: float | None) -> str:
    return "without bound" if share is None else f"{100 * share:.0f} %"


def _design(summary: dict[str, Any]) -> str:
    """Where the design comes from, and as what its resources are counted."""
    facts, flow = summary["design"], summary["fit"]["flow"]
    counted = f", {facts['tried']} tried" if facts["tried"] > 1 else ""
    said = {
        "found": f"best, as found for {facts['name']}", "recipe": f"best by rule, {facts['name']}{counted}",
        "default": "default options", "options": "lanes as asked for", "file": facts["name"],
    }[facts["origin"]]  # fmt: skip
    return f"{said}; as {'SystemVerilog' if flow == 'rtl' else 'C++'}"


def _cycles(sizing: dict[str, Any]) -> str:
    if sizing["cycles"] is None:
        return "none, the design deadlocks"
    return f"{sizing['cycles']:,} simulated, {sizing['unbounded_cycles']:,} with FIFOs that are never full"


def _resources(facts: dict[str, Any]) -> str:
    shares = (f"{kind} {100 * share:.0f} %" for kind, share in facts["share_of_budget"].items())
    over = facts["over_budget"]
    verdict = f"; {', '.join(over)} beyond the board's budget" if over else ""
    budget = f"of the {facts['budget']} budget" + (" of the fullest card" if facts.get("cards") else "")
    return f"{', '.join(shares)} {budget}, {facts['memory_ports']} DMAs on {facts['hbm_ports']} HBM ports{verdict}"


def _memories(facts: dict[str, Any], parts: dict[str, Any]) -> list[str]:
    """Why a group that fusion let through takes more memory than there is."""
    if not {"bram18", "uram"} & set(facts["over_budget"]):
        return []
    counted = parts["converter_bytes"] + parts["dma_tile_bytes"]
    return [
        f"memories       {facts['held_bytes']:,} bytes in cells of {facts['cell_bytes']:,}; fusion held {counted:,} of "
        f"converters and tiles to --c-max-bytes, not FIFOs ({parts['fifo_bytes']:,}) nor what cells leave empty"
    ]


def _partition(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    shares = ", ".join(f"{100 * share:.0f} %" for share in facts["fullest_share_per_slr"])
    wires = ", ".join(f"{count:,}" for count in facts["wires_per_boundary"])
    cycles = facts["cycles_with_crossing_registers"]
    shown = "a deadlock" if cycles is None else f"{cycles:,} cycles"
    relays = facts["relays"]
    taken = f"{relays['lut']:,} LUTs and {relays['ff']:,} FFs"
    return [
        f"SLRs           fullest resource {shares}; {wires} wires across; {shown} with registers on crossings",
        f"relays         {relays['processes']} on crossings, {taken} beside the resources above",
        *_clocks(facts["clock"]),
    ]


def _clocks(facts: dict[str, Any]) -> list[str]:
    """A launch at the clocks that the design may reach, the one that it was compiled for beside them."""
    times = (f"{each['case']} {each['clock_mhz']:g} MHz {_us(each['us'])}" for each in facts["times"])
    return [f"clock          {'; '.join(times)}", *(f"beyond         {remark}" for remark in facts["remarks"])]


def _us(time: float | None) -> str:
    return "a deadlock" if time is None else f"{time:,.1f} us"


def _contractions(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    lines = [f"contractions   {facts['integers']} in integers, {len(facts['floating'])} in floating point"]
    return lines + [f"in float32     {each['name']}: {each['reason']}" for each in facts["floating"] + facts["stored"]]


def _narrow(loops: dict[int, list[str]]) -> list[str]:
    return [
        f"slow           {', '.join(tasks[:3])}{', …' if len(tasks) > 3 else ''}: no tile divides {length:,}; "
        f"pad it to {-(-length // 16) * 16:,}"
        for length, tasks in loops.items()
    ]


def _padding(workload: dict[str, Any]) -> list[str]:
    padded = [
        f"{workload[f'asked_{what}']} {what} padded to {workload[what]}"
        for what in ("tokens", "context")
        if f"asked_{what}" in workload and workload[f"asked_{what}"] != workload[what]
    ]
    return [f"shape          {', '.join(padded)}"] if padded else []
