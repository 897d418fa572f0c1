"""What the operators of a payload take: cycles between steps, stages, instances (docs/how-it-works/cost-model.md).

Nothing here is fitted to a published latency of a design.
"""

from collections import Counter
from collections.abc import Mapping
from math import prod

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from sttest.boards.operators import OWN, Area, Operator, Timing, accumulator, add_tree_levels
from sttest.compile.assumptions import NARROW_WEIGHT_BITS
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of
from sttest.compile.schedule.cascades import CASCADED, cascade_length
from sttest.compile.schedule.conversions import is_inside_saturation
from sttest.compile.schedule.packed_products import PACKED, packed_products
from sttest.compile.schedule.reductions import (
    MEMORY_CYCLES,
    lane_factors,
    lanes_per_result,
    levels,
    reduction_loops,
    reduction_of,
    steps_of_tile,
    sum_distance,
    waits_in_line,
)
from sttest.core.errors import InputError

# Payload op -> operator of the library; a product of integers is a MAC of the factors' width.
_OPERATOR_OF = {
    "mulf": "fmul", "addf": "fadd", "subf": "fsub", "divf": "fdiv", "exp": "fexp", "rsqrt": "frsqrt",
    "sqrt": "fsqrt", "tanh": "ftanh", "maximumf": "fmax", "minimumf": "fmax", "cmpf": "fcmp", "select": "select",
    "roundeven": "fround", "fptosi": "fptosi", "sitofp": "sitofp", "extf": "fext", "truncf": "ftrunc",
    "addi": "iadd", "subi": "iadd", "andi": "iadd", "maxsi": "imax", "minsi": "imax",
}  # fmt: skip
MAC = "mac_"
"""What the name of a multiply-accumulate operator begins with."""
FABRIC = "_fabric"
"""What the name of an operator in LUTs ends in, behind that of the one in DSPs that it replaces."""
# Signs, sign extensions, low bits, and bits read as another type.
_WIRES = ("constant", "negf", "absf", "extsi", "trunci", "bitcast")


def own_operator(op: df.CallOp) -> Operator:
    """The operator that a design brings along in a payload."""
    stages, dsp, ff, lut = map(op.figure, ("stages", "dsp", "ff", "lut"))
    interval, callee = op.figure("interval"), op.callee.data
    name = f"{callee}-{stages}-{interval}-{dsp}-{ff}-{lut}"
    timing = Timing(stages=stages, latency_cycles=stages - 1, source="own kernel", kind="assumed")
    area = Area(dsp=dsp, ff=ff, lut=lut, source="own kernel", kind="assumed")
    return OWN.setdefault(name, Operator(name=name, title=callee, timing=timing, area=area))


