"""Designs that several tests look at: compiled once, their C++ built once and without an optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from sttest.crosscheck.case import BlockCase, WeightSource, has_torch, make_case
from sttest.models.registry import model_config
from sttest.package import KernelFiles, ModelPackage
from sttest.studies.compile_request import Request, compile_package
from sttest.targets.csim import Executable, build, build_kernel

PROMPT = 27
"""Tokens, or cached ones: no multiple of a tile, padded to the 32 of the texts that are shipped."""


@dataclass(frozen=True)
class Design:
    """A package, a case of its block, and where its C++ is built."""

    package: ModelPackage
    case: BlockCase
    work: Path

    @property
    def files(self) -> KernelFiles:
        return self.package.files

    def kernel(self) -> Executable:
        return build_kernel(self.package.files, self.work)


@pytest.fixture(scope="session", autouse=True)
def quick_build() -> Iterator[None]:
    """Small kernels run for milliseconds: an optimizer would take most of the time."""
    flags = tuple("-O0" if flag == "-O2" else flag for flag in build.FLAGS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "FLAGS", flags)
        yield


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Tensors this small are slower on several threads."""
    if not has_torch():
        return
    import torch

    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def workplace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Packages lie here, and `csim` with what is built of them."""
    return tmp_path_factory.mktemp("ladder")


@pytest.fixture(scope="session")
def design_of(workplace: Path) -> Callable[[str, str], Design]:
    """The design of a small model's block in a phase, at the shape that is shipped lowered."""
    made: dict[tuple[str, str], Design] = {}

    def make(model: str, phase: str) -> Design:
        if (model, phase) not in made:
            made[model, phase] = _made(workplace, model, phase)
        return made[model, phase]

    return make


def _made(workplace: Path, model: str, phase: str) -> Design:
    folder = workplace / f"{model}-{phase}"
    tokens, context = (PROMPT, None) if phase == "prefill" else (None, PROMPT)
    compile_package(Request(model, phase, tokens, context, work_dir=folder))  # pyright: ignore[reportArgumentType]
    package = ModelPackage.read(folder)
    case = make_case(model_config(model), package.shape, package.scheme, WeightSource(seed=3))
    return Design(package, case, workplace / "csim")
