"""Which minima are found among bits, and what the choice of a token takes with that."""

from __future__ import annotations

import pytest
from xdsl.dialects import arith

from sttest.boards.load import load_board, require_hbm
from sttest.boards.operators import operators
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.passes.float_min_as_int import FloatMinAsInt
from sttest.compile.pipeline import tiling_passes
from sttest.compile.schedule.operators import step_interval
from sttest.frontend.shipped import lowered_text

TEXT = """
func.func @least(%a: tensor<8xf32>, %t: tensor<8xf32>) -> tensor<f32> attributes {{sttest.arg_names = ["a", "token_ids"]}} {{
  %start = arith.constant {start} : f32
  %two = arith.constant 2.0 : f32
  %minus = arith.constant -2.0 : f32
  %e = tensor.empty() : tensor<f32>
  %fill = linalg.fill ins(%start : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %least = linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>],
      iterator_types = ["reduction"]}} ins(%a, %t : tensor<8xf32>, tensor<8xf32>) outs(%fill : tensor<f32>) {{
  ^bb0(%x: f32, %n: f32, %o: f32):
    {body}
    %m = arith.{op} %v, %o : f32
    linalg.yield %m : f32
  }} -> tensor<f32>
  func.return %least : tensor<f32>
}}
"""  # noqa: E501


def rewritten(body: str, start: str = "0x7F800000", op: str = "minimumf") -> bool:
    module = parse(TEXT.format(body=body, start=start, op=op), "text")
    FloatMinAsInt().apply(new_context(), module)
    module.verify()
    return bool(all_of(module, arith.MinSIOp))


@pytest.mark.parametrize(
    ("body", "never_negative"),
    [
        ("%v = math.absf %x : f32", True),
        ("%v = math.exp %x : f32", True),
        ("%v = arith.addf %n, %two : f32", True),
        ("%y = math.absf %x : f32\n %v = arith.mulf %y, %n : f32", True),
        ("%c = arith.cmpf olt, %x, %two : f32\n %v = arith.select %c, %n, %two : f32", True),
        ("%v = arith.addf %x, %n : f32", False),
        ("%v = arith.addf %n, %minus : f32", False),
        ("%v = arith.subf %n, %two : f32", False),
        ("%c = arith.cmpf olt, %x, %two : f32\n %v = arith.select %c, %n, %x : f32", False),
    ],
)
def test_only_where_no_number_is_negative(body: str, never_negative: bool) -> None:
    assert rewritten(body) == never_negative


def test_the_start_counts_and_a_largest_stays() -> None:
    assert not rewritten("%v = math.absf %x : f32", start="-0.0")
    assert not rewritten("%v = math.absf %x : f32", op="maximumf")


def test_the_choice_goes_through_a_tile_per_cycle() -> None:
    module = parse(lowered_text("gpt2", "decode", small=True, head=True), "block")
    for each in tiling_passes(CompileOptions()):
        each.apply(new_context(), module)
    tasks = {task.sym_name.data: task for task in all_of(module, df.TaskOp)}
    library = operators(require_hbm(load_board("u55c")))
    intervals = {name: step_interval(tasks[name], 1, library) for name in ("head_choice_3", "head_choice_4")}
    assert intervals == {"head_choice_3": 1, "head_choice_4": 1}
