"""The best decode design of GPT-2 under other schemes and with several tokens per launch; found for w4a8, one token."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from experiments.best.cases import BOARD, LENGTH, Case
from experiments.best.design import long_launches
from experiments.best.found import read_found
from sttest.boards.load import load_board
from sttest.compile.compiler import CompiledDesign
from sttest.compile.options import CompileOptions
from sttest.compile.resources.placement import place
from sttest.core.errors import DoesNotFitError
from sttest.sim import simulate
from sttest.studies.workload import CompileRequest

CASE = Case("gpt2", "decode", "tight")
PAGE = Path(__file__).parents[2] / "docs" / "what-if" / "best.md"


@dataclass(frozen=True)
class Elsewhere:
    """Options that the design was not found for, and what comes of it.

    ``lanes`` are those that let it fit; the cycles are of a launch, ``placed`` with registers between SLRs.
    """

    name: str
    changes: dict[str, str | int | tuple[str, ...]]
    cycles: int
    lanes: dict[str, int] = field(default_factory=dict)
    placed: int | None = None

    def options(self) -> CompileOptions:
        found = read_found(CASE).options
        own = [entry for entry in found.lanes if entry.rpartition(":")[0] not in self.lanes]
        lanes = (*own, *(f"{name}:{count}" for name, count in self.lanes.items()))
        return found.with_(adapt_lanes=True, lanes=lanes, **self.changes)

    def design(self) -> CompiledDesign:
        request = CompileRequest(CASE.model, CASE.phase, context=LENGTH, head=True, board=BOARD, options=self.options())
        return request.design()

    @property
    def tokens(self) -> int:
        return self.options().generate

    @property
    def row(self) -> str:
        """Of the page: cycles per token, and tokens per second of a user, for whom the host stands between launches."""
        board, cycles = load_board(BOARD), self.placed or self.cycles
        us = cycles / board.clock_mhz.value + board.launch.token_gap_us.value
        fits = "yes" if self.placed else "no"
        return f"| {self.name} | {cycles / self.tokens:,.0f} | {self.tokens * 1e6 / us:,.0f} | {fits} |"


GENERATES: dict[str, str | int | tuple[str, ...]] = {"generate": 16}
STATIC: dict[str, str | int | tuple[str, ...]] = {"precision": "w4a8-static"}
ALONE: dict[str, str | int | tuple[str, ...]] = {**STATIC, "own_units": ("attn_q_proj_quantize",)}
NARROW = {f"{name}_quantize": 8 for name in ("attn_norm", "mlp_norm", "mlp_act", "head_norm")} | {
    "attn_v_proj_dequantize": 1,
    "attn_softmax_4": 1,
    "head_choice_2": 4,
}
RESIDUALS = {"attn_residual": 4, "mlp_residual": 4}
DESIGNS = (
    Elsewhere("`w4a8-static`", STATIC, 144_707),
    Elsewhere("`w3a8`", {"precision": "w3a8"}, 152_498),
    Elsewhere("`--generate 16`", GENERATES, 2_456_826),
    Elsewhere("`w4a8-static`, fewer lanes that quantize", ALONE, 144_720, NARROW, 145_507),
    Elsewhere("`w3a8`, products of 2,048 lanes", {"precision": "w3a8", "gemv_lanes": 2048}, 221_733, {}, 222_801),
    Elsewhere(
        "`--generate 16`, residuals of 4 lanes",
        GENERATES,
        2_466_270,
        {"attn_residual": 4, "mlp_residual": 4},
        2_484_522,
    ),
    Elsewhere(
        "`w4a8-static`, fewer lanes that quantize, `--generate 16`", ALONE | GENERATES, 2_320_865, NARROW, 2_328_624
    ),
)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.torch
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("each", DESIGNS, ids=lambda each: each.name)
def test_the_design_holds_with_the_lanes_of_the_tasks_that_are_left(each: Elsewhere) -> None:
    with long_launches():
        design = each.design()
        assert simulate(design.graph).cycles == each.cycles
        assert design.adaptation.added == (("embed:8",) if each.tokens > 1 else ())
        if each.placed is None:
            with pytest.raises(DoesNotFitError, match="no assignment to 3 SLRs"):
                place(design)
        else:
            assert place(design).cycles == (each.cycles, each.placed)


@pytest.mark.daily
def test_the_page_has_these_designs() -> None:
    page = PAGE.read_text(encoding="utf-8").splitlines()
    assert [each.row for each in DESIGNS] == [line for line in page if line in {each.row for each in DESIGNS}]
