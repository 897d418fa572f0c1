"""Committed tables of systems that are no card: closed forms agree, and what is compared follows from its parts."""

from pathlib import Path

import pytest

from experiments.pages import results
from sttest.boards.load import load_board
from sttest_systems.duplex.experiment import DEVICES
from sttest_systems.pim_gpt.experiment import CPU_GB_PER_S, GPTS, T4_GB_PER_S, T4_WATTS
from sttest_systems.wafer_mesh.experiment import A100_MS, MESHES, SIDES, SIZES

RESULTS = Path(__file__).parents[3] / "results"


def table(name):
    rows = results(name)
    return rows[rows["kind"] != "published"]


def by_metric(rows, **where):
    for column, wanted in where.items():
        rows = rows[rows[column] == wanted]
    return dict(zip(rows["metric"], rows["value"], strict=True))


def test_pim_gpt_agrees_with_its_closed_form_in_every_layer_and_product():
    rows = table("pim-gpt")
    for gpt in GPTS:
        found = by_metric(rows, model=gpt.name)
        for context in (1, 1024):
            assert found[f"layer [{context} tokens]"] == found[f"layer in closed form [{context} tokens]"]
    alone = by_metric(rows[rows["model"].isna()])
    shapes = [metric.partition("[")[2] for metric in alone if metric.startswith("product [")]
    assert shapes
    assert all(alone[f"product [{shape}"] == alone[f"product in closed form [{shape}"] for shape in shapes)
    both = by_metric(rows, model="gpt2-small")
    assert both["layer by simpy [128 tokens]"] == both["layer by maxplus [128 tokens]"]


def test_pim_gpt_beside_processors_follows_from_weights_times_and_watts():
    rows = table("pim-gpt")
    for gpt in GPTS:
        found = by_metric(rows, model=gpt.name)
        token_us = found["time per token"]
        assert found["speed over a T4 at its roofline"] == pytest.approx(gpt.weights * 2 / T4_GB_PER_S / 1e3 / token_us)
        over = found["speed over a T4 at its roofline"] / found["speed over a CPU at its roofline"]
        assert over == pytest.approx(CPU_GB_PER_S / T4_GB_PER_S)
        watts = found["energy per token, central"] * 1e3 / token_us
        assert found["power, central"] == pytest.approx(watts)
        saved = found["energy of a T4 at its roofline over ours"]
        assert saved == pytest.approx(found["speed over a T4 at its roofline"] * T4_WATTS / watts)
        assert found["power, low"] < watts < found["power, high"]
        assert found["speed over a T4 at its roofline"] < load_board("pim-gpt").inner_gb_per_s / T4_GB_PER_S


def test_meshes_agree_with_their_closed_form_and_two_levels_are_the_fastest():
    found = by_metric(table("wafer-mesh").drop_duplicates("metric"))
    for size in SIZES:
        for side in SIDES:
            cycles = {}
            for name in ("pipeline", "tree of 1", "tree of 2", "tree of 3"):
                where = f"[{size}, {side} x {side}, {name}]"
                cycles[name] = found[f"product {where}"]
                assert cycles[name] == pytest.approx(found[f"product in closed form {where}"], rel=0.02), where
            assert min(cycles, key=lambda name: cycles[name]) == "tree of 2"
    for size, ms in A100_MS.items():
        assert found[f"speed over an A100 [{size}]"] == pytest.approx(1e3 * ms / found[f"time [{size}]"])


def test_whole_meshes_take_the_same_cycles_by_both_engines():
    rows = table("wafer-mesh")
    for side in MESHES:
        cycles = rows[rows["metric"] == f"mesh [{side} x {side}]"]
        assert sorted(cycles["engine"]) == ["maxplus", "simpy"]
        assert cycles["value"].nunique() == 1


def test_two_processors_agree_with_their_closed_form_and_stay_below_their_bandwidth():
    rows = table("duplex")
    formula = rows[rows["metric"].str.startswith("closed form over simulated")]
    assert (formula["value"] == 1).all()
    assert len(formula) == len(DEVICES) * 5 * 4 * 4
    for placement, bound in (("by layer", 4), ("by expert", 5)):
        ratios = rows[rows["metric"].str.startswith("over the xPU alone") & rows["metric"].str.contains(placement)]
        assert ratios["value"].min() >= 1
        assert ratios["value"].max() <= bound + 0.01
