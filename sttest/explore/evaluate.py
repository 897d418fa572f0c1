"""One design, judged in steps that cost more and more: bounds, resources, simulation.

A design that can't be of use is given up at the first step that says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sttest.boards.energy import Activity, activity_of, energy, idle
from sttest.boards.resources import KINDS, Resources, total
from sttest.compile.compiler import CompiledDesign, StagedCompiler, Tiled
from sttest.compile.options import CompileOptions, todays_option_keys
from sttest.compile.reports import activity_table
from sttest.compile.resources.design import DesignResources, design_resources, die_under, refuse_ports
from sttest.compile.resources.placement import place
from sttest.compile.spaces.partition import any_partition, refuse_beyond
from sttest.core.errors import DeadlockError, DoesNotFitError, InputError, SttestError
from sttest.core.validation import validated
from sttest.explore import assumptions
from sttest.explore.facts import BlockFacts, DesignBounds, block_facts, bounds
from sttest.explore.objectives import Figures, Losses, Objective, Target, dominates
from sttest.explore.space import Lanes, Point, lanes_of, resolved, tiling_of
from sttest.sim import simulate

Status = Literal["simulated", "bounded", "refused"]
REFUSALS = (DoesNotFitError, InputError, DeadlockError)
"""What a point of a search may run into; anything else is a fault of the program."""


@dataclass(frozen=True)
class Evaluation:
    """What became of a point."""

    # ``simulated``; ``bounded``, not simulated because it cannot be better than what is known; ``refused``, no such
    # design, or none that fits
    status: Status
    options: CompileOptions | None  # compile options that make the design again; None where there are none
    losses: Losses  # losses of a simulated design; lower bounds of others
    figures: Figures = field(default_factory=dict)  # figures of a simulated design
    refusal: dict[str, Any] = field(default_factory=dict)  # the error as plain data

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as JSON values."""
        return {**vars(self), "options": self.options and self.options.model_dump()}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Evaluation":
        """The inverse of :meth:`to_dict`, also after a way through JSON."""
        data = todays_option_keys(data)
        options = None if data["options"] is None else validated(CompileOptions, data["options"], "options")
        return cls(data["status"], options, tuple(data["losses"]), data["figures"], data["refusal"])


