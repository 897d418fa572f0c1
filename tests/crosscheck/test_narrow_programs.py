"""Random programs with numbers of few bits through text, functional engine, C++ on sized FIFOs and RTL, to the bit."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from linalg_interpreter import evaluate
from narrow_programs import program

import sttest as st
from sttest.compile.opt import new_context, parse
from sttest.compile.passes.quantize import Quantize
from sttest.core.errors import InputError
from sttest.crosscheck.case import WeightSource
from sttest.crosscheck.text_case import make_text_case
from sttest.package import DesignPackage

pytestmark = pytest.mark.torch
DEFAULT, NIGHTLY = range(16), range(16, 300)
# The interpreter adds in another order than a design: float32 has 24 bits, sums here at most 64 terms.
RELATIVE = 1e-5


def compiled(seed: int, folder):
    """The program of a seed and its scheme's file, compiled; without its zeros where tokens don't come in fours."""
    drawn = program(seed)
    text, scheme = drawn.write(folder)
    try:
        st.compile(text, precision=str(scheme), **drawn.options).save(folder / "package")
    except InputError as error:
        if (error.code, drawn.scheme["weights"]) != ("token-not-in-groups", "ternary-3:4"):
            raise
        drawn = replace(drawn, scheme={**drawn.scheme, "weights": "ternary"})
        text, scheme = drawn.write(folder)
        st.compile(text, precision=str(scheme), **drawn.options).save(folder / "package")
    return drawn, scheme


def check_values(seed: int, folder) -> None:
    """The functional engine of the compiled design against an interpreter of the quantized text."""
    drawn, scheme = compiled(seed, folder)
    case = make_text_case(DesignPackage.read(folder / "package"), WeightSource(seed))
    context = new_context()
    module = parse(drawn.text, "program", context)
    Quantize(str(scheme)).apply(context, module)
    expected, found = evaluate(module, dict(case.arguments))["y"], case.golden["y"]
    # FP16 between the products: what lies near the middle of two numbers may go either way.
    tolerance = 2e-3 if drawn.scheme["activation_bits"] == 16 else RELATIVE
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max(), drawn


def check_engines(seed: int, folder, sttest, engines: str) -> None:
    drawn, _ = compiled(seed, folder)
    for engine in engines.split(","):
        told = sttest("emulate", folder / "package", "--backend", engine, "-o", folder / engine, "--json")
        assert told.exit_code == 0, (drawn, told.stderr)
        assert json.loads(told.stdout), drawn


@pytest.mark.parametrize("seed", DEFAULT)
def test_a_design_computes_what_its_text_says(seed, tmp_path):
    check_values(seed, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", NIGHTLY)
def test_many_designs_compute_what_their_texts_say(seed, tmp_path):
    check_values(seed, tmp_path)


@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("seed", [2, 5])
def test_emitted_cpp_agrees(seed, sttest, tmp_path):
    check_engines(seed, tmp_path, sttest, "csim")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("seed", range(300))
def test_emitted_cpp_of_many_agrees(seed, sttest, tmp_path):
    check_engines(seed, tmp_path, sttest, "csim")


# Verilator takes up to half a minute for each.  In 40 an engine has the shallower of two float sums first.
@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("needs_compiler", "needs_verilator")
@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.nightly] if seed != 40 else []) for seed in range(300)]
)
def test_emitted_rtl_agrees(seed, sttest, tmp_path):
    check_engines(seed, tmp_path, sttest, "rtl")
