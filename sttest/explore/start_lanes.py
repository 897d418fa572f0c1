"""The lanes of a recipe: those of the compiler within bounds, or those that keep pace with products."""

from collections.abc import Mapping, Sequence

from sttest.boards.operators import Operator, operators
from sttest.compile.compiler import StagedCompiler
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.schedule.operators import step_interval
from sttest.compile.schedule.reductions import steps_of_tile
from sttest.explore.lane_judge import LaneJudge
from sttest.explore.recipes import Recipe

ATTENTION = ("attn_scores", "attn_mix")
"""Engines of the two products of attention."""
_QUANTIZES = ("_quantize", "_norm_4")
_NORMS = "_norm_quantize_engine"


def start_lanes(compiler: StagedCompiler, judge: LaneJudge, recipe: Recipe) -> dict[str, int]:
    """Lanes by engine of a recipe's design, which a descent begins with."""
    if recipe.paced:
        return _paced(compiler, judge, recipe)
    start = dict(judge.start)
    for engine, choices in judge.choices.items():
        if engine in ATTENTION and recipe.attention:
            start[engine] = _at_most(choices, recipe.attention)
        elif engine not in ATTENTION and recipe.others:
            most = recipe.others * (2 if engine.endswith(_QUANTIZES) else 1)
            start[engine] = min(start[engine], _at_most(choices, most))
        if recipe.norms and engine.endswith(_NORMS):
            start[engine] = _at_most(choices, recipe.norms)
    return start


def _paced(compiler: StagedCompiler, judge: LaneJudge, recipe: Recipe) -> dict[str, int]:
    """The fewest lanes with which no engine takes longer than the most work does on so many lanes."""
    library = operators(compiler.board)
    engines: dict[str, list[df.TaskOp]] = {}
    for task in all_of(compiler.tiled(recipe.options).module, df.TaskOp):
        engines.setdefault(task.sym_name.data if task.engine is None else task.engine.data, []).append(task)
    quickest = (
        _cycles(tasks, _at_most(judge.choices.get(engine, (1,)), recipe.paced), library)
        for engine, tasks in engines.items()
    )
    slowest = max(quickest)
    return {
        engine: next(
            (lanes for lanes in judge.choices.get(engine, (1,)) if _cycles(tasks, lanes, library) <= slowest),
            judge.start[engine],
        )
        for engine, tasks in engines.items()
    }


def _cycles(tasks: Sequence[df.TaskOp], lanes: int, library: Mapping[str, Operator]) -> int:
    """Cycles that tasks take one after the other."""
    return sum(task.iterations * steps_of_tile(task, lanes) * step_interval(task, lanes, library) for task in tasks)


def _at_most(choices: Sequence[int], most: int) -> int:
    return max((each for each in choices if each <= most), default=choices[0])
