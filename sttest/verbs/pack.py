"""`sttest pack`: an archive that whoever has a card unpacks, builds and runs, with its own golden."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sttest.boards.load import load_board
from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.core.files import replacing
from sttest.core.program import __version__
from sttest.package import ModelPackage
from sttest.reference import run as run_functional
from sttest.targets.device.packed import DESCRIPTION, SCHEMA
from sttest.targets.doctor import require_tools
from sttest.verbs.build import BuildRequest, prepare
from sttest.verbs.card_run import seeded_block
from sttest.verbs.output import progress
from sttest.verbs.pack_texts import makefile, readme

SUMS = "SHA256SUMS"


@dataclass(frozen=True)
class PackRequest:
    """What the options ask for."""

    package: Path  # the folder
    out: Path | None = None  # the archive; None for ``<design>.tar.gz`` beside the package.
    seed: int = 1  # seed of weights and inputs
    weights: Path | None = None  # a checkpoint folder; None for random weights


def run(request: PackRequest) -> None:
    """Makes the archive, whole or not at all.

    Raises:
        ToolMissingError: no PyTorch to compute the golden with.
        InputError: no package of a model.
        EnginesDisagreeError: functional engine and PyTorch have different goldens.
    """
    require_tools("pack")
    package = ModelPackage.read(request.package)
    package.require_one_block()
    out = request.out or request.package.resolve().parent / f"{package.name}.tar.gz"
    if out.is_dir():
        raise InputError("not-a-file", "a folder stands in the way", where=str(out), hints=["name a file"])
    with progress(f"packing {package.name}") as tell:
        tell("connections")
        prepare(BuildRequest(request.package, "hw", dry_run=True))
        tell("golden")
        contents = {**package.files.sources(), **_host_files(package, request)}
        board = load_board(package.board)
        contents["Makefile"] = makefile(package).encode()
        contents["README.md"] = readme(package, board, __version__).encode()
        contents[SUMS] = _sums(contents).encode()
        tell("writing")
        _write(out, package.name, contents)
    print(f"{out}: {len(contents)} files, {out.stat().st_size:,} bytes")


def _host_files(package: ModelPackage, request: PackRequest) -> dict[str, bytes]:
    """Images of the first layer, seeded inputs and golden, by the kernel's arguments."""
    memory, seeded = seeded_block(package, request.weights, request.seed)
    images = {**memory.parameter_images, **seeded.inputs}
    golden = run_functional(package.reference_graph, images).results
    _check_goldens(package, memory, seeded, golden)
    inputs = {name: image.tobytes() for name, image in package.files.by_argument(images).items()}
    outputs = {package.files.argument_of[dma]: bytes(image) for dma, image in golden.items()}
    description = {
        "schema": SCHEMA,
        "model": package.config.name,
        "phase": package.phase,
        "simulated_us": package.simulated_us,
        "inputs": {name: f"host/inputs/{name}.bin" for name in inputs},
        "golden": {name: f"host/golden/{name}.bin" for name in outputs},
    }
    return {
        DESCRIPTION: (json.dumps(description, indent=1) + "\n").encode(),
        **{f"host/inputs/{name}.bin": data for name, data in inputs.items()},
        **{f"host/golden/{name}.bin": data for name, data in outputs.items()},
    }


def _check_goldens(package: ModelPackage, memory, seeded, golden) -> None:  # noqa: ANN001 - types of models
    from sttest.runtime.block_runner import largest_difference

    difference = largest_difference(memory.results(golden, seeded.tokens), seeded.golden)
    if difference:
        raise EnginesDisagreeError(
            "goldens-differ", f"functional engine and PyTorch differ by {difference:g}", where=str(package.folder)
        )


def _sums(contents: Mapping[str, bytes]) -> str:
    """As ``sha256sum --check`` reads it."""
    return "".join(f"{hashlib.sha256(contents[name]).hexdigest()}  {name}\n" for name in sorted(contents))


def _write(out: Path, root: str, contents: Mapping[str, bytes]) -> None:
    """One folder; no times and no owners, so that the same content is the same archive."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        replacing(out) as unfinished,
        unfinished.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for name in sorted(contents):
            entry = tarfile.TarInfo(f"{root}/{name}")
            entry.size, entry.mode = len(contents[name]), 0o644
            archive.addfile(entry, io.BytesIO(contents[name]))
