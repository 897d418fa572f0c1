"""Allo: dataflow regions in Allo's MLIR, kernels joined by streams.

https://github.com/cornell-zhang/allo, Apache 2.0.  The text is what ``print(module)`` shows of a schedule or of what
``df.build`` gives, before any lowering: functions that put into and get from ``!allo.stream`` values, and a top that
makes these and calls the functions.  Each call of a kernel is a process that accesses its streams one by one, in the
order of its text; a region that is called, by a kernel that does nothing else, is taken apart.  A stream is a FIFO of
its depth.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import place_of
from sttest.importers.mlir.allo_forms import ALLO_FORMS
from sttest.importers.mlir.calls import Calls, callee
from sttest.importers.mlir.execution import EndlessLoopError, ExecutedOperations, Execution
from sttest.importers.mlir.kernel_cycles import KernelCycles
from sttest.importers.mlir.op_lines import op_places
from sttest.importers.mlir.scripts import Script, check_next, graph_of
from sttest.importers.mlir.text import (
    bits_of,
    block_of,
    name_of,
    operand_of,
    operations_called,
    read_mlir,
    result_of,
    stated,
    symbol,
)
from sttest.importers.places import Access, DesignPlaces
from sttest.sim import Fifo, TimedGraph
from sttest.sim.graph import MAX_BITS, MAX_FIFOS, MAX_PROCESSES

CLOCK_MHZ = 300.0
"""assumed: the text has none."""
GENERIC_BY = "module.operation.get_asm(print_generic_op_form=True) in Python"
_CONSTRUCT, _GET, _PUT = "allo.stream_construct", "allo.stream_get", "allo.stream_put"
_GLOBAL = ("allo.stream_global", "allo.get_stream_global", "allo.put_stream_global", "allo.grid_map")


def read_allo(source: Path, *, cycles: Sequence[str] = (), top: str = "", notes: list[str] | None = None) -> TimedGraph:
    """The design in a file.

    Args:
        source: MLIR of Allo, printed or generic.
        cycles: what a call takes, as in ``matmul=1200``.
        top: the function that makes the streams and calls the kernels, where that is not clear.
        notes: sentences on what was assumed are added.

    Raises:
        InputError: not such a file, or which streams are accessed how often is not known before it runs.
    """
    graph, design = _read(source, cycles, top)
    if notes is not None:
        notes += [*design.notes, *design.kernels.notes()]
    return graph


def places(source: Path, *, cycles: Sequence[str] = (), top: str = "") -> DesignPlaces:
    """Where streams are made, kernels defined, and accesses made; arguments as of :func:`read_allo`.

    Raises:
        InputError: as :func:`read_allo`.
    """
    _, design = _read(source, cycles, top)
    lines = op_places(design.module, source, (_CONSTRUCT, _GET, _PUT, "func.func"))
    return DesignPlaces(
        fifos={name: lines[op] for name, op in design.made.items() if op in lines},
        processes={name: lines[op] for name, op in design.run.items() if op in lines},
        accesses={access: lines[op] for access, op in design.accessed.items() if op in lines},
    )


def _read(source: Path, cycles: Sequence[str], top: str) -> tuple[TimedGraph, "_Design"]:
    where = place_of(source)
    module = read_mlir(source, ALLO_FORMS, GENERIC_BY)
    for op in module.walk():
        if name_of(op) in _GLOBAL:
            what = f"'{name_of(op)}' is not modeled, only streams that a function makes"
            raise InputError("not-modeled", what, where=where, hints=["build the design with allo.dataflow"])
    design = _Design(module, where, KernelCycles(cycles, where))
    return design.graph(top, source.stem), design


@dataclass
class _Design:
    """The functions of a module, and what was found of its top so far.

    ``made``, ``run``, ``accessed``: the operations that made FIFOs, the functions of processes, and first accesses.
    """

    module: ModuleOp
    where: str
    kernels: KernelCycles
    fifos: list[Fifo] = field(default_factory=list[Fifo])
    scripts: list[Script] = field(default_factory=list[Script])
    notes: list[str] = field(default_factory=list[str])
    made: dict[str, Operation] = field(default_factory=dict[str, Operation])
    run: dict[str, Operation] = field(default_factory=dict[str, Operation])
    accessed: dict[Access, Operation] = field(default_factory=dict[Access, Operation])

    def __post_init__(self) -> None:
        self.calls = Calls(self.module, _is_access, self.where)
        self.work = ExecutedOperations()
        self.makers = {op for op in self.calls.functions.values() if operations_called(op, (_CONSTRUCT,))}
        self._parts: dict[Operation, list[Operation]] = {}  # of regions

    def graph(self, top: str, stem: str) -> TimedGraph:
        """The timed graph of a top."""
        chosen = self._top(top)
        self._region(chosen, {}, "")
        if not self.fifos:
            what = f"@{symbol(chosen, 'sym_name')} makes no streams"
            hints = ["name the function that does with --top"]
            raise InputError("no-streams", what, where=self.where, hints=hints)
        self._check_ends()
        name = re.sub(r"[^\w.-]", "_", stem) or "allo"
        return graph_of(name, CLOCK_MHZ, self.fifos, self.scripts, where=self.where)

    def _top(self, name: str) -> Operation:
        functions = self.calls.functions
        if name:
            if name not in functions:
                hints = [did_you_mean(name, functions)]
                raise InputError("no-top", f"no function '{name:.80}'", where=self.where, hints=hints)
            return functions[name]
        moving = {key: op for key, op in functions.items() if self.calls.moves(op)}
        found = [op for op in moving.values() if stated(op, "dataflow") is not None]
        if len(found) != 1:
            called = {callee(op) for op in self.module.walk()}
            found = [
                op for key, op in moving.items()
                if key not in called
                and any(name_of(each) == _CONSTRUCT or self.calls.called(each) is not None for each in op.walk())
            ]  # fmt: skip
        if len(found) != 1:
            names = ", ".join(symbol(op, "sym_name") for op in found) or "none calls kernels with streams"
            what = f"{len(found)} functions may be the top, not one: {names:.200}"
            raise InputError("no-top", what, where=self.where, hints=["choose one with --top"])
        return found[0]

    # --- Regions

    def _place(self, function: Operation) -> str:
        return f"{self.where}: @{symbol(function, 'sym_name')}"

    def _region(self, region: Operation, streams: Mapping[SSAValue, str], path: str) -> None:
        """What a region makes and calls."""
        known = dict(streams)
        used: dict[str, int] = {}
        with self.calls.inside(region):
            for op in self._parts_of(region):
                if name_of(op) == _CONSTRUCT:
                    known[result_of(op, self._place(region))] = self._stream(op, path, self._place(region))
                elif (called := self.calls.called(op)) is not None:
                    self._instance(op, called, known, path, used)

    def _parts_of(self, region: Operation) -> list[Operation]:
        """What makes streams, and calls of what moves tokens.

        Raises:
            InputError: such a call is inside something else.
        """
        if region not in self._parts:
            place = self._place(region)
            found = self._parts[region] = list[Operation]()
            for op in block_of(region, place).ops:
                called = self.calls.called(op)
                if name_of(op) == _CONSTRUCT or self.calls.moves(called):
                    found.append(op)
                elif called is None and any(self.calls.moves_in(each) for each in op.walk()):
                    what = f"kernels with streams are called inside '{name_of(op)}'"
                    raise InputError("not-modeled", what, where=place, hints=["unroll it"])
        return self._parts[region]

    def _stream(self, op: Operation, path: str, place: str) -> str:
        name = path + (symbol(op, "name") or f"stream{len(self.fifos)}")
        depth, bits = _stream_type(op.results[0].type, place)
        if name in self.made:
            name = f"{name}.{len(self.fifos)}"
        check_next(name, len(self.fifos), MAX_FIFOS, "streams", place)
        self.fifos.append(Fifo(name, depth, bits, origin=place.rsplit(": ", 1)[-1]))
        self.made[name] = op
        return name

    def _instance(
        self, call: Operation, called: Operation, known: Mapping[SSAValue, str], path: str, used: dict[str, int]
    ) -> None:
        """What a call runs: a kernel as a process, a region taken apart."""
        name, place = symbol(called, "sym_name"), self._place(called)
        used[name] = used.get(name, 0) + 1
        name = path + name + (f".{used[name]}" if used[name] > 1 else "")
        arguments = block_of(called, place).args
        given: dict[SSAValue, str] = {
            arg: known[value] for arg, value in zip(arguments, call.operands, strict=False) if value in known
        }
        if self.calls.accesses(called):
            check_next(name, len(self.scripts), MAX_PROCESSES, "kernels", place)
            self.scripts.append(self._kernel(called, given, name))
            return
        parts = self._parts_of(called)
        if len(parts) > 1 and not any(name_of(op) == _CONSTRUCT for op in parts):
            self.notes.append(f"{name} calls {len(parts)} regions one after another: they are taken to start together")
        self._region(called, given, f"{name}/")

    # --- Kernels

    def _kernel(self, kernel: Operation, streams: Mapping[SSAValue, str], name: str) -> Script:
        """What a kernel does with its streams."""
        script = Script(name, f"@{symbol(kernel, 'sym_name')}")
        self.run[name] = kernel
        reader = _KernelReader(self, script, dict(streams), f"{self.where}: {name}")
        run = Execution(
            reader.where, reader.access, reader.counts, lambda: len(script.steps), self.calls.moves_in, self.work
        )
        block = block_of(kernel, self._place(kernel))
        try:
            with self.calls.inside(kernel):
                run.run(block)
        except EndlessLoopError as endless:
            script.endless_from = endless.first
        self.notes += [f"{name}: calls whose number is not known count once: {why}" for why in sorted(run.guessed)]
        return script

    def _check_ends(self) -> None:
        """Refuses a stream that nobody puts into, or nobody gets from, or several do."""
        ends: dict[tuple[str, bool], list[str]] = {}
        for script in self.scripts:
            for end in {(step.fifo, step.writes) for step in script.steps}:
                ends.setdefault(end, []).append(script.name)
        for fifo in self.fifos:
            for writes, does in ((True, "puts into"), (False, "gets from")):
                found = ends.get((fifo.name, writes), [])
                if len(found) != 1:
                    who = f"{len(found)} kernels, {', '.join(found[:4])}," if found else "no kernel"
                    what = f"{who} {does if len(found) < 2 else does.replace('puts', 'put').replace('gets', 'get')} it"
                    hints = ["a stream has one kernel at each end"]
                    raise InputError("stream-ends", what, where=f"{self.where}: stream '{fifo.name}'", hints=hints)


def _stream_type(type_: Attribute, place: str) -> tuple[int, int]:
    """Depth and bits of a stream."""
    what, _, depth = str(type_).partition("stream<")[2].rpartition(",")
    found = re.fullmatch(r"\s*(\d{1,20})\s*>", depth)
    if found is None or int(found[1]) < 1:
        raise InputError("bad-stream", f"{type_!s:.80} has no depth from 1 on", where=place)
    return int(found[1]), min(max(1, bits_of(what)), MAX_BITS)


def _is_access(op: Operation) -> bool:
    return name_of(op) in (_GET, _PUT)


@dataclass
class _KernelReader:
    """Notes what a kernel gets, puts and calls."""

    design: _Design
    script: Script
    streams: dict[SSAValue, str]
    where: str

    def counts(self, op: Operation) -> bool:
        """Whether an operation takes part in what a kernel does."""
        return _is_access(op) or isinstance(op, func.CallOp)

    def access(self, run: Execution, op: Operation) -> bool:
        """Notes an operation, if it takes part."""
        name = name_of(op)
        if name in (_GET, _PUT):
            stream = self.streams.get(operand_of(op, self.where))
            if stream is None:
                what = "it accesses a stream that is not among its arguments"
                hints = ["print the module that df.build gives, where streams are arguments"]
                raise InputError("unknown-stream", what, where=self.where, hints=hints)
            does = "write" if name == _PUT else "read"
            self.design.accessed.setdefault((self.script.name, does, stream), op)
            if name == _PUT:
                self.script.put(stream)
            else:
                self.script.take(stream)
            for result in op.results:
                run.values[result] = None
            return True
        if isinstance(op, func.CallOp):
            self._call(run, op)
            return True
        return False

    def _call(self, run: Execution, op: func.CallOp) -> None:
        calls = self.design.calls
        called = calls.called(op)
        for result in op.results:
            run.values[result] = None
        if called is None or not calls.moves(called):
            self.script.spend(self.design.kernels.of(callee(op)))
            return
        if called in self.design.makers:
            what = f"it calls the region @{symbol(called, 'sym_name')} between accesses of its own"
            raise InputError(
                "not-modeled", what, where=self.where, hints=["call it from a kernel that does nothing else"]
            )
        block = block_of(called, f"{self.where}: @{symbol(called, 'sym_name')}")
        for argument, given in zip(block.args, op.operands, strict=False):
            run.values[argument] = run.value(given)
            if given in self.streams:
                self.streams[argument] = self.streams[given]
        with calls.inside(called):
            run.run(block)
