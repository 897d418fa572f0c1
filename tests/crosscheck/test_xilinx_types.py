"""The emitted C++ of the small models against Xilinx's own integer types: the same bits as against ours."""

from __future__ import annotations

import json
import os

import pytest

from sttest.targets.csim import AP_TYPES_VARIABLE, GET_AP_TYPES

FOLDER = os.environ.get(AP_TYPES_VARIABLE)
COMMAND = f"{GET_AP_TYPES}; {AP_TYPES_VARIABLE}=$PWD/HLS_arbitrary_Precision_Types pytest tests/crosscheck -k xilinx"
needs_types = pytest.mark.skipif(not FOLDER, reason=f"{AP_TYPES_VARIABLE} is not set; {COMMAND}")
pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("needs_compiler")]


@needs_types
@pytest.mark.timeout(300)
@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("model", ["small-gpt2", "small-qwen", "small-llama", "small-gemma"])
def test_bits_are_equal(model, phase, design_of, sttest):
    design = design_of(model, phase)
    options = ("--backend", "csim", "-o", design.work.parent, "--ap-types", FOLDER, "--json")
    outcome = sttest("emulate", design.package.folder, *options)
    told = json.loads(outcome.stdout)
    assert (outcome.exit_code, told["integer_types"].startswith(str(FOLDER))) == (0, True)
    assert (told["results"]["verdict"], told["streams"]["verdict"]) == ("same", "same")


def test_the_environment_names_the_folder_as_the_option_does(design_of, sttest, tmp_path, monkeypatch):
    monkeypatch.setenv(AP_TYPES_VARIABLE, str(tmp_path))
    for verb in (
        ("emulate", design_of("small-gpt2", "decode").package.folder, "--backend", "csim"),
        ("crosscheck", "small-gpt2", "--phase", "decode"),
    ):
        outcome = sttest(*verb)
        assert (outcome.exit_code, outcome.stdout) == (2, "")
        assert outcome.stderr.startswith(f"error: {tmp_path}: no ap_int.h there")
        assert outcome.stderr.count("\n") == 1
