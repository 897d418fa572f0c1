"""Blocks of low rank: PyTorch, reference, C++ and RTL to the bit, one time of all engines."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.torch


def same(sttest, *arguments) -> dict:
    outcome = sttest("crosscheck", *arguments, "--json")
    assert outcome.exit_code == 0, outcome.stderr
    found = json.loads(outcome.stdout)
    assert {each["verdict"] for each in found["results"].values()} == {"same"}
    cycles = {rung["cycles"] for rung in found["engines"] if rung["engine"] in ("simpy", "maxplus", "rtl")}
    assert len(cycles - {None}) == 1
    return found


@pytest.mark.daily
def test_a_decode_step_in_every_precision_of_its_layers(sttest, tmp_path):
    ranks = ("--rank", "25%", "--rank", "mlp.fc2=48", "--rank", "attn.o_proj=7")
    same(sttest, "small-gpt2", *ranks, "-o", tmp_path / "p", "--engines", "torch,reference,simpy,maxplus")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_compiler")
@pytest.mark.parametrize("precision", ["w4a8", "w8a8", "w4a8-static"])
@pytest.mark.parametrize("model", ["small-gpt2", "small-qwen", "small-gemma"])
@pytest.mark.parametrize("shape", [("--phase", "decode"), ("--phase", "prefill", "--tokens", "32")], ids=lambda s: s[1])
def test_families_in_both_phases(model, precision, shape, sttest, tmp_path):
    arguments = (model, *shape, "--precision", precision, "--rank", "50%", "-o", tmp_path / "p")
    same(sttest, *arguments, "--engines", "torch,reference,simpy,maxplus,csim")


@pytest.mark.nightly
@pytest.mark.usefixtures("needs_verilator")
def test_hardware_agrees(sttest, tmp_path):
    same(sttest, "small-gpt2", "--rank", "25%", "-o", tmp_path / "p", "--engines", "torch,reference,maxplus,rtl")
