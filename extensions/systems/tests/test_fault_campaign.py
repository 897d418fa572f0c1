"""Faults: what is drawn, how shares are bounded, what is kept, and a design whose hardware they strike."""

from __future__ import annotations

import json
import shutil
from math import isclose

import numpy as np
import pytest

from sttest.compile.rtl import module_text
from sttest_systems.faults.campaign import Injection, _Store, drawn_faults
from sttest_systems.faults.injection import FaultSite, kind_of_register, read_members, registers_of
from sttest_systems.faults.shares import Share, weighted
from sttest_systems.faults.triplication import triplicated

SITES = [FaultSite(0, "fifo", "a", "memory", 3, 8), FaultSite(1, "fifo", "b", "memory", 1, 40)]


def test_wilsons_interval_is_the_closed_form():
    """(p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)."""
    z, p, n = 1.959963984540054, 7 / 50, 50
    middle, half = p + z * z / (2 * n), z * (p * (1 - p) / n + z * z / (4 * n * n)) ** 0.5
    found = Share.of_counts(7, 50)
    assert isclose(found.low, (middle - half) / (1 + z * z / n))
    assert isclose(found.high, (middle + half) / (1 + z * z / n))


def test_a_whole_weighs_its_parts():
    parts = {"large": Share.of_counts(10, 100), "small": Share.of_counts(100, 100)}
    found = weighted(parts, {"large": 900, "small": 100})
    assert isclose(found.value, 0.19)
    assert parts["large"].low < found.low < found.value < found.high < 0.3
    assert weighted({"one": parts["large"]}, {"one": 5}).high == pytest.approx(parts["large"].high)


def test_faults_are_uniform_over_bits_and_cycles():
    found = drawn_faults(SITES, 100, 4000, seed=1)
    share = sum(fault.site.number == 0 for fault in found) / len(found)
    assert abs(share - 24 / 64) < 0.04
    assert {(fault.word, fault.bit) for fault in found if fault.site.number == 0} == {
        (word, bit) for word in range(3) for bit in range(8)
    }
    assert abs(np.mean([fault.cycle for fault in found]) - 49.5) < 2
    assert drawn_faults(SITES, 100, 50, seed=1) == found[:50]
    assert drawn_faults(SITES, 100, 50, seed=2) != found[:50]


def test_a_campaign_that_was_killed_goes_on(tmp_path):
    path = tmp_path / "injections.jsonl"
    one = Injection("fifo", 0, "a", "memory", 1, 2, 3, "masked", False, False, 10, "x")
    store = _Store(path, "this")
    store.add(one)
    path.write_text(path.read_text() + '{"kind": "fi')
    assert list(_Store(path, "this").known.values()) == [one]
    assert not _Store(path, "another").known
    assert json.loads(json.dumps(path.read_text().splitlines())) == ["another"]


def test_registers_are_what_is_assigned_at_a_clock_edge():
    text = """
  always_ff @(posedge clk) if (a <= b) begin
    if (reset) begin c0_on <= 0; c0_x0 <= 0; end else kept0[3 * n] <= (x <= y) ? 1 : 2;
    tree0_late[tree0_late_at] <= tree0;
    tree0_late_at <= tree0_late_at + 1;
  end
"""
    assert registers_of(text) == {"c0_on", "c0_x0", "kept0", "tree0_late"}
    assert [kind_of_register(name) for name in ("c0_on", "kept0", "level3", "block", "in0", "fill_stage")] == [
        "control",
        "accumulator",
        "accumulator",
        "buffer",
        "data-path",
        "control",
    ]


def test_members_of_every_form_are_read():
    found = read_members(
        "        VlWide<4>/*99:0*/ a;\n    VlUnpacked<IData/*31:0*/, 3> b;\n    VlUnpacked<VlWide<8>/*255:0*/, 2> c;\n"
        "    VlUnpacked<VlUnpacked<IData/*31:0*/, 3>, 2> d;\n    QData/*36:0*/ e;\n"
    )
    assert {name: (each.words, each.bits, each.word_bytes) for name, each in found.items()} == {
        "a": (1, 100, 16),
        "b": (3, 32, 4),
        "c": (2, 256, 32),
        "e": (1, 37, 8),
    }


def test_a_module_that_nothing_is_protected_in_is_as_it_was():
    text = module_text("fifo_ram")
    assert triplicated(text, set()) == text
    assert triplicated(text, {"no_such_register"}) == text


def test_every_assignment_of_a_register_is_there_three_times():
    text = triplicated(module_text("fifo_ram"), {"head", "tail", "stored", "any"})
    for name in ("head", "tail", "stored", "any"):
        assert {text.count(f"{name}_t{copy} <=") for copy in range(3)} == {module_text("fifo_ram").count(f"{name} <=")}
        assert f" {name} <=" not in text
        assert f"assign {name} = ({name}_t0 & {name}_t1)" in text


@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("verilator") is None, reason="verilator not found; apt-get install verilator")
def test_a_decode_step_with_and_without_protection(tmp_path):
    """Without a fault the token is PyTorch's; flips in FIFOs leave what the reference leaves; codes mask all."""
    pytest.importorskip("torch")
    import struct

    from sttest.compile.options import CompileOptions
    from sttest.package import DesignPackage
    from sttest.studies.compile_request import Request, compile_package
    from sttest_systems.faults.decode_step import fault_case
    from sttest_systems.faults.injection import Fault, FaultyDesign, missing_registers
    from sttest_systems.faults.report import run_study

    request = Request("small-gpt2", "decode", None, 16, "u55c", CompileOptions(), work_dir=tmp_path / "p", head=True)
    compile_package(request)
    package = DesignPackage.read(tmp_path / "p")
    case = fault_case(package, 11)
    built = FaultyDesign(case.design, tmp_path / "one", case.weights)
    ran = built.run(None, tmp_path / "room", 1_000_000)
    token = struct.unpack(">f", bytes.fromhex(ran.stored[case.token_fifo].strip()))[0]
    assert token == case.wanted_token
    assert len(missing_registers(case.design, built.sites)) < 5
    # A running value counts while its sum is made: flips then reach memory, which draws over all cycles seldom meet.
    times = built.timed_run().reads["load_mlp_fc1_weight__mlp_fc1"]
    running = next(site for site in built.sites if (site.owner, site.register) == ("mlp_fc1", "kept0"))
    struck = [
        built.run(
            Fault(running, 0, (37 * n + 20) % running.bits, int(times[5 * n % len(times)]) + 2),
            tmp_path / "room",
            10_000,
        )
        for n in range(20)
    ]
    assert any(each.stored != ran.stored for each in struck)
    study = run_study(package, tmp_path / "study", 60, 11, ["secded", "tmr"])
    assert not study.agreement.disagree
    assert study.agreement.compared > 100
    assert {each.outcome for each in study.plain.of_kind("weight-fifo")} > {"masked"}
    assert study.protected is not None
    for kind in ("fifo", "weight-fifo", "accumulator", "control"):
        assert {each.outcome for each in study.protected.of_kind(kind)} == {"masked"}
    again = run_study(package, tmp_path / "study", 60, 11)
    assert again.plain.injections == study.plain.injections
