"""`sttest compile`: a model's block, or linalg text, to a design package."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sttest.compile.compiler import Design, compile_text
from sttest.compile.pipeline import CompileOptions
from sttest.compile.resources.design import SlrPlacement, place
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST
from sttest.models.program import Phase
from sttest.models.quant.scheme import load_scheme
from sttest.models.registry import model_config
from sttest.package.design_package import check_target, write_package
from sttest.verbs.output import print_json, progress
from sttest.verbs.workload import Workload, WorkloadShape, file_workload, is_file, model_text, model_workload


@dataclass(frozen=True)
class Request:
    """What the options ask for.

    Attributes:
        model: a model's name, or the path of a ``.mlir`` file.
        phase, tokens, context: the shape of a model's block; None where not given.
        board: name or path.
        work_dir: where the package goes; None for the default.
        knobs: the other options.
        lanes_from: a package whose lanes are taken over.
        check_resources: refuse a design that does not fit, and give every process an SLR.
        head: compile what follows the last layer, too.
    """

    model: str
    phase: Phase | None
    tokens: int | None
    context: int | None
    board: str
    work_dir: Path | None
    knobs: CompileOptions
    lanes_from: Path | None = None
    check_resources: bool = False
    head: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the package: ``build/<model>-<phase>-<board>`` unless another is named."""
        if self.work_dir is not None:
            return self.work_dir
        parts = (Path(self.model).stem if is_file(self.model) else self.model, self.phase, _board_name(self.board))
        return Path("build") / "-".join(part for part in parts if part)


def run(request: Request, *, as_json: bool) -> None:
    """Compiles, writes the package and tells what is in it.

    Raises:
        SttestError: see :func:`compile_package`.
    """
    summary = summarise(compile_package(request), request.folder)
    if as_json:
        print_json(summary)
    else:
        print(_text(summary))


def compile_package(request: Request) -> Design:
    """Compiles and writes the package into the request's folder.  All input is checked before any work.

    Raises:
        SttestError: bad input, a design that does not fit, or no front end.
    """
    check_target(request.folder)
    _check_board(request.board)
    _check_chunks(request.knobs)
    _check_engines(request.knobs)
    knobs = request.knobs
    if request.lanes_from is not None:
        knobs = replace(knobs, lanes=lanes_of(request.lanes_from))
    if knobs.generate > 1:
        knobs = _generating(knobs, request)
    with progress(f"compiling {request.model}") as step:
        workload, text = _text_of(request, step)
        name = f"{workload.name}-{_board_name(request.board)}"
        design = compile_text(
            text, name, request.board, knobs, keep_ir=True, progress=step, workload=workload.facts
        )  # fmt: skip
        placed = _placed(design, step) if request.check_resources else None
        write_package(design, request.folder, placed)
    return design


def _generating(knobs: CompileOptions, request: Request) -> CompileOptions:
    """A launch that makes several tokens adds the position itself, where the model has learned ones.

    Raises:
        InputError: a file, no head, or other than all layers: nothing would lead from one token to the next.
    """
    if is_file(request.model):
        hints = ["name a model of the registry"]
        raise InputError("shape-of-a-file", "--generate is for models", where=request.model, hints=hints)
    config = model_config(request.model)
    if not request.head or knobs.layers != config.layers:
        raise InputError(
            "no-loop", "a launch makes several tokens only with all layers and the head", where="--generate",
            hints=[f"add --layers {config.layers} --head"],
        )  # fmt: skip
    return replace(knobs, positions=config.rope_theta is None)


def _placed(design: Design, step: Any) -> SlrPlacement:
    step("placing")
    return place(design)


def lanes_of(package: Path) -> tuple[str, ...]:
    """The lanes of every kernel of a package, ``name:lanes``.

    Raises:
        InputError: no package with a kernel report.
    """
    report = package / "reports" / "kernels.csv"
    try:
        with report.open(newline="", encoding="utf-8") as file:
            lanes = tuple(f"{row['kernel']}:{int(row['lanes'])}" for row in csv.DictReader(file))
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise InputError(
            "no-lanes", "no readable reports/kernels.csv", where=str(package),
            hints=["name a package that 'sttest compile' made"],
        ) from error  # fmt: skip
    return lanes


def entries(option: str, given: Sequence[str] | None) -> tuple[str, ...]:
    """What ``NAME=VALUE`` options say, as passes write it: ``name:value``.

    Raises:
        InputError: an entry without a name or a value.
    """
    pairs = [entry.partition("=") for entry in given or ()]
    for name, _, value in pairs:
        if not name or not value:
            raise InputError("bad-option", f"'{name}' has no value", where=option, hints=[f"write {option} NAME=..."])
    return tuple(f"{name}:{value}" for name, _, value in pairs)


def _check_board(board: str) -> None:
    from sttest.boards.load import load_board, require_hbm

    require_hbm(load_board(board))


def _check_engines(knobs: CompileOptions) -> None:
    """Engines of their own are engines: where nobody shares one, the names would say nothing.

    Raises:
        InputError: named tasks without sharing.
    """
    if knobs.own_engines and knobs.share == "none":
        raise InputError(
            "nothing-shared", "no tasks share an engine, so none can have one of their own", where="--own-engine",
            hints=["add --share weights or --share all"],
        )  # fmt: skip


def _check_chunks(knobs: CompileOptions) -> None:
    """A cache that grows on the card has its free places behind, so that its chunks are not those of the golden.

    Raises:
        InputError: attention in one pass in a launch that makes several tokens.
    """
    if knobs.attention == "one-pass" and knobs.generate > 1:
        raise InputError(
            "one-pass-generation", "attention in one pass is for launches of one token", where="--attention",
            hints=["take three-pass", "compile without --generate"],
        )  # fmt: skip


