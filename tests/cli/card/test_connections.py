"""Connections and host agree: link.cfg, signature, the C++ and the memory table say the same of every port."""

from __future__ import annotations

import csv
import json
import re

import pytest

from sttest.boards.load import load_board, require_hbm
from sttest.cli.build import BuildRequest, prepare
from sttest.core.kernel_signature import read_signature
from sttest.package import load_graph
from sttest.sim import simulate
from sttest.sim.bursts import channel_name
from sttest.sim.graph import MemoryPort
from sttest.targets.vitis.placement import BALANCED
from sttest.targets.vitis.steps import read_link_config

MODELS = ["gpt2", "qwen", "llama", "gemma"]
FAST = ("gpt2", "decode")
CASES = [
    pytest.param(model, phase, marks=() if (model, phase) == FAST else pytest.mark.nightly)
    for model in MODELS
    for phase in ("prefill", "decode")
]
PARAMETER = re.compile(r"ap_uint<512>\* (\w+)")
INTERFACE = re.compile(r"interface mode=m_axi port=(\w+) bundle=(\w+) (?:channel=(\d+) )?offset=slave depth=(\d+)")
WORD_BYTES = 64


@pytest.mark.parametrize(("model", "phase"), CASES)
def test_every_port_is_the_same_everywhere(model, phase, own_package_of):
    package = own_package_of(model, phase)
    before = read_signature(package / "hls" / "signature.json").kernels[0]
    _, linking = prepare(BuildRequest(package, "hw", dry_run=True))
    kernel = read_signature(package / "hls" / "signature.json").kernels[0]
    config = read_link_config(package / "hls" / "link.cfg")
    (unit,) = config.units[kernel.name]
    assert config.clock_hz == 250_000_000
    assert config.banks == {(unit, each.name): each.banks for each in kernel.buffers}

    text = (package / "hls" / "kernel.cpp").read_text()
    top = text[text.index(f'extern "C" void {kernel.name}(') :]
    assert PARAMETER.findall(top[: top.index(")")]) == [each.name for each in kernel.arguments]
    interfaces = {name: (bundle, channel, depth) for name, bundle, channel, depth in INTERFACE.findall(text)}
    assert {each.name: each.port for each in kernel.buffers} == {name: found[0] for name, found in interfaces.items()}
    for behind in kernel.ports.values():
        channels = [interfaces[each.name][1] for each in behind]
        assert channels == ([""] if len(behind) == 1 else [str(number) for number in range(len(behind))])
        most = max(each.bytes for each in behind)
        assert {int(interfaces[each.name][2]) * WORD_BYTES for each in behind} == {most}
        assert len({each.access for each in behind}) == 1

    table = json.loads((package / "hls" / "memory.json").read_text())["arguments"]
    assert [(row["name"], row["index"], row["bytes"]) for row in table] == [
        (each.name, each.index, each.bytes) for each in kernel.buffers
    ]
    with (package / "reports" / "banks.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [tuple(map(int, row["banks"].split())) for row in rows] == [each.banks for each in kernel.buffers]
    # What was compiled is what is linked: arguments, ports and channels.
    assert kernel == before
    graph = load_graph(package)
    timed = {port.name: port.channels for port in graph.processes if isinstance(port, MemoryPort)}
    linked = {row["dma"]: each.banks for row, each in zip(table, kernel.buffers, strict=True)}
    assert {name: tuple(map(channel_name, banks)) for name, banks in linked.items()} == timed

    placement, hbm = linking.placement, require_hbm(load_board("u55c")).hbm
    assert len(kernel.ports) <= hbm.axi_ports.count
    assert max(placement.resident_bytes.values()) <= hbm.bytes_per_channel.count
    assert linking.cycles == linking.compiled_cycles == simulate(graph).cycles
    assert (placement.busiest_over_mean > BALANCED) == (f"{BALANCED} x would save" in linking.remark)
    assert linking.layers == 6


def test_the_makefile_runs_the_same_commands(own_package_of, vitis):
    import shutil
    import subprocess

    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    package = own_package_of(*FAST)
    plan, _ = prepare(BuildRequest(package, "hw_emu", dry_run=True))
    calls = vitis()
    subprocess.run(["make", "-C", str(package / "hls"), "TARGET=hw_emu"], check=True, capture_output=True)
    by_hand = [line.split()[1:] for line in calls.read_text().splitlines()]
    assert by_hand == [list(step.command[1:]) for step in plan.steps()]
    assert plan.xclbin.is_file()
