"""Packages of small models, compiled once, and tools that only pretend to be Vitis."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions, Sharing
from sttest.frontend.shipped import SHIPPED_SHAPES, lowered_text
from sttest.models.registry import model_config
from sttest.models.tables import head_columns
from sttest.package.compiled import write_package
from sttest.targets.csim import build

FAKE_VITIS = """\
#!/bin/sh
# Plays v++ and emconfigutil: makes the file behind -o, or emconfig.json.
if [ "$1" = --version ]; then echo '****** v++ v{version} (64-bit)'; exit 0; fi
echo "$0 $*" >> "$FAKE_CALLS"
{trouble}
out=emconfig.json
while [ $# -gt 0 ]; do [ "$1" = -o ] && out=$2; shift; done
echo made > "$out"
"""


@pytest.fixture(scope="session")
def package_of(tmp_path_factory):
    """A package of a small model's block: 32 tokens, or one after 32; not to be changed."""

    @cache
    def make(
        model: str,
        phase: str,
        board: str = "u55c",
        layers: int = 1,
        share: Sharing = "none",
        *,
        head: bool = False,
        generate: int = 1,
    ) -> Path:
        tokens, context = SHIPPED_SHAPES[True][phase]
        workload = {
            "model": f"small-{model}",
            "phase": phase,
            "tokens": tokens,
            "context": context,
            "asked_tokens": tokens,
            "asked_context": context,
        }
        if head:
            workload["head_columns"] = head_columns(model_config(f"small-{model}"))
        name = f"small-{model}-{phase}-{board}"
        positions = generate > 1 and model_config(f"small-{model}").rope_theta is None
        options = CompileOptions(layers=layers, share=share, generate=generate, positions=positions)
        design = compile_text(
            lowered_text(model, phase, head=head, small=True), name, board, options, workload=workload
        )
        return write_package(design, tmp_path_factory.mktemp("packages") / name).folder

    return make


@pytest.fixture
def own_package_of(package_of, tmp_path):
    """A copy that may be changed."""

    def make(model: str, phase: str, **options: Any) -> Path:
        return Path(shutil.copytree(package_of(model, phase, **options), tmp_path / "package"))

    return make


@pytest.fixture(scope="session")
def work(tmp_path_factory) -> Path:
    """Where kernels are compiled to, once for all tests."""
    return tmp_path_factory.mktemp("work")


@pytest.fixture
def quick_build(monkeypatch):
    """Kernels that run for milliseconds need no optimizer, whose time is most of a build."""
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    monkeypatch.setattr(build, "FLAGS", tuple("-O0" if flag == "-O2" else flag for flag in build.FLAGS))


@pytest.fixture
def vitis(tmp_path, monkeypatch):
    """Puts a Vitis on PATH, with trouble as told in shell; returns the file that gets its calls."""

    def make(version: str = "2024.1", trouble: str = "") -> Path:
        folder, calls = tmp_path / "tools", tmp_path / "calls"
        folder.mkdir(exist_ok=True)
        for name in ("v++", "emconfigutil"):
            (folder / name).write_text(FAKE_VITIS.format(version=version, trouble=trouble))
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
        monkeypatch.setenv("FAKE_CALLS", str(calls))
        return calls

    return make
