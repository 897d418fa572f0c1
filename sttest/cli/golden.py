"""`sttest golden`: inputs, parameters, every stream and the results of a design as files, for hardware of one's own."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from sttest.cli.cases import VALUE_OPTIONS, CheckedBlock, asked_of, case_of
from sttest.cli.common import Board, Json, names_of, print_json, progress, takes_options
from sttest.cli.objects import takes_objects
from sttest.cli.verbs import without_table
from sttest.compile.options import CompileOptions
from sttest.compile.own_kernels import define_values
from sttest.core.errors import InputError
from sttest.core.files import MANIFEST
from sttest.crosscheck.case import Case, require_torch
from sttest.crosscheck.golden_folder import check_golden_folder, write_golden
from sttest.crosscheck.goldens import make_golden
from sttest.crosscheck.text_case import package_case
from sttest.package import DesignPackage
from sttest.studies.compile_request import compile_package


@dataclass(frozen=True)
class AskedGolden:
    """What is written, and where."""

    out: Annotated[Path, typer.Option("--out", "-o", help="The folder of goldens.")]
    only: Annotated[
        str | None, typer.Option(metavar="NAME,NAME", help="Streams to write, as in 'mlp*' [all of them].")
    ] = None
    csim: Annotated[
        bool, typer.Option("--csim", help="Compare every stream with the emitted C++ as well before writing.")
    ] = False
    board: Board = "u55c"
    work_dir: Annotated[Path | None, typer.Option("--work-dir", help="Keep the package there [it is not kept].")] = None


@takes_options(*VALUE_OPTIONS)
@takes_objects
@without_table
def golden_verb(
    model: Annotated[
        str,
        typer.Argument(help="A model's name, small-NAME, a config.json, a .mlir, FILE.py:NAME, or a design package."),
    ],
    wanted: AskedGolden,
    block: CheckedBlock,
    *,
    options: CompileOptions,
    as_json: Json = False,
) -> None:
    """Write inputs, every stream and results of a design, for hardware of your own; exit code 6 where engines disagree.

    Examples:

      sttest golden small-gpt2 --phase decode -o golden

      sttest golden gpt2 --phase decode --context 64 --only "mlp*" --csim -o golden

      sttest golden my-module.py:make --precision w8a8 -o golden

      sttest golden block.mlir --checkpoint block.safetensors -o golden

      sttest golden build/gpt2-decode-u55c -o golden
    """
    check_golden_folder(wanted.out)
    with TemporaryDirectory(prefix="sttest-golden-") as scratch:
        found, case = _design(model, block, wanted, options, Path(scratch))
        with progress(f"goldens of {found.name}") as tell:
            builds = Path(scratch) / "csim" if wanted.csim else None
            golden = make_golden(found, case, names_of(wanted.only), builds, tell)
            weights = {"seed": block.seed, "checkpoint": None if block.checkpoint is None else str(block.checkpoint)}
            manifest = write_golden(golden, found, weights, wanted.out, tell)
    if as_json:
        print_json({"schema": "sttest.goldens/1", **_summary(manifest, wanted.out)})
        return
    _print(manifest, wanted.out)


def _design(
    model: str, block: CheckedBlock, wanted: AskedGolden, options: CompileOptions, scratch: Path
) -> tuple[DesignPackage, Case]:
    """The design, compiled unless it is a package, and the case of its values."""
    if not (Path(model) / MANIFEST).is_file():
        asked = asked_of("golden", model, block, wanted.board, options, wanted.work_dir or scratch / "package")
        with progress(f"compiling {asked.model}") as step:
            compile_package(asked, step)
        package = DesignPackage.read(asked.folder)
        with progress(f"goldens of {package.name}: torch"):
            return package, case_of(package, asked, block.weights)
    _refuse_shape(model, block, wanted, options)
    require_torch()
    package = DesignPackage.read(model)
    if options.kernels is not None:
        define_values(Path(options.kernels))
    with progress(f"goldens of {package.name}: torch"):
        return package, package_case(package, block.weights)


def _refuse_shape(model: str, block: CheckedBlock, wanted: AskedGolden, options: CompileOptions) -> None:
    """A package was compiled as it is: only weights, inputs and values of own kernels are still open."""
    asked = CheckedBlock(seed=block.seed, checkpoint=block.checkpoint)
    is_open = options == CompileOptions(kernels=options.kernels) and wanted.work_dir is None
    if block != asked or not is_open:
        hints = ["leave shape and compiler options out", "compile it anew with 'sttest compile'"]
        raise InputError("shape-of-a-package", "the design is compiled already", where=model, hints=hints)


def _summary(manifest: dict[str, Any], folder: Path) -> dict[str, Any]:
    files = [manifest["arrays"], *(file for entry in manifest["entries"] for file in entry["files"])]
    return {
        "name": manifest["name"],
        "folder": str(folder),
        "entries": dict(Counter(entry["kind"] for entry in manifest["entries"])),
        "files": len(files) + 1,
        "bytes": sum(file["bytes"] for file in files),
        "checks": manifest["checks"],
        "sqnr_db": manifest["sqnr_db"],
    }


def _print(manifest: dict[str, Any], folder: Path) -> None:
    told = _summary(manifest, folder)
    kinds = ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for kind, count in told["entries"].items())
    print(f"{folder}: goldens of {told['name']}: {kinds}")
    print(f"  {told['files']} files, {told['bytes']:,} bytes; {MANIFEST} says what is in each")
    for check in told["checks"]:
        print(f"  {check['told']}")
    if not told["checks"]:
        print("  held against no other engine: PyTorch has no golden of these bits; --csim takes the emitted C++")
    if told["sqnr_db"] is not None:
        print(f"  the main result against the same in floating point: SQNR {told['sqnr_db']:.1f} dB")
