"""Runs an unpacked archive of `sttest pack`: one block, its parameters and inputs as bytes, its results byte by byte.

``python -m sttest.targets.device.packed FOLDER --backend device`` needs no more of sttest than the wheel:
neither PyTorch nor a compiler, unless the backend is the emulator, which compiles the kernel with g++.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import EnginesDisagreeError, InputError, SttestError
from sttest.core.files import read_bytes, read_object, read_text
from sttest.core.results import ResultFolder
from sttest.core.validation import validated
from sttest.package import KernelFiles
from sttest.targets.csim import build_kernel
from sttest.targets.device.card import CardOptions, HeldCard, Rehearsal, Timeouts
from sttest.targets.device.log import LaunchStep, Log, rows
from sttest.targets.doctor import require_tools

SCHEMA = "sttest.packed-run/1"
DESCRIPTION = "host/run.json"
_TARGETS = {"device": "hw", "hw_emu": "hw_emu"}
_File = Annotated[str, Field(pattern=r"^host/[a-z]+/[A-Za-z_][A-Za-z0-9_]*\.bin$")]


class PackedRun(BaseModel):
    """``host/run.json``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # model, phase: model and phase of the block
    model: str
    phase: Literal["prefill", "decode"]
    simulated_us: float  # time of a launch in simulation
    inputs: dict[str, _File]  # file of bytes per argument that the kernel reads, parameters among them
    golden: dict[str, _File]  # file of bytes per argument that it writes


@dataclass(frozen=True)
class PackedRequest:
    """What the options ask for; see :func:`main`."""

    folder: Path
    backend: str
    launches: int = 20
    card: int | str = 0
    patience: Timeouts = field(default_factory=Timeouts)


def run_packed(request: PackedRequest) -> int:
    """Runs, compares, writes ``results-<backend>`` and prints.

    Returns:
        0 where every byte is as the golden's, 6 where not.

    Raises:
        ToolMissingError: no XRT, card or compiler.
        SttestError: see `Card`; the results of finished launches are kept.
    """
    require_tools(f"run --backend {request.backend}", without=("torch",))
    files = KernelFiles.read(request.folder)
    content = read_object(request.folder / DESCRIPTION, SCHEMA)
    packed = validated(PackedRun, content, str(request.folder / DESCRIPTION))
    images = _bytes_of(request.folder, packed.inputs, files)
    golden = _bytes_of(request.folder, packed.golden, files)
    folder = request.folder / f"results-{request.backend}"
    log, ended = Log(planned=request.launches), None
    config = {"backend": request.backend, "launches": request.launches}
    with ResultFolder(folder, made_by="sttest.targets.device.packed", config=config) as results:
        try:
            _launch_all(request, packed, files, images, golden, log)
        except (SttestError, KeyboardInterrupt) as error:
            if not log.steps:
                raise
            ended = error
        results.add(*rows(folder.name, request.backend, packed.model, files.design.board, log))
        log.write_steps(results.file("steps.csv"), request.backend)
    if ended is not None:
        raise ended
    print(read_text(folder / "table.md"), end="")
    print(f"{'the same as' if log.agrees else 'DIFFERENT from'} the golden; results in {folder}")
    return 0 if log.agrees else EnginesDisagreeError.exit_code


def _launch_all(
    request: PackedRequest,
    packed: PackedRun,
    files: KernelFiles,
    images: dict[str, bytes],
    golden: dict[str, bytes],
    log: Log,
) -> None:
    with HeldCard(files, _options(request, packed, files)) as card:
        log.platform = card.info["platform"]
        log.idle_w = card.idle_watts()
        names = [each.name for each in files.kernel.buffers]
        for name in names:
            card.allocate(name, name)
        for name, data in images.items():
            card.write(name, data)
        card.prepare("block", {name: name for name in names})
        for number in range(request.launches):
            times = card.launch("block", doing=f"{packed.phase} {number}")
            log.steps.append(LaunchStep(packed.phase, f"{packed.phase} {number}", 0, times))
            wrong = max(_differing(card.read(name), data) for name, data in golden.items())
            log.largest_difference = max(wrong, log.largest_difference or 0.0)
    log.left(card, packed.phase)


def _differing(found: bytes, golden: bytes) -> float:
    """Largest difference of two bytes."""
    pair = (np.frombuffer(each, np.uint8).astype(np.int16) for each in (found, golden))
    return float(np.abs(np.subtract(*pair)).max())


def _options(request: PackedRequest, packed: PackedRun, files: KernelFiles) -> CardOptions:
    if request.backend == "emulator":
        executable = build_kernel(files, request.folder / "build-emulator").path.resolve()
        rehearsal = Rehearsal(str(executable), packed.simulated_us)
        return CardOptions("emulator", str(files.signature_path), 0, request.patience, rehearsal)
    xclbin = files.xclbin(_TARGETS[request.backend])
    if not xclbin.is_file():
        raise InputError(
            "not-built",
            f"there is no {xclbin.name}",
            where=str(xclbin.parent),
            hints=[f"build it with 'make -C hls TARGET={_TARGETS[request.backend]}'"],
        )
    return CardOptions(request.backend, str(xclbin), request.card, request.patience)


def _bytes_of(folder: Path, named: dict[str, str], files: KernelFiles) -> dict[str, bytes]:
    sizes = {each.name: each.bytes for each in files.kernel.buffers}
    found = {}
    for name, file in named.items():
        data = read_bytes(folder / file)
        if len(data) != sizes.get(name):
            raise InputError(
                "bad-image",
                "another size than the kernel's argument",
                where=file,
                demand=sizes.get(name),
                bound=len(data),
                unit="bytes",
                hints=["check the archive with 'make check'"],
            )
        found[name] = data
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """The entry point of an archive; errors are one line, with the exit codes of `sttest.core.errors`."""
    parser = argparse.ArgumentParser(prog="packed", description="Runs an unpacked archive of sttest pack.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--backend", choices=("device", "hw_emu", "emulator"), default="device")
    parser.add_argument("--launches", type=int, default=20, help="of the block")
    parser.add_argument("--card", default="0", help="index, or place on PCIe")
    parser.add_argument("--timeout-launch", type=float, default=60.0, help="seconds")
    parser.add_argument("--timeout-open", type=float, default=300.0, help="seconds")
    given = parser.parse_args(arguments)
    patience = Timeouts(given.timeout_launch, given.timeout_open)
    card = int(given.card) if given.card.isdecimal() else given.card
    try:
        return run_packed(PackedRequest(given.folder, given.backend, max(1, given.launches), card, patience))
    except SttestError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
