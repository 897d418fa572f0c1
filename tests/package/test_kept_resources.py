"""What a design takes is kept under all that it follows from, and nothing that was not kept whole is taken."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sttest.compile.compiler import Design, StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.design import design_resources
from sttest.package import kept_resources as module
from sttest.package.kept_resources import kept_resources
from tests.explore.tiny_searches import two_products


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The designs that were taken apart."""
    found: list[str] = []

    def told(design: Design):
        found.append(design.name)
        return design_resources(design)

    monkeypatch.setattr(module, "design_resources", told)
    return found


def compiled(board: str = "u55c", **options: object) -> Design:
    compiler = StagedCompiler(two_products(), "two", board)
    return compiler.documented(compiler.design(CompileOptions(**options)))  # pyright: ignore[reportArgumentType]


def test_the_second_time_nothing_is_taken_apart(tmp_path: Path, asked: list[str]):
    first = kept_resources(compiled(), tmp_path)
    again = compiled()
    assert kept_resources(again, tmp_path) == first == design_resources(again)
    assert len(asked) == 1


OTHERS = {"flow": "rtl", "overall_unroll": 1024, "board": "u280", "budget": "published"}


@pytest.mark.parametrize("other", [{name: value} for name, value in OTHERS.items()], ids=[*OTHERS])
def test_another_design_board_or_budget_has_a_place_of_its_own(tmp_path: Path, asked: list[str], other: dict[str, Any]):
    kept_resources(compiled(), tmp_path)
    different = compiled(**other)
    assert kept_resources(different, tmp_path) == design_resources(different)
    assert len(asked) == 2


def test_another_program_takes_it_apart_anew(tmp_path: Path, asked: list[str], monkeypatch: pytest.MonkeyPatch):
    kept_resources(compiled(), tmp_path)
    monkeypatch.setattr(module, "program_hash", lambda *_: "another")
    kept_resources(compiled(), tmp_path)
    assert len(asked) == 2


@pytest.mark.parametrize("broken", ["", "{}", '{"nodes": [], "memories": []'])
def test_what_was_not_kept_whole_is_made_anew(tmp_path: Path, asked: list[str], broken: str):
    first = kept_resources(compiled(), tmp_path)
    (file,) = (tmp_path / "resources").iterdir()
    file.write_text(broken)
    assert kept_resources(compiled(), tmp_path) == first
    assert len(asked) == 2


def test_without_a_text_or_a_folder_it_is_just_taken_apart(tmp_path: Path, asked: list[str]):
    (tmp_path / "resources").write_text("no folder")
    design = compiled()
    assert kept_resources(design, tmp_path) == design_resources(design)
    assert kept_resources(replace(design, stages=()), tmp_path) == design_resources(design)
    assert len(asked) == 2
