"""`sttest compile`: a model's block, or linalg text, to a design package."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sttest.compile.compiler import Design
from sttest.compile.resources.design import SlrPlacement, place
from sttest.package import DesignPackage, check_target, read_lanes
from sttest.studies.workload import CompileRequest, is_file
from sttest.verbs.output import print_json, progress


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
        parts = (Path(self.model).stem if is_file(self.model) else self.model, self.phase, self.board_name)
        return Path("build") / "-".join(part for part in parts if part)


def run(request: Request, *, as_json: bool) -> None:
    """Compiles, writes the package and tells what is in it.

    Raises:
        SttestError: see :func:`compile_package`.
    """
    design = compile_package(request)
    summary = summarise(design, DesignPackage.read(request.folder))
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
    if request.lanes_from is not None:
        request = replace(request, options=request.options.with_(lanes=read_lanes(request.lanes_from)))
    with progress(f"compiling {request.model}") as step:
        design = request.design(step)
        placed = _placed(design, step) if request.check_resources else None
        DesignPackage.write(design, request.folder, placed)
    return design


def _placed(design: Design, step: Any) -> SlrPlacement:
    step("placing")
    return place(design)


def summarise(design: Design, package: DesignPackage) -> dict[str, Any]:
    """What a package holds, in the figures that matter first (``sttest.compile/1``)."""
    manifest = package.manifest.to_json()
    return {
        "schema": "sttest.compile/1",
        "package": str(package.folder),
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
        f"({shown})",
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
