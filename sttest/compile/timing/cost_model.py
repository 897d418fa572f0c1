"""Initiation interval and latency of a task, from operator latencies and port limits (docs/explanation/cost-model.md).

Nothing here is fitted to a published latency of a design.  Per iteration a
task works on one tile of ``points`` payload evaluations with ``lanes`` of them
per cycle:

    steps = points / lanes
    II    = max(steps * step_II, vectors that one port moves per tile)

``step_II`` is 1 unless a floating-point running sum is updated again too soon.
Latency is the way of one tile: its steps, then the operators on the payload's
longest path and the adder tree over lanes that share a result.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from sttest.boards.operators import Operator, accumulator, add_tree_levels
from sttest.compile.assumptions import NARROW_WEIGHT_BITS
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.linalg.loop_choices import columns_per_cycle, is_gemv
from sttest.compile.spaces.lane_matching import RateFacts, paced_lanes
from sttest.compile.spaces.tiling import lane_choices, unroll_factors
from sttest.core.errors import InputError

# Payload op -> operator of the library; a product of integers is a MAC of the factors' width.
_OPERATOR_OF = {
    "mulf": "fmul", "addf": "fadd", "subf": "fsub", "divf": "fdiv", "exp": "fexp", "rsqrt": "frsqrt",
    "sqrt": "fsqrt", "tanh": "ftanh", "maximumf": "fmax", "minimumf": "fmax", "cmpf": "fcmp", "select": "select",
    "roundeven": "fround", "fptosi": "fptosi", "sitofp": "sitofp", "extf": "fext", "truncf": "ftrunc",
    "addi": "iadd", "subi": "iadd", "maxsi": "imax", "minsi": "imax",
}  # fmt: skip
FABRIC = "_fabric"
"""What the name of an operator in LUTs ends in, behind that of the one in DSPs that it replaces."""
# Signs, sign extensions, low bits, and bits read as another type.
_WIRES = ("constant", "negf", "absf", "extsi", "trunci", "bitcast")


@dataclass(frozen=True)
class TaskCost:
    """Timing of one iteration of a task's tile loops."""

    ii: int  # cycles between iterations
    latency: int  # cycles from the first read of an iteration to after its last write
    vectors_in: tuple[int, ...]  # tokens that an iteration reads, per source
    vectors_out: tuple[int, ...]  # tokens that a result takes, per result


