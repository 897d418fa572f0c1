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
from sttest.importers.mlir.execution import EndlessLoopError, Execution
from sttest.importers.mlir.kernel_cycles import KernelCycles
from sttest.importers.mlir.op_lines import op_places
from sttest.importers.mlir.scripts import Script, graph_of
from sttest.importers.mlir.text import bits_of, block_of, name_of, read_mlir, stated, symbol
from sttest.importers.places import Access, DesignPlaces
from sttest.sim import Fifo, TimedGraph
from sttest.sim.graph import MAX_BITS

CLOCK_MHZ = 300.0
"""assumed: the text has none."""
GENERIC_BY = "module.operation.get_asm(print_generic_op_form=True) in Python"
_CONSTRUCT, _GET, _PUT = "allo.stream_construct", "allo.stream_get", "allo.stream_put"
_GLOBAL = ("allo.stream_global", "allo.get_stream_global", "allo.put_stream_global", "allo.grid_map")
_MOST_CALLS = 64
"""Calls inside each other."""


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
    functions: dict[str, Operation] = field(default_factory=dict[str, Operation])
    made: dict[str, Operation] = field(default_factory=dict[str, Operation])
    run: dict[str, Operation] = field(default_factory=dict[str, Operation])
    accessed: dict[Access, Operation] = field(default_factory=dict[Access, Operation])

    def graph(self, top: str, stem: str) -> TimedGraph:
        """The timed graph of a top."""
        self.functions = {symbol(op, "sym_name"): op for op in self.module.walk() if name_of(op) == "func.func"}
        chosen = self._top(top)
        self._region(chosen, {}, "", 0)
        if not self.fifos:
            what = f"@{symbol(chosen, 'sym_name')} makes no streams"
            hints = ["name the function that does with --top"]
            raise InputError("no-streams", what, where=self.where, hints=hints)
        self._check_ends()
        return graph_of(re.sub(r"[^\w.-]", "_", stem) or "allo", CLOCK_MHZ, self.fifos, self.scripts)

    def _top(self, name: str) -> Operation:
        if name:
            if name not in self.functions:
                hints = [did_you_mean(name, self.functions)]
                raise InputError("no-top", f"no function '{name:.80}'", where=self.where, hints=hints)
            return self.functions[name]
        found = [op for op in self.functions.values() if stated(op, "dataflow") is not None and self._moves(op, 0)]
        called = {op.callee.root_reference.data for op in self.module.walk() if isinstance(op, func.CallOp)}
        if len(found) != 1:
            found = [
                op for key, op in self.functions.items()
                if key not in called and any(name_of(each) == _CONSTRUCT or self._called(each) for each in op.walk())
                and self._moves(op, 0)
            ]  # fmt: skip
        if len(found) != 1:
            names = ", ".join(symbol(op, "sym_name") for op in found) or "none calls kernels with streams"
            what = f"{len(found)} functions may be the top, not one: {names:.200}"
            raise InputError("no-top", what, where=self.where, hints=["choose one with --top"])
        return found[0]

    def _called(self, op: Operation) -> Operation | None:
        """The function that a call runs; None for other operations and for what is only declared."""
        if not isinstance(op, func.CallOp):
            return None
        found = self.functions.get(op.callee.root_reference.data)
        return found if found is not None and found.regions and found.regions[0].blocks else None

    def _accesses(self, op: Operation) -> bool:
        """Whether a function itself gets or puts."""
        return any(name_of(each) in (_GET, _PUT) for each in op.walk())

    def _moves(self, op: Operation, depth: int) -> bool:
        """Whether a function or one that it calls gets or puts."""
        if depth > _MOST_CALLS:
            raise InputError("nested-calls", f"more than {_MOST_CALLS} calls inside each other", where=self.where)
        called = (self._called(each) for each in op.walk())
        return self._accesses(op) or any(each is not None and self._moves(each, depth + 1) for each in called)

    # --- Regions

    def _region(self, region: Operation, streams: Mapping[SSAValue, str], path: str, depth: int) -> None:
        """What a region makes and calls."""
        known = dict(streams)
        place = f"{self.where}: @{symbol(region, 'sym_name')}"
        used: dict[str, int] = {}
        for op in block_of(region, place).ops:
            if name_of(op) == _CONSTRUCT:
                known[op.results[0]] = self._stream(op, path, place)
            elif (called := self._called(op)) is not None:
                self._instance(op, called, known, path, used, depth, place)
            elif any(self._moves_in(each) for each in op.walk()):
                what = f"kernels with streams are called inside '{name_of(op)}'"
                raise InputError("not-modeled", what, where=place, hints=["unroll it"])

    def _moves_in(self, op: Operation) -> bool:
        called = self._called(op)
        return name_of(op) in (_GET, _PUT) or (called is not None and self._moves(called, 0))

    def _stream(self, op: Operation, path: str, place: str) -> str:
        name = path + (symbol(op, "name") or f"stream{len(self.fifos)}")
        depth, bits = _stream_type(op.results[0].type, place)
        if name in {fifo.name for fifo in self.fifos}:
            name = f"{name}.{len(self.fifos)}"
        self.fifos.append(Fifo(name, depth, bits, origin=place.rsplit(": ", 1)[-1]))
        self.made[name] = op
        return name

    def _instance(
        self, call: Operation, called: Operation, known: Mapping[SSAValue, str], path: str, used: dict[str, int],
        depth: int, place: str,
    ) -> None:  # fmt: skip
        """What a call runs: a kernel as a process, a region taken apart."""
        if not self._moves(called, depth):
            return
        name = symbol(called, "sym_name")
        used[name] = used.get(name, 0) + 1
        name = path + name + (f".{used[name]}" if used[name] > 1 else "")
        arguments = block_of(called, place).args
        given: dict[SSAValue, str] = {
            arg: known[value] for arg, value in zip(arguments, call.operands, strict=False) if value in known
        }
        if self._accesses(called):
            self.scripts.append(self._kernel(called, given, name))
            return
        inner = [op for op in block_of(called, place).ops if self._moves_in(op)]
        if len(inner) > 1 and not any(name_of(op) == _CONSTRUCT for op in called.walk()):
            self.notes.append(f"{name} calls {len(inner)} regions one after another: they are taken to start together")
        self._region(called, given, f"{name}/", depth + 1)

    # --- Kernels

    def _kernel(self, kernel: Operation, streams: Mapping[SSAValue, str], name: str) -> Script:
        """What a kernel does with its streams."""
        script = Script(name, f"@{symbol(kernel, 'sym_name')}")
        self.run[name] = kernel
        reader = _KernelReader(self, script, dict(streams), f"{self.where}: {name}")
        run = Execution(reader.where, reader.access, reader.counts, lambda: len(script.steps), self._moves_in)
        block = block_of(kernel, reader.where)
        try:
            run.run(block)
        except EndlessLoopError as endless:
            script.endless_from = endless.first
        self.notes += [f"{name}: calls whose number is not known count once: {why}" for why in sorted({*run.guessed})]
        return script

    def _check_ends(self) -> None:
        """Refuses a stream that nobody puts into, or nobody gets from, or several do."""
        for fifo in self.fifos:
            for writes, does in ((True, "puts into"), (False, "gets from")):
                found = [
                    s.name for s in self.scripts if any(e.fifo == fifo.name and e.writes is writes for e in s.steps)
                ]
                if len(found) != 1:
                    who = f"{len(found)} kernels, {', '.join(found[:4])}," if found else "no kernel"
                    what = f"{who} {does if len(found) < 2 else does.replace('puts', 'put').replace('gets', 'get')} it"
                    hints = ["a stream has one kernel at each end"]
                    raise InputError("stream-ends", what, where=f"{self.where}: stream '{fifo.name}'", hints=hints)


