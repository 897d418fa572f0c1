"""Rows of implementations of lanes: the table of docs/hardware/synthesis.md, and what the estimate makes of them."""

from pathlib import Path

import pytest

from sttest.boards.resources import Resources
from sttest.compile.resources.synthesis import Amounts, ProductsRow, lane_rows, part_estimate, synthesized_rows
from sttest.compile.rtl.cells import products_part

PAGE = Path(__file__).parents[3] / "docs" / "hardware" / "synthesis.md"
PER_RESULT = 16
CHAINS = {"pairs": 2, "chains of 4": 4, "chains of 8": 8, "chains of 16": 16, "LUT": 0}


def table() -> str:
    """Per implementation and factors: products with their trees, then the whole task, at 64 and at 1,024 lanes."""
    found: dict[tuple[str, str], list[ProductsRow]] = {}
    for row in lane_rows().rows:
        found.setdefault((row.factors, row.implementation), []).append(row)
    lines = []
    for (factors, implementation), rows in found.items():
        small, large = sorted(rows, key=lambda row: row.lanes)
        cells = [f"{row.products.dsp / row.lanes:.1f}" for row in (large,)]
        cells += [_per_lane(amounts, row.lanes) for row in (small, large) for amounts in (row.products, row.process)]
        lines.append(f"| {factors} | {implementation} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _per_lane(amounts: Amounts, lanes: int) -> str:
    return f"{amounts.lut / lanes:.1f}, {amounts.ff / lanes:.1f}"


def test_the_page_has_the_rows():
    assert table() in PAGE.read_text()


@pytest.mark.parametrize("row", lane_rows().rows, ids=lambda row: f"{row.factors}, {row.implementation}, {row.lanes}")
def test_the_estimate_of_products_is_near_what_was_synthesized(row: ProductsRow):
    """The rule of a part: a DSP per product or pair, adders between chains."""
    chain, other = CHAINS[row.implementation], int(row.factors[3])
    results = round(PER_RESULT * row.lanes / PER_RESULT / max(row.products.dsp, 1)) if chain else 1
    part = products_part(PER_RESULT, 8, other, results, 40, chain)
    found = part_estimate(part, synthesized_rows()) * (row.lanes / PER_RESULT / results)
    wanted = row.products.resources
    assert found.dsp == wanted.dsp
    assert found == Resources(
        found.dsp,
        pytest.approx(wanted.lut, rel=0.06),
        pytest.approx(wanted.ff, rel=0.01),  # type: ignore[arg-type]
    )


def test_chains_save_luts_and_flip_flops_and_luts_save_dsps():
    rows = {(row.factors, row.implementation): row for row in lane_rows().rows if row.lanes == 1024}
    for factors in ("int4 x int8", "int8 x int8"):
        pairs, chain, luts = (rows[factors, kind].process for kind in ("pairs", "chains of 4", "LUT"))
        assert chain.lut < 0.7 * pairs.lut
        assert chain.dsp == pairs.dsp > luts.dsp == 0
        assert luts.lut > 7 * pairs.lut
