"""`sttest pack`: an archive that whoever has a card unpacks, builds and runs, with its own golden."""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from sttest.boards.load import load_board, require_hbm
from sttest.cli.build import BuildRequest, prepare
from sttest.cli.common import Json, print_json, progress
from sttest.cli.verbs import without_table
from sttest.compile.own_kernels import define_values
from sttest.core.errors import EnginesDisagreeError, InputError
from sttest.core.files import replacing
from sttest.core.plain_files import check_replaceable
from sttest.core.program import __version__
from sttest.crosscheck.case import WeightSource
from sttest.crosscheck.text_case import is_text, make_text_case
from sttest.package import DesignPackage, ModelPackage
from sttest.reference import run as run_reference
from sttest.runtime.card_run import seeded_block
from sttest.studies.workload import TEXT_PHASE
from sttest.targets.device.packed import DESCRIPTION, SCHEMA
from sttest.targets.doctor import require_tools


@without_table
def pack_verb(
    package: Annotated[Path, typer.Argument(help="A design package of a model's block or of a .mlir file.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="The archive [DESIGN.tar.gz beside it].")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Of weights and inputs.")] = 1,
    weights: Annotated[
        Path | None, typer.Option(help="A checkpoint's folder; for a text a .safetensors file [random].")
    ] = None,
    kernels: Annotated[Path | None, typer.Option(help="The YAML file of own kernels, for the golden.")] = None,
    as_json: Json = False,
) -> None:
    """Pack a design with parameters, inputs and golden, to be built and run where there is a card.

    Examples:

      sttest pack build/gpt2-decode-u55c -o gpt2-decode.tar.gz
    """
    require_tools("pack")
    if kernels is not None:
        define_values(kernels)
    found = DesignPackage.read(package)
    if not is_text(found):
        found = ModelPackage.read(package)
        found.require_one_block()
    path = out or package.resolve().parent / f"{found.name}.tar.gz"
    if path.is_dir():
        raise InputError("not-a-file", "a folder stands in the way", where=str(path), hints=["name a file"])
    check_replaceable(path)
    with progress(f"packing {found.name}") as tell:
        tell("connections")
        prepare(BuildRequest(package, "hw", dry_run=True))
        tell("golden")
        contents = {**found.files.sources(), **_host_files(found, weights, seed), **_texts(found)}
        contents[SUMS] = _sums(contents).encode()
        tell("writing")
        _write(path, found.name, contents)
    packed_bytes = path.stat().st_size
    if as_json:
        print_json({"schema": "sttest.pack/1", "archive": str(path), "bytes": packed_bytes, "files": sorted(contents)})
        return
    print(f"{path}: {len(contents)} files, {packed_bytes:,} bytes")


SUMS = "SHA256SUMS"


def _host_files(package: DesignPackage, weights: Path | None, seed: int) -> dict[str, bytes]:
    """Images of the first layer or of a text, seeded inputs and golden, by the kernel's arguments."""
    if isinstance(package, ModelPackage):
        memory, seeded = seeded_block(package, weights, seed)
        images = {**memory.parameter_images, **seeded.inputs}
        golden = run_reference(package.reference_graph, images).results
        if package.manifest.configuration.options.kernels is None:  # which PyTorch knows nothing of
            _check_goldens(package, memory, seeded, golden)
    else:
        images = make_text_case(package, WeightSource(seed, weights)).images(package.reference_graph)
        golden = run_reference(package.reference_graph, images).results
    model, phase, _ = _told(package)
    inputs = {name: image.tobytes() for name, image in package.files.by_argument(images).items()}
    outputs = {package.files.argument_of[dma]: bytes(image) for dma, image in golden.items()}
    description = {
        "schema": SCHEMA,
        "model": model,
        "phase": phase,
        "simulated_us": package.simulated_us,
        "inputs": {name: f"host/inputs/{name}.bin" for name in inputs},
        "golden": {name: f"host/golden/{name}.bin" for name in outputs},
    }
    return {
        DESCRIPTION: (json.dumps(description, indent=1) + "\n").encode(),
        **{f"host/inputs/{name}.bin": data for name, data in inputs.items()},
        **{f"host/golden/{name}.bin": data for name, data in outputs.items()},
    }


def _told(package: DesignPackage) -> tuple[str, str, str]:
    """Name and phase of what is packed, and what it is; a text has no phase, as nothing of it is cached."""
    if isinstance(package, ModelPackage):
        title = f"One decoder block of {package.config.public_name} ({package.phase})"
        return package.config.name, package.phase, title
    return package.name, TEXT_PHASE, "A design of a linalg text"


def _check_goldens(package: ModelPackage, memory, seeded, golden) -> None:  # noqa: ANN001 - types of models
    from sttest.runtime.block_runner import largest_difference

    difference = largest_difference(memory.results(golden, seeded.tokens), seeded.golden)
    if difference:
        raise EnginesDisagreeError(
            "goldens-differ", f"reference engine and PyTorch differ by {difference:g}", where=str(package.folder)
        )


def _sums(contents: Mapping[str, bytes]) -> str:
    """The checksums of files, in the format that ``sha256sum --check`` reads."""
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


# --- What an archive says of itself

_MAKEFILE = """\
# {design}: make check, make build (Vitis), make run (a card), make emulator (neither).
PYTHON ?= python3
BACKEND ?= device
TARGET ?= hw
LAUNCHES ?= 20
.PHONY: run check build emulator

run: check
\t$(PYTHON) -P -m sttest.targets.device.packed . --backend $(BACKEND) --launches $(LAUNCHES)

emulator:
\t$(MAKE) run BACKEND=emulator LAUNCHES=2

check:
\tsha256sum --check --quiet SHA256SUMS

build: check
\t$(MAKE) -C hls TARGET=$(TARGET)
"""

_README = """\
# {design}

{what} as a kernel for a {title}, with its parameters, seeded inputs and the results
that it must give, byte by byte.

1. `python3 -m venv venv && . venv/bin/activate && pip install sttest` (version {version})
2. `make check`: every file is as it was packed.
3. `make emulator`: the host program and the C++ agree, on a simulated XRT; needs g++.
4. `source .../Vitis/{vitis}/settings64.sh` and `make build TARGET=hw_emu`, then `source /opt/xilinx/xrt/setup.sh` and
   `make run BACKEND=hw_emu LAUNCHES=1`: hardware emulation.
5. `make build` (hours), then `make run`: the card. Results are in `results-device`: latency on the host's clock, board
   power and energy, and whether all bytes are right.

`hls/link.cfg` connects each argument to an HBM bank of the platform {platform}; `hls/signature.json` says the same to
the host. What makes a kernel hang is ended after a minute (`--timeout-launch`) and named.
"""


def _texts(package: DesignPackage) -> dict[str, bytes]:
    """Makefile and README of the archive, by name."""
    board = require_hbm(load_board(package.board))
    readme = _README.format(
        design=package.name,
        what=_told(package)[2],
        title=board.title,
        version=__version__,
        vitis=board.toolchain.vitis,
        platform=board.platform,
    )
    return {"Makefile": _MAKEFILE.format(design=package.name).encode(), "README.md": readme.encode()}
