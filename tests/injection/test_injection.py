"""The n-th open, write, rename or sync of a command fails, or the command is killed there.

The output is the older one or the new one, whole; one line says why; the next run is right.
"""

from __future__ import annotations

import json
import random
import shutil
import sys
from datetime import date
from pathlib import Path

import pytest
from faulty_runs import ERRORS, KILLED, VerbServer, expectation

import sttest as st

pytestmark = [
    pytest.mark.torch,
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux" or shutil.which("gcc") is None, reason="the shim is C, for Linux"),
]

STUDY = """
title: A small model, by clock
base: {model: small-gpt2, phase: decode, context: 32, board: u55c, design: default}
axes:
  board.clock_mhz: [200, 250]
"""
PRODUCT = """
#rows = affine_map<(m, n, k) -> (m, k)>
#columns = affine_map<(m, n, k) -> (k, n)>
#result = affine_map<(m, n, k) -> (m, n)>
func.func @main(%x: tensor<16x32xf32>, %w: tensor<32x32xf32>) -> tensor<16x32xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<16x32xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.generic {
    indexing_maps = [#rows, #columns, #result], iterator_types = ["parallel", "parallel", "reduction"]
  } ins(%x, %w : tensor<16x32xf32>, tensor<32x32xf32>) outs(%start : tensor<16x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
"""
"""What a search is made of in a second per design: it does as much to files as one of a whole block."""
SHAPE = ("--phase", "decode", "--context", "32")
VERBS = {
    "compile": ("compile", "small-gpt2", *SHAPE, "--design", "default", "-o", "out"),
    "serve": (
        "serve",
        "../package",
        "--rate",
        "100",
        "--requests",
        "5",
        "--prompt-tokens",
        "4",
        "--output-tokens",
        "2",
        "-o",
        "out",
        "-j",
        "1",
    ),
    "whatif": ("whatif", "small.yaml", "-o", "out", "-j", "1"),
    "explore": ("explore", "product.mlir", "--trials", "3", "-j", "1", "--resume", "-o", "out"),
    "reproduce": ("reproduce", "hida", "-o", "out"),
}
OF_MODELS = ("compile", "serve", "whatif")
SCHEMAS = {"compile": "sttest.package/1"}
DAILY = 2
"""Faults per verb by day; the nightly run makes all."""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = VerbServer(tmp_path_factory.mktemp("server"))
    yield server
    server.close()


@pytest.fixture(scope="module")
def cache(tmp_path_factory, server) -> Path:
    """Texts of the model, which take seconds to lower; the other caches begin empty."""
    place = tmp_path_factory.mktemp("lowered")
    (place / "work").mkdir()
    for length in ("32", "64"):
        ran = server.run(
            place, ("compile", "small-gpt2", "--phase", "decode", "--context", length, "--design", "default")
        )
        assert ran.code == 0, ran.told
    return place / "cache/linalg"


@pytest.fixture(scope="module", params=VERBS)
def expected(request, server, tmp_path_factory):
    """A verb, and what it leaves in the place of an older output."""
    verb = request.param
    place = tmp_path_factory.mktemp(verb)
    older = place / "before/work/out"
    older.mkdir(parents=True)
    schema = SCHEMAS.get(verb, "sttest.results/1")
    (older / "manifest.json").write_text(json.dumps({"schema": schema, "it is": "the older one"}))
    (older / "older.txt").write_text("whole\n")
    (place / "before/work/small.yaml").write_text(STUDY)
    (place / "before/work/product.mlir").write_text(PRODUCT)
    if verb in OF_MODELS:
        shutil.copytree(request.getfixturevalue("cache"), place / "before/cache/linalg")
    if verb == "serve":
        design = st.compile("small-gpt2", phase="decode", context=64, batch=1, design="default")
        design.save(place / "before/package")
    return expectation(server, place / "before", place / "run", VERBS[verb])


KILLS = 20
"""Kills per verb, every night at other places."""
SHARES = [DAILY, pytest.param(None, marks=[pytest.mark.nightly, pytest.mark.timeout(4 * 3600)])]
"""How many of all cases are tried; None for every thing that the verb does to files, each with one error a night."""


@pytest.mark.parametrize("share", SHARES)
def test_a_fault_leaves_the_older_output_or_the_new_one(share, expected, server, tmp_path):
    night = 0 if share else date.today().toordinal()  # in three nights each has had all errors
    cases = [(at, ERRORS[(at + night) % len(ERRORS)]) for at in range(1, expected.seen + 1)]
    assert len(cases) > 30
    if share is not None:
        cases = random.Random(expected.arguments[0]).sample(cases, share)
    wrong = [told for at, error in cases if (told := expected.run(server, tmp_path / "run", at, error))]
    assert not wrong, f"{len(wrong)} of {len(cases)}:\n" + "\n".join(wrong[:20])


@pytest.mark.daily
@pytest.mark.parametrize("share", SHARES)
def test_a_kill_leaves_the_older_output_or_the_new_one(share, expected, server, tmp_path):
    """By day at a fixed place, every night at others."""
    chosen = random.Random(expected.arguments[0] if share is not None else None)
    places = chosen.sample(range(1, expected.seen + 1), min(share or KILLS, expected.seen))
    wrong = [told for at in places if (told := expected.run(server, tmp_path / "run", at, KILLED))]
    assert not wrong, f"{len(wrong)} of {len(places)}:\n" + "\n".join(wrong[:20])


def test_half_an_output_would_be_seen(expected, server, tmp_path):
    """The harness itself: what is cut is neither the older output nor the new one."""
    cut = {name: data[: len(data) // 2] for name, data in expected.new.items()}
    assert cut not in (expected.old, expected.new)
    ran = server.run(_copied(expected.before, tmp_path / "run"), ("models",), at=1, error=KILLED)
    assert (ran.code, ran.failed) == (0, "")
    assert expected.run(server, tmp_path / "run", expected.seen + 1, ERRORS[0]) == ""


def _copied(before: Path, place: Path) -> Path:
    shutil.copytree(before, place)
    return place