class Evaluator:
    """A block on a board, ready to have its designs judged.

    Args:
        target: the block.
        objectives: objectives that a search improves.
        check_resources: refuse designs that do not fit the board, SLR by SLR.
    """

    def __init__(self, target: Target, objectives: tuple[Objective, ...], *, check_resources: bool = True) -> None:
        self.target, self.objectives, self._checks = target, objectives, check_resources
        workload = {"asked_tokens": target.tokens, "asked_context": target.context}
        self._compiler = StagedCompiler(target.text, target.name, target.board, workload)
        self._facts: dict[Tiled, BlockFacts] = {}
        self._seen: set[CompileOptions] = set()
        self._figures: dict[CompileOptions, Figures | SttestError] = {}

    @property
    def clock_mhz(self) -> float:
        """Clock of the board."""
        return self._compiler.board.clock_mhz.value

    def facts(self, options: CompileOptions) -> BlockFacts:
        """Facts of the block as tiled with these options.

        Raises:
            InputError: a tile that is not possible.
            DoesNotFitError: a kernel's own buffers exceed the board's memory.
        """
        tiled = self._compiler.tiled(options)
        if tiled not in self._facts:
            if len(self._facts) >= assumptions.KEPT_TILINGS:
                del self._facts[next(iter(self._facts))]
            self._facts[tiled] = block_facts(tiled.module, self._compiler.board, self.target.budget)
        return self._facts[tiled]

    def evaluate(self, point: Point, known: Iterable[Losses] = ()) -> Evaluation:
        """Judges a point.

        Args:
            point: a choice per option of the space.
            known: losses of designs that are known already; what cannot be better than one of them is not simulated.
        """
        tiling = tiling_of(point, self.target.base)
        self._seen.add(tiling)
        options, best = None, (0.0,) * len(self.objectives)
        try:
            facts = self.facts(tiling)
            self._refuse_several_kernels(tiling, int(point["c_max_percent"]))
            lanes = lanes_of(point, facts)
            options, limits = resolved(tiling, lanes), bounds(facts, lanes)
            if tiling.flow == "rtl":
                # The bound of logic is of C++.
                limits = replace(limits, logic=Resources())
            best = self.best_losses(facts, limits)
            self._refuse_logic(facts, limits)
            self._refuse_process(facts, options, lanes)
            if any(dominates(one, best) for one in known):
                return Evaluation("bounded", options, best)
            figures = self.figures(options)
        except REFUSALS as error:
            return Evaluation("refused", options, best, refusal=error.to_dict())
        losses = tuple(objective.loss(figures) for objective in self.objectives)
        return Evaluation("simulated", options, losses, figures)

    def has_tiled(self, point: Point) -> bool:
        """Whether a point of the same tiling was judged here before, so that this one costs less."""
        return tiling_of(point, self.target.base) in self._seen

    def best_losses(self, facts: BlockFacts, limits: DesignBounds) -> Losses:
        """What the bounds leave possible: nothing but time costs energy, nothing but tasks takes room."""
        block = idle(limits.cycles / self.clock_mhz / 1e6)
        figures = {**self._in_time(limits.cycles, block), "area": facts.share(limits.logic)}
        return tuple(objective.loss(figures) for objective in self.objectives)

    def figures(self, options: CompileOptions) -> Figures:
        """All metrics of a design, compiled and simulated.

        Args:
            options: compile options with the lanes of every task.

        Raises:
            SttestError: it cannot be made, does not fit, or deadlocks.
        """
        found = self._figures.get(options)
        if found is None:
            try:
                found = self._measured(options)
            except REFUSALS as error:
                found = error
            self._keep(options, found)
        if isinstance(found, SttestError):
            raise found
        return found

    def remember(self, evaluations: Iterable[Evaluation]) -> None:
        """Takes over what other processes found out: points of a search often come to the same design."""
        for each in evaluations:
            if each.status == "simulated" and each.options is not None and each.options not in self._figures:
                self._keep(each.options, each.figures)

    def _keep(self, options: CompileOptions, found: Figures | SttestError) -> None:
        if len(self._figures) >= assumptions.KEPT_DESIGNS:
            del self._figures[next(iter(self._figures))]
        self._figures[options] = found

    def placed_cycles(self, options: CompileOptions) -> int | None:
        """Cycles with registers on every FIFO between SLRs; None for a deadlock.

        Raises:
            DoesNotFitError: it cannot be placed.
        """
        return place(self._compiler.design(options)).cycles[1]

    def _measured(self, options: CompileOptions) -> Figures:
        design = self._compiler.design(options)
        taken = design_resources(design)
        if self._checks:
            refuse_ports(design, taken)
            any_partition(taken.processes(), taken.links(), die_under(design, taken))
        run = simulate(design.graph)
        if run.cycles is None:
            raise DeadlockError("deadlock", "the sized design deadlocks", where=design.name)
        activity = activity_table(design)
        busy = {name: process.busy_cycles for name, process in run.breakdown.items()}
        done = activity_of(activity, busy, run.cycles, self.clock_mhz)
        return {"cycles": run.cycles, **self._in_time(run.cycles, done), **_in_space(design, taken)}

    def _in_time(self, cycles: float, done: Activity) -> Figures:
        """Latency and energy of all layers with their launches."""
        seconds = self.target.seconds(cycles, self.clock_mhz)
        waiting = idle(self.target.layers * self.target.launch_us / 1e6)
        spent = energy(done.times(self.target.layers) + waiting, self._compiler.board.energy_costs)
        tokens_per_j = self.target.batch * self.target.tokens / spent.total_j
        return {"latency": 1e3 * seconds, "tokens_per_j": tokens_per_j, "power": spent.power_w}

    def _refuse_several_kernels(self, options: CompileOptions, percent: int) -> None:
        """A block that fusion splits takes several kernels one after the other, which no timed graph holds yet."""
        costs = self._compiler.tiled(options).fusion.fusion.costs
        bound = self._compiler.board.fabric.usable_onchip_bytes * percent // 100
        needed = sum(cost.total_bytes for cost in costs)
        if len(costs) > 1 or needed > bound:
            raise DoesNotFitError(
                "several-kernels", "the block does not fuse into one kernel", where="fusion", demand=needed,
                bound=bound, unit="bytes", hints=["raise c_max_percent", "lower the tile size"],
            )  # fmt: skip

    def _refuse_logic(self, facts: BlockFacts, limits: DesignBounds) -> None:
        """Refuses a design whose tasks alone are more than the board has, before it is made."""
        shares = limits.logic.shares_of(facts.budget)
        if not self._checks or shares.largest <= 1:
            return
        kind = max(KINDS, key=lambda name: getattr(shares, name))
        raise DoesNotFitError(
            "board-resources", f"the lanes alone take more {kind.upper()} than the board's budget", where="lanes",
            demand=round(getattr(limits.logic, kind)), bound=round(getattr(facts.budget, kind)), unit=kind,
            hints=["lower budget_percent", "lower the tile size"],
        )  # fmt: skip

    def _refuse_process(self, facts: BlockFacts, options: CompileOptions, lanes: Lanes) -> None:
        """Refuses a design of which one functional unit is more than a process may be, before it is made."""
        if not self._checks or options.flow == "rtl" or options.product_units > 1:
            return
        for engine in facts.engines:
            refuse_beyond(
                engine.logic(lanes[engine.tasks[0].name]), facts.process, "process-resources",
                f"process '{engine.tasks[0].engine}'",
            )  # fmt: skip


def _in_space(design: CompiledDesign, taken: DesignResources) -> Figures:
    amounts = taken.total
    area = amounts.shares_of(total(die_under(design, taken).budgets)).largest
    fifo_bits = sum(fifo.depth * fifo.bits for fifo in design.graph.fifos)
    return {"area": area, **{kind: getattr(amounts, kind) for kind in KINDS}, "fifo_bits": fifo_bits}
