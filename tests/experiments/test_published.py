"""The published tables are consistent with themselves."""

import pytest

from experiments.published import (
    DATA_DIR,
    geometric_mean_ratio,
    gpt2_ratios,
    gpt2_row,
    gpt2_rows,
    gpt2_systems,
    platform_of,
    published_table,
)
from sttest.core.errors import InputError

BASELINES = ("allo", "dfx", "a100", "rtx2080ti")


def test_systems_and_rows():
    assert gpt2_systems() == ["streamtensor", "allo", "dfx", "a100", "rtx2080ti", "codo"]
    assert [row.input_len for row in gpt2_rows("streamtensor")] == [32, 64, 128, 256]
    row = gpt2_row("streamtensor", 32, 32)
    assert (row.latency_ms, row.ttft_ms, row.speed_tok_per_s) == (194.99, 34.59, 199.51)
    assert row.decode_ms_per_token == pytest.approx(5.012, abs=1e-3)


@pytest.mark.parametrize("system", ["streamtensor", *BASELINES])
def test_latency_is_ttft_plus_decoding(system):
    for row in gpt2_rows(system):
        assert row.latency_ms == pytest.approx(row.ttft_ms + row.output_len * row.decode_ms_per_token, abs=0.08)


@pytest.mark.parametrize("baseline", BASELINES)
def test_printed_geometric_means_follow_from_the_rows(baseline):
    ours, theirs, printed = gpt2_rows("streamtensor"), gpt2_rows(baseline), gpt2_ratios(baseline)
    for name, attribute in (("latency", "latency_ms"), ("ttft", "ttft_ms"), ("speed", "speed_tok_per_s")):
        pairs = [[getattr(row, attribute) for row in rows] for rows in (ours, theirs)]
        assert geometric_mean_ratio(*pairs) == pytest.approx(getattr(printed, name), abs=0.006)


def test_platforms():
    u55c, a100 = platform_of("streamtensor"), platform_of("a100")
    assert (u55c.clock_mhz, u55c.tdp_w, u55c.offchip_gb_per_s, u55c.quantization) == (250, 150, 460, "W4A8")
    assert (a100.int8_peak_tops, a100.offchip_gb_per_s) == (624, 1935)


@pytest.mark.parametrize("path", sorted(DATA_DIR.glob("*.csv")), ids=lambda path: path.stem)
def test_every_row_names_its_source(path):
    table = published_table(path.stem)
    assert len(table) > 0
    assert table["source"].str.len().min() >= 10
    assert path.stem in (DATA_DIR / "README.md").read_text(encoding="utf-8")


def test_tables_are_copies():
    table = published_table("models")
    table["layers"] = 0
    assert published_table("models").set_index("model").loc["gpt2", "layers"] == 24


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: gpt2_rows("a10"), "no published system 'a10'; did you mean 'a100'?"),
        (lambda: gpt2_ratios("codo"), "no published baseline 'codo'; choose one of a100, allo, dfx, rtx2080ti"),
        (lambda: platform_of("u55c"), "no published system 'u55c'"),
        (lambda: published_table("model"), "no published table 'model'; did you mean 'models'?"),
        (lambda: gpt2_row("codo", 256, 256), "[256:256] is not published for 'codo'; choose one of [32:32]"),
    ],
)
def test_unknown_names(call, says):
    with pytest.raises(InputError) as caught:
        call()
    assert says in str(caught.value)
