"""Designs of all forms, their pages, and a browser."""

from pathlib import Path

import pytest
from design_pages import Page

from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.placement import place
from sttest.frontend.shipped import lowered_text
from sttest.package.compiled import write_package
from sttest.studies.design_page import write_page


@pytest.fixture(scope="session")
def placed_package(tmp_path_factory):
    """A small decoder block, placed on SLRs."""
    options = CompileOptions(budget="published")
    design = compile_text(lowered_text("gpt2", "decode", small=True), "small", "u55c", options)
    return write_package(design, tmp_path_factory.mktemp("packages") / "small", place(design)).folder


@pytest.fixture
def page_of(tmp_path):
    """Writes the page of a design and reads it again."""

    def make(design, name="page.html"):
        return Page(write_page(Path(design), tmp_path / name, say=lambda _: None).page)

    return make