def _stream_type(type_: Attribute, place: str) -> tuple[int, int]:
    """Depth and bits of a stream."""
    found = re.search(r"stream<(.*),\s*(\d+)\s*>$", str(type_), re.DOTALL)
    if found is None or int(found[2]) < 1:
        raise InputError("bad-stream", f"{type_!s:.80} has no depth from 1 on", where=place)
    return int(found[2]), min(max(1, bits_of(found[1])), MAX_BITS)


@dataclass
class _KernelReader:
    """Notes what a kernel gets, puts and calls."""

    design: _Design
    script: Script
    streams: dict[SSAValue, str]
    where: str

    def counts(self, op: Operation) -> bool:
        """Whether an operation takes part in what a kernel does."""
        return name_of(op) in (_GET, _PUT) or isinstance(op, func.CallOp)

    def access(self, run: Execution, op: Operation) -> bool:
        """Notes an operation, if it takes part."""
        name = name_of(op)
        if name in (_GET, _PUT):
            stream = self.streams.get(op.operands[0])
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
        called = self.design._called(op)
        for result in op.results:
            run.values[result] = None
        if called is None or not self.design._moves(called, 0):
            self.script.spend(self.design.kernels.of(op.callee.root_reference.data))
            return
        if any(name_of(each) == _CONSTRUCT for each in called.walk()):
            what = f"it calls the region @{symbol(called, 'sym_name')} between accesses of its own"
            raise InputError(
                "not-modeled", what, where=self.where, hints=["call it from a kernel that does nothing else"]
            )
        block = block_of(called, self.where)
        for argument, given in zip(block.args, op.operands, strict=False):
            run.values[argument] = run.value(given)
            if given in self.streams:
                self.streams[argument] = self.streams[given]
        run.run(block)