def task_cost(task: df.TaskOp, library: Mapping[str, Operator]) -> TaskCost:
    """The cost of a task with its lanes.

    Args:
        task: task at the itensor or the stream level.
        library: operators at the board's clock.

    Raises:
        InputError: the payload has an op that no operator stands for.
    """
    lanes = min(task.lane_count, task.tile_points)
    factors = unroll_factors(lanes, task.tile_sizes, _reduction_dims(task))
    vectors_in = tuple(df.itensor_of(source).tokens // task.iterations for source in task.sources)
    vectors_out = tuple(df.itensor_of(result).tokens // task.writes(n) for n, result in enumerate(task.produced))
    busy = busy_cycles(task, library)
    ii = max(busy, *vectors_in, *vectors_out, 1)
    latency = max(busy, *vectors_in, 1) + _depth(task, factors, library) + max(vectors_out, default=1)
    return TaskCost(ii, latency, vectors_in, vectors_out)


def busy_cycles(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Cycles of one iteration that no port can shorten: steps of all lanes, each at its interval."""
    lanes = min(task.lane_count, task.tile_points)
    return -(-task.tile_points // lanes) * step_interval(task, lanes, library)


def payload_operators(task: df.TaskOp) -> Counter[str]:
    """The operators of the library that one payload evaluation uses, with how many of each.

    Raises:
        InputError: the payload has an op that no operator stands for.
    """
    ops = (op for op in task.payload.block.ops if not isinstance(op, df.YieldOp) and not _is_free(op))
    return Counter(_operator_name(op, task) for op in ops)


def operator_instances(operators: Mapping[str, int], lanes: int, interval: int) -> dict[str, int]:
    """Instances of each operator in so many lanes.

    Where a step takes several cycles (``interval``), since a running sum has to be back, operators take turns in them:
    the tool binds what a pipelined loop evaluates to as few as its interval allows.
    """
    return {name: -(-count * lanes // interval) for name, count in operators.items()}


def _reduction_dims(task: df.TaskOp) -> list[int]:
    return [dim for dim, kind in enumerate(task.loop_kinds) if kind == "reduction"]


def step_interval(task: df.TaskOp, lanes: int, library: Mapping[str, Operator]) -> int:
    """Cycles between steps of so many lanes: a lane's running sum must be back before it is needed again.

    Every lane keeps a partial result of its own, so one value is added per
    step, and a result element comes round again after all parallel points of
    the tile that share the lanes, and, where a tile is one step of its
    reduction, after the parallel iterations inside the reduction loop.
    """
    if "reduction" not in task.loop_kinds or _combiner(task) == "iadd":
        return 1
    distance = sum_distance(task, lanes)
    if _combiner(task) == "fadd":
        return accumulator(1, distance).ii
    return -(-_running_stages(task, library) // distance)


def sum_distance(task: df.TaskOp, lanes: int) -> int:
    """Steps from one update of a running value to the next."""
    factors = unroll_factors(lanes, task.tile_sizes, _reduction_dims(task))
    steps = {"parallel": 1, "reduction": 1}
    for size, factor, kind in zip(task.tile_sizes, factors, task.loop_kinds, strict=True):
        steps[kind] *= size // factor
    return steps["parallel"] * (task.iterations_per_sum if steps["reduction"] == 1 else 1)


def _combiner(task: df.TaskOp) -> str:
    """The operator that joins partial results: the one that reads the payload's accumulator."""
    accumulator_argument = task.payload.block.args[len(task.sources)]
    for use in accumulator_argument.uses:
        return _operator_name(use.operation, task)
    return "fadd"


def _running_stages(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Stages from the running value of the first result to what it becomes."""
    running = task.payload.block.args[len(task.sources)]
    arrival: dict[SSAValue, int] = {running: 0}
    for op in task.payload.block.ops:
        before = [arrival[operand] for operand in op.operands if operand in arrival]
        if isinstance(op, df.YieldOp):
            return max(arrival.get(op.operands[0], 0), 1)
        stages = 0 if _is_free(op) or not before else library[_operator_name(op, task)].stages
        arrival |= {result: max(before) + stages for result in op.results if before}
    return 1


def _depth(task: df.TaskOp, factors: tuple[int, ...], library: Mapping[str, Operator]) -> int:
    """Stages from the operands of a step to the results of the tile."""
    stages = _longest_path(task, library)
    if "reduction" in task.loop_kinds:
        stages += add_tree_levels(_shared(task, factors)) * library[_combiner(task)].stages
    return stages


def _mac(task: df.TaskOp) -> str:
    """The multiply-accumulate operator for the narrower factor's width, and for what it is made of."""
    width = min(df.itensor_of(source).element_bits for source in task.sources[:2])
    name = "mac_w4a8" if width <= NARROW_WEIGHT_BITS else "mac_w8a8"
    return f"{name}{FABRIC}" if task.multiplies_in_fabric else name


def _shared(task: df.TaskOp, factors: tuple[int, ...]) -> int:
    """Lanes that work on one result element."""
    return prod(factor for factor, kind in zip(factors, task.loop_kinds, strict=True) if kind == "reduction")


def _longest_path(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Stages of the longest chain of operators in a scalar payload."""
    arrival: dict[SSAValue, int] = {}
    for op in task.payload.block.ops:
        start = max((arrival.get(operand, 0) for operand in op.operands), default=0)
        if isinstance(op, df.YieldOp):
            return start
        stages = 0 if _is_free(op) else library[_operator_name(op, task)].stages
        for result in op.results:
            arrival[result] = start + stages
    return 0


def _is_free(op: Operation) -> bool:
    """Whether an op is wires, or part of another op's operator."""
    return op.name.split(".")[-1] in _WIRES or _is_inside_mac(op) or _is_inside_conversion(op)


def _is_inside_mac(op: Operation) -> bool:
    """Whether an integer addition is that of a multiply-accumulate: one of its terms is a product."""
    return isinstance(op, arith.AddiOp) and any(isinstance(term.owner, arith.MuliOp) for term in op.operands)


def _is_inside_conversion(op: Operation) -> bool:
    """Whether an op rounds or clamps what is converted to an integer next: the conversion does both."""
    if not isinstance(op, math.RoundEvenOp | arith.MinimumfOp | arith.MaximumfOp):
        return False
    users = [use.operation for use in op.results[0].uses]
    return all(isinstance(user, arith.FPToSIOp) or _is_inside_conversion(user) for user in users)


def _operator_name(op: Operation, task: df.TaskOp) -> str:
    short = op.name.split(".")[-1]
    if short == "muli":
        return _mac(task)
    if short not in _OPERATOR_OF:
        raise InputError(
            "no-operator",
            f"no operator of the library stands for '{op.name}'",
            where="cost model",
            hints=["add it to boards/data/operators.yaml"],
        )
    return _OPERATOR_OF[short]


# --- Lanes of products of one row with a weight, and of the tasks that keep pace with them (docs/explanation/tiling.md)


@dataclass(frozen=True)
class PacedLanes:
    """Lanes by task: of the products, and of those that keep their pace."""

    products: Mapping[str, int] = field(default_factory=dict[str, int])
    followers: Mapping[str, int] = field(default_factory=dict[str, int])

    def of(self, task: str) -> int:
        """Lanes of a task; 0 where they are open."""
        return self.products.get(task, 0) or self.followers.get(task, 0)


def paced_by_products(module: ModuleOp, gemv_lanes: int, library: Mapping[str, Operator]) -> PacedLanes:
    """Lanes of the products of one row with a weight and of what follows them; none where there is no such product.

    Args:
        module: module at the itensor level, one task per kernel.
        gemv_lanes: lanes of a product.
        library: operators that running sums are timed with.
    """
    tasks = {task: kernel for kernel in all_of(module, df.KernelOp) for task in all_of(kernel, df.TaskOp)}
    products = {
        task.sym_name.data: max(lanes for lanes in lane_choices(task.tile_sizes) if lanes <= gemv_lanes)
        for task, kernel in tasks.items()
        if is_gemv(kernel, task)
    }
    if not products:
        return PacedLanes()
    columns = max(columns_per_cycle(task, gemv_lanes) for task in tasks if task.sym_name.data in products)
    facts = [_facts(task, kernel, columns, library) for task, kernel in tasks.items()]
    return PacedLanes(products, paced_lanes(facts, products))


def _facts(task: df.TaskOp, kernel: df.KernelOp, columns: int, library: Mapping[str, Operator]) -> RateFacts:
    lanes = lane_choices(task.tile_sizes)
    producers = [value.owner for value in kernel.inputs if isinstance(value.owner, df.KernelOp)]
    return RateFacts(
        task.sym_name.data,
        lanes,
        tuple(task.tile_points // each * step_interval(task, each, library) for each in lanes),
        task.iterations,
        task.iterations_per_result,
        max(task.writes(number) for number in range(len(task.produced))),
        tuple(dict.fromkeys(each.sym_name.data for each in producers)),
        None if task.is_contraction else Fraction(task.tile_points, columns),
    )