def busy_cycles(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Cycles of one iteration that no port can shorten: steps of all lanes, each at its interval."""
    lanes = min(task.lane_count, task.tile_points)
    return steps_of_tile(task, lanes) * step_interval(task, lanes, library)


def payload_operators(task: df.TaskOp) -> Counter[str]:
    """The operators of the library that one payload evaluation uses, with how many of each.

    Raises:
        InputError: the payload has an op that no operator stands for.
    """
    ops = (op for op in task.payload.block.ops if not isinstance(op, df.YieldOp) and not _is_free(op))
    return Counter(_operator_name(op, task) for op in ops)


def operators_of_lanes(task: df.TaskOp, lanes: int, payload: Mapping[str, int] | None = None) -> Counter[str]:
    """The operators of so many lanes: the payload's in each, and the adders that join the sums of steps.

    Args:
        task: task.
        lanes: lanes of a step.
        payload: operators of one payload evaluation, where they are known (:func:`payload_operators`).

    Raises:
        InputError: the payload has an op that no operator stands for.
    """
    factors = lane_factors(task, lanes)
    every, shared = prod(factors), prod(factors[loop] for loop in reduction_loops(task))
    found = Counter[str]()
    for name, count in (payload_operators(task) if payload is None else payload).items():
        found[name] = count * every
    reduction = reduction_of(task)
    if reduction is not None and reduction.order == "pairwise":
        found["fadd"] += (levels(task, lanes) - 1) * (every // shared)
    multiplies = any(name.startswith(MAC) for name in found)
    packed, length = multiplies and packed_products(task, lanes) is not None, cascade_length(task, shared)
    mac = _mac(task) if packed or length > 1 else ""
    if packed:
        found[f"{mac}{PACKED}"] = found.pop(mac)
        mac = f"{mac}{PACKED}"
    if length > 1:
        inside = every - every // shared * -(-shared // length)
        found[mac] -= inside
        found[f"{mac}{CASCADED}"] += inside
    return +found


def instances_of(every: Mapping[str, int], interval: int) -> dict[str, int]:
    """Instances of each operator, from the operators of all lanes and the cycles between steps.

    Where a step takes several cycles, since a running sum has to be back, operators take turns in them:
    the tool binds what a pipelined loop evaluates to as few as its interval allows.
    """
    return {name: count if name in OWN else -(-count // interval) for name, count in every.items()}


def step_interval(task: df.TaskOp, lanes: int, library: Mapping[str, Operator]) -> int:
    """Cycles between steps of so many lanes: a running value must be back before it is needed again.

    Only a chain is ever too late.  All lanes that share a result lie on it, one behind the other.  A result element
    comes round again after all parallel points of the tile that share the lanes, and, where a tile is one step of its
    reduction, after the parallel iterations inside the reduction loop.
    """
    reduction = reduction_of(task)
    if reduction is None or reduction.order != "chain":
        # Own kernels are in tasks that reduce nothing.
        return max((op.figure("interval") for op in all_of(task, df.CallOp)), default=1)
    factors = lane_factors(task, lanes)
    distance, shared = sum_distance(task, factors), lanes_per_result(task, lanes)
    fetched = 0 if distance == 1 or waits_in_line(task, factors) else MEMORY_CYCLES
    if reduction.is_float_sum and shared == 1 and not fetched:
        return accumulator(1, distance).ii
    return -(-(shared * chain_cycles(task, library) + fetched) // distance)


def chain_cycles(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Cycles in which a chain's running value passes one lane: a sum is back without its last register."""
    reduction = reduction_of(task)
    is_sum = reduction is not None and reduction.is_float_sum
    return library[f"fadd{FABRIC}"].latency_cycles if is_sum else _running_stages(task, library)


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


def pipeline_stages(task: df.TaskOp, lanes: int, shared: int, library: Mapping[str, Operator]) -> int:
    """Stages from the operands of a step to its results: the payload's longest path, and what joins its lanes.

    Args:
        task: task.
        lanes: lanes of a step.
        shared: those that work on one result.
        library: operators at the board's clock.
    """
    stages, reduction = _longest_path(task, library), reduction_of(task)
    if reduction is None:
        return stages
    if reduction.order == "chain" or reduction.join is None:
        return stages + (shared - 1) * _running_stages(task, library)
    length = cascade_length(task, shared)
    joined = add_tree_levels(-(-shared // length)) + (levels(task, lanes) if reduction.order == "pairwise" else 0)
    return stages + length - 1 + joined * library[_operator_name(reduction.join, task)].stages


def _mac(task: df.TaskOp) -> str:
    """The multiply-accumulate operator for the narrower factor's width, and for what it is made of."""
    width = min(df.itensor_of(source).element_bits for source in task.sources[:2])
    name = "mac_w4a8" if width <= NARROW_WEIGHT_BITS else "mac_w8a8"
    return f"{name}{FABRIC}" if task.multiplies_in_fabric else name


def _longest_path(task: df.TaskOp, library: Mapping[str, Operator]) -> int:
    """Stages of the longest chain of operators in a scalar payload."""
    arrival, last = arrival_stages(task, library), task.payload.block.last_op
    return max((arrival.get(operand, 0) for operand in last.operands), default=0) if last else 0


def arrival_stages(task: df.TaskOp, library: Mapping[str, Operator]) -> dict[SSAValue, int]:
    """Stages after which each value of a payload is there, its arguments at once."""
    arrival: dict[SSAValue, int] = {}
    for op in task.payload.block.ops:
        if isinstance(op, df.YieldOp):
            break
        start = max((arrival.get(operand, 0) for operand in op.operands), default=0)
        stages = 0 if _is_free(op) else library[_operator_name(op, task)].stages
        arrival |= dict.fromkeys(op.results, start + stages)
    return arrival


def join_stages(task: df.TaskOp, join: Operation, library: Mapping[str, Operator]) -> int:
    """Stages of the operator that joins two terms of a reduction."""
    return library[_operator_name(join, task)].stages


def _is_free(op: Operation) -> bool:
    """Whether an op is wires, or part of another op's operator."""
    return op.name.split(".")[-1] in _WIRES or _is_inside_mac(op) or is_inside_saturation(op)


def _is_inside_mac(op: Operation) -> bool:
    """Whether an integer addition is that of a multiply-accumulate: one of its terms is a product."""
    return isinstance(op, arith.AddiOp) and any(isinstance(term.owner, arith.MuliOp) for term in op.operands)


def _is_chained(op: Operation, task: df.TaskOp) -> bool:
    """Whether an addition waits for its own result of a step before: it is made of LUTs, which takes fewer cycles."""
    reduction = reduction_of(task)
    return reduction is not None and reduction.order == "chain" and reduction.join is op


def _operator_name(op: Operation, task: df.TaskOp) -> str:
    if isinstance(op, df.CallOp):
        return own_operator(op).name
    short = op.name.split(".")[-1]
    if short == "muli":
        return _mac(task)
    if short == "addf" and _is_chained(op, task):
        return f"fadd{FABRIC}"
    if short not in _OPERATOR_OF:
        raise InputError(
            "no-operator",
            f"no operator of the library stands for '{op.name}'",
            where="cost model",
            hints=["add it to boards/data/operators.yaml"],
        )
    return _OPERATOR_OF[short]
