"""``python -m sttest.studies.prepare``: compiles what is asked for first, so that `sttest compile` has it at once.

These are the models whose texts are shipped, in both phases, with no other option.  `make install` prepares them.  They
are found without the text of their block, which takes longer to lower than the rest, and count for this program and
these versions of the front end alone: after an edit or an update `sttest compile` compiles again.
"""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory

from sttest.core.closure import tree_hash
from sttest.core.errors import ToolMissingError
from sttest.core.processes import run_all
from sttest.core.program import package_versions
from sttest.core.progress import progress
from sttest.core.results import config_hash
from sttest.frontend.shipped import SHIPPED_MODELS
from sttest.models.config import DecoderConfig
from sttest.models.registry import SMALL, model_config
from sttest.package import DesignPackage
from sttest.sim.graph import MAX_ACCESSES_VARIABLE
from sttest.studies import kept_package
from sttest.studies.compile_request import Request, compile_package, with_default_shape
from sttest.studies.kept_package import KeptPackage
from sttest.studies.package_summary import summarize
from sttest.studies.workload import WorkloadShape, keep_texts

PREPARED_VARIABLE = "STTEST_PREPARED"
"""Names another folder than ``share/sttest`` of the Python environment; empty: nothing is looked for."""
MODELS = (f"{SMALL}gpt2", *SHIPPED_MODELS)
PHASES = ("decode", "prefill")


def folder() -> Path | None:
    """Where packages are prepared; None where they are not to be looked for."""
    given = os.environ.get(PREPARED_VARIABLE)
    if given is None:
        return Path(sys.prefix) / "share" / "sttest"
    return Path(given) if given else None


def requests() -> list[Request]:
    """What ``sttest compile MODEL --phase PHASE`` asks for."""
    return [with_default_shape(Request(model, phase, choice="best")) for model in MODELS for phase in PHASES]


def recall(request: Request) -> KeptPackage | None:
    """The package that was prepared for a request; None if it is another request, or nothing was prepared."""
    here, asked = folder(), replace(request, work_dir=None)
    if here is None or request.options.given or asked not in requests():
        return None
    return kept_package.recall(_name(asked), here)


def prepare(here: Path, asked: Sequence[Request], jobs: int) -> int:
    """Compiles what is not prepared yet, and deletes what an earlier program prepared; how many packages there are.

    Args:
        here: see :func:`folder`.
        asked: some of :func:`requests`.
        jobs: processes at a time.

    Raises:
        SttestError: see :func:`compile_package`.
    """
    work = {f"{each.model} {each.phase}": each for each in asked}
    with progress("preparing designs") as step:
        step("lowering")
        with suppress(ToolMissingError):  # then the texts are those that are shipped
            keep_texts([_block(each) for each in asked if kept_package.recall(_name(each), here) is None])
        for done, (label, _) in enumerate(run_all(partial(_prepare, here), work, jobs), start=1):
            step(f"{label}, {done} of {len(work)}")
    return kept_package.keep_only({_name(each) for each in asked}, here)


def _block(request: Request) -> tuple[DecoderConfig, WorkloadShape]:
    shape = WorkloadShape.asked(request.model, request.phase, request.tokens, request.context)
    return model_config(request.model), shape.padded(request.options.tile_size)


def _prepare(here: Path, request: Request) -> None:
    if kept_package.recall(_name(request), here) is not None:
        return
    with TemporaryDirectory() as scratch:
        request = replace(request, work_dir=Path(scratch) / "package")
        design = compile_package(request).design
        package = KeptPackage.of(request.folder, summarize(design, DesignPackage.read(request.folder)))
    kept_package.keep(_name(request), package, here)


def _name(request: Request) -> str:
    """Model, phase, and a hash of all else that the package follows from."""
    key = {
        "program": tree_hash(), "packages": package_versions(), "limit": os.environ.get(MAX_ACCESSES_VARIABLE, ""),
        "frontend": {name: _version(name) for name in ("torch", "torch-mlir")},
    }  # fmt: skip
    return f"{request.model}-{request.phase}-{config_hash(key)}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""  # then the text is that which is shipped


def main() -> None:
    """Prepares all."""
    here = folder()
    if here is None:
        print(f"nothing is prepared: {PREPARED_VARIABLE} is empty")
        return
    count = prepare(here, requests(), os.cpu_count() or 1)
    print(f"{count} designs are prepared in {here}")


if __name__ == "__main__":
    main()
