"""Random arguments for engines where there is no PyTorch: what a design makes of them is finite, and not all alike."""

import sys

import numpy as np
import pytest

from sttest.crosscheck.case import has_torch
from sttest.crosscheck.text_case import drawn_case
from sttest.package import DesignPackage


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    from typer.testing import CliRunner

    from sttest.cli.app import app

    folder = tmp_path_factory.mktemp("drawn") / "p"
    words = ["compile", "small-gpt2", "--phase", "decode", "--context", "32", "-o", str(folder)]
    assert CliRunner().invoke(app, words).exit_code == 0
    return DesignPackage.read(folder)


def test_they_need_no_torch_and_follow_the_seed(package, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    assert not has_torch()
    first, again, other = (drawn_case(package, seed) for seed in (0, 0, 1))
    for name, values in first.golden.items():
        assert np.isfinite(values.astype(np.float64)).all()
        assert np.array_equal(values, again.golden[name])
        assert not np.array_equal(values, other.golden[name])
    assert np.unique(first.golden["y"]).size > first.golden["y"].size / 2


def test_every_load_of_the_design_has_an_image(package):
    graph = package.reference_graph
    images = drawn_case(package, 0).images(graph)
    assert {load.name for load in graph.loads} == images.keys()
