"""The processes of a package as jobs: the frame of each, and the parts that it has instances of."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sttest.boards.operators import operators
from sttest.compile.ir.module_walk import only_kernel, target_of
from sttest.compile.opt import parse
from sttest.compile.rtl import module_text
from sttest.compile.rtl.cells import CellModule, Cells
from sttest.compile.rtl.module import ModuleText
from sttest.compile.rtl.processes import design_modules
from sttest.core.errors import InputError
from sttest.package import DesignPackage
from sttest.targets.synth.yosys import SynthesisJob

_FRAME = "process"


@dataclass(frozen=True)
class ProcessJobs:
    """A process, which is synthesized in pieces."""

    module: ModuleText
    frame: SynthesisJob  # ports, control, storage, and adders of integers; parts are black boxes in it
    parts: Mapping[str, SynthesisJob]  # jobs by the name of the black box


def process_jobs(package: DesignPackage, folder: Path) -> dict[str, ProcessJobs | InputError]:
    """The jobs of all processes but memory ports, or why one has none, by the process' name in reports.

    Args:
        package: design; one without IR has no jobs.
        folder: folder for the pipelines that XLS makes.

    Raises:
        ToolMissingError: XLS is not installed.
    """
    if not package.ir:
        return {}
    stage, text = [*package.ir.items()][-1]
    module = parse(text, stage)
    kernel = only_kernel(module, "synth", package.name)
    library, refused = operators(target_of(module, "synth")), dict[str, InputError]()
    memories = package.report("memory_kinds")
    cells = Cells(folder, dict(zip(memories["memory"], memories["kind"], strict=True)))
    modules = design_modules(kernel, package.timed_graph, library, cells, refused)
    return {each.name: jobs_of(each) for each in modules} | refused


def jobs_of(module: ModuleText) -> ProcessJobs:
    """The jobs of a process."""
    boxes = tuple((part.name, part.black_box) for part in module.parts)
    frame = SynthesisJob(_FRAME, ((f"{_FRAME}.sv", module.text(_FRAME)),), boxes=boxes, size=len(module.body) / 10)
    return ProcessJobs(module, frame, {part.name: _part_job(part) for part in module.parts})


def _part_job(part: CellModule) -> SynthesisJob:
    library = tuple((f"{name}.sv", module_text(name)) for name in part.uses)
    return SynthesisJob(part.name, (*library, (f"{part.name}.sv", part.text)), size=len(part.text) / 30)