def _board_name(board: str) -> str:
    return Path(board).stem if board.endswith((".yaml", ".yml")) else board


def _text_of(request: Request, step: Any) -> tuple[Workload, str]:
    if is_file(request.model):
        shape_options = {
            "--phase": request.phase, "--tokens": request.tokens, "--context": request.context,
            "--head": request.head or None,
        }  # fmt: skip
        return file_workload(Path(request.model), shape_options)
    config = model_config(request.model)
    asked = _asked(request)
    if request.head:
        _check_head_scheme(request.knobs.precision)
    workload, shape = model_workload(config, asked, request.knobs.tile_size)
    step("lowering")
    return workload, model_text(config, shape)


def _asked(request: Request) -> WorkloadShape:
    """The shape that the options give: decode takes one token, prefill starts from nothing."""
    if request.phase is None:
        raise _missing("--phase", request, ["give --phase prefill --tokens N", "give --phase decode --context N"])
    if request.phase == "prefill" and request.tokens is None:
        raise _missing("--tokens", request, ["say how long the prompt is, as in --tokens 64"])
    if request.phase == "decode" and request.context is None:
        raise _missing("--context", request, ["say how many tokens are cached, as in --context 64"])
    return WorkloadShape(
        request.phase, 1 if request.tokens is None else request.tokens, request.context or 0, request.head
    )


def _check_head_scheme(precision: str) -> None:
    """All products of a design are of one scheme.

    Raises:
        InputError: a scheme that leaves the head in floating point.
    """
    scheme = load_scheme(precision)
    if scheme.quantises and scheme.lm_head == "none":
        raise InputError(
            "head-not-quantised", "the scheme keeps the head in floating point, a design has one scheme for all",
            where=f"scheme '{scheme.name}'", hints=["set lm_head to weights", "compile without --head"],
        )  # fmt: skip


def _missing(option: str, request: Request, hints: list[str]) -> InputError:
    phase = f" {request.phase}" if request.phase else ""
    return InputError("missing-option", f"{option} is missing", where=f"{request.model}{phase}", hints=hints)


def summarise(design: Design, folder: Path) -> dict[str, Any]:
    """What a package holds, in the figures that matter first (``sttest.compile/1``)."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return {
        "schema": "sttest.compile/1",
        "package": str(folder),
        "name": manifest["name"],
        "workload": manifest["configuration"]["workload"],
        "groups": manifest["groups"],
        "kernels": len(design.fusion.fusion.group_of),
        "fifos": len(design.graph.fifos),
        "fifo_bits": sum(fifo.depth * fifo.bits for fifo in design.graph.fifos),
        "intermediates": manifest["intermediates"],
        "sizing": manifest["sizing"],
        "resources": manifest["resources"],
        "partition": manifest.get("partition"),
        "compile_s": round(sum(stage.seconds for stage in design.stages), 3),
    }


def _text(summary: dict[str, Any]) -> str:
    parts = summary["intermediates"]
    ratio = parts["fused_over_original"]
    shown = "no intermediate results before fusion" if ratio is None else f"ratio {ratio:.3f}"
    lines = [
        f"package        {summary['package']}",
        f"kernels        {summary['kernels']} in {summary['groups']} group{'s' if summary['groups'] != 1 else ''}",
        f"FIFOs          {summary['fifos']}, {summary['fifo_bits']:,} bits",
        f"intermediates  {parts['original_bytes']:,} bytes before fusion, {parts['fused_bytes']:,} on chip after "
        f"({shown}; published {parts['published_fused_over_original']})",
        f"cycles         {_cycles(summary['sizing'])}",
        f"resources      {_resources(summary['resources'])}",
        *_partition(summary["partition"]),
        f"next           sttest simulate {summary['package']}",
    ]
    return "\n".join([*lines[:1], *_padding(summary["workload"]), *lines[1:]])


def _cycles(sizing: dict[str, Any]) -> str:
    if sizing["cycles"] is None:
        return "none, the design deadlocks"
    return f"{sizing['cycles']:,} simulated, {sizing['unbounded_cycles']:,} with FIFOs that are never full"


def _resources(facts: dict[str, Any]) -> str:
    shares = (f"{kind} {100 * share:.0f} %" for kind, share in facts["share_of_budget"].items())
    over = facts["over_budget"]
    verdict = f"; {', '.join(over)} beyond the board's budget" if over else ""
    return f"{', '.join(shares)} of the budget, {facts['memory_ports']} DMAs on {facts['hbm_ports']} HBM ports{verdict}"


def _partition(facts: dict[str, Any] | None) -> list[str]:
    if facts is None:
        return []
    shares = ", ".join(f"{100 * share:.0f} %" for share in facts["fullest_share_per_slr"])
    wires = ", ".join(f"{count:,}" for count in facts["wires_per_boundary"])
    cycles = facts["cycles_with_crossing_registers"]
    shown = "a deadlock" if cycles is None else f"{cycles:,} cycles"
    return [f"SLRs           fullest resource {shares}; {wires} wires across; {shown} with registers on crossings"]


def _padding(workload: dict[str, Any]) -> list[str]:
    padded = [
        f"{workload[f'asked_{what}']} {what} padded to {workload[what]}"
        for what in ("tokens", "context")
        if f"asked_{what}" in workload and workload[f"asked_{what}"] != workload[what]
    ]
    return [f"shape          {', '.join(padded)}"] if padded else []
