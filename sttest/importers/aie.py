"""mlir-aie: designs of AI Engine arrays in MLIR, with object FIFOs between cores, memory tiles and the host.

https://github.com/Xilinx/mlir-aie, Apache 2.0.  A core is a process that acquires and releases objects in the order of
its text; so are the DMA channels of every object FIFO that is not in a memory which both cores reach, and the host with
its runtime sequence.  A pool of n places is two FIFOs: its places, of depth n, written when its producer acquires one
and read when its consumer releases it; and ``NAME.filled``, never full, written on the producer's release and read on
the consumer's acquire.  So an object that is held keeps its place, and the depth of the first is what to size.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects import func
from xdsl.ir import Operation, SSAValue

from sttest.core.errors import InputError, did_you_mean
from sttest.core.files import place_of, read_text, write_text
from sttest.importers.mlir.aie_forms import AIE_FORMS
from sttest.importers.mlir.calls import Calls, callee
from sttest.importers.mlir.dma_streams import ObjectFifoDma
from sttest.importers.mlir.execution import EndlessLoopError, ExecutedOperations, Execution
from sttest.importers.mlir.host_sequence import HostSequence
from sttest.importers.mlir.kernel_cycles import KernelCycles
from sttest.importers.mlir.object_fifo_depths import with_depths
from sttest.importers.mlir.object_fifos import ObjectFifo, Pools, Tile, filled, object_fifos, pools_of, tiles_of
from sttest.importers.mlir.op_lines import op_places
from sttest.importers.mlir.scripts import MAX_ACCESSES, Script, graph_of, too_many_accesses
from sttest.importers.mlir.text import MAX_MLIR_BYTES, block_of, name_of, operations_called, read_mlir, symbol, whole
from sttest.importers.places import Access, DesignPlaces, Place
from sttest.sim import TimedGraph

CLOCK_MHZ = 1000.0
"""assumed: arrays run at 1.0 to 1.8 GHz, which the text does not say; cycles do not depend on it."""
ROUNDS = 8
"""Of the first core, where nothing that ends says how often cores run."""
GENERIC_BY = "aie-opt --mlir-print-op-generic FILE"
_ACQUIRE, _RELEASE = "aie.objectfifo.acquire", "aie.objectfifo.release"
_IN_CORES = ("aie.objectfifo.subview.access", "aie.end")


def read_aie(
    source: Path, *, cycles: Sequence[str] = (), frames: int = ROUNDS, top: str = "", notes: list[str] | None = None
) -> TimedGraph:
    """The design in a file.

    Args:
        source: MLIR, before object FIFOs are lowered; printed or generic.
        cycles: what a call of a kernel takes, as in ``matmul=1200``.
        frames: rounds of cores without end, where neither the host's sequence nor another core says how many.
        top: name of the device or of the runtime sequence, where there are several.
        notes: sentences on what was assumed are added.

    Raises:
        InputError: not such a file, or something in it is not modeled.
    """
    where = place_of(source)
    module = read_mlir(source, AIE_FORMS, GENERIC_BY)
    device = _only(operations_called(module, ("aie.device",)), "aie.device", top, where)
    kernels = KernelCycles(cycles, where)
    said: list[str] = []
    graph = _Design(device, where, kernels, top, said).graph(_graph_name(device, source), frames)
    if notes is not None:
        notes += [*said, *kernels.notes()]
    return graph


def places(source: Path, *, cycles: Sequence[str] = (), frames: int = ROUNDS, top: str = "") -> DesignPlaces:
    """Where object FIFOs are stated, cores begin, and objects are acquired and released; arguments as of ``read_aie``.

    Raises:
        InputError: as :func:`read_aie`.
    """
    where = place_of(source)
    module = read_mlir(source, AIE_FORMS, GENERIC_BY)
    device = _only(operations_called(module, ("aie.device",)), "aie.device", top, where)
    lines = op_places(module, source, ("aie.objectfifo", "aie.core", _ACQUIRE, _RELEASE))
    design = _Design(device, where, KernelCycles(cycles, where), top, [])
    names = [fifo.name for fifo in design.graph(_graph_name(device, source), frames).fifos]
    stated = {symbol(op, "sym_name"): lines[op] for op in operations_called(device, ("aie.objectfifo",)) if op in lines}
    cores = {design.tile_of(core).name: core for core in design.cores if core in lines}
    accesses: dict[Access, Place] = {}
    for name, core in cores.items():
        for op in operations_called(core, (_ACQUIRE, _RELEASE)):
            held, does = symbol(op, "objFifo_name"), "write" if whole(op, "port") == 0 else "read"
            is_filled = (does == "write") != (name_of(op) == _ACQUIRE)
            for fifo in names:
                if fifo.partition(".")[0] == held and (fifo == filled(fifo.removesuffix(".filled"))) == is_filled:
                    accesses.setdefault((name, does, fifo), lines[op])
    return DesignPlaces(
        fifos={fifo: stated[fifo.partition(".")[0]] for fifo in names if fifo.partition(".")[0] in stated},
        processes={
            **{f"dma {name}": place for name, place in stated.items()},
            **{n: lines[c] for n, c in cores.items()},
        },
        accesses=accesses,
    )


def write_depths(graph: TimedGraph, source: Path, out: Path) -> None:
    """Writes the text at ``source`` with the depths of a graph that was read from it.

    Raises:
        InputError: the graph is not of that design, or a depth cannot be stated.
    """
    where = place_of(source)
    module = read_mlir(source, AIE_FORMS, GENERIC_BY)
    wanted = {fifo.name: fifo.depth for fifo in graph.fifos}
    text = read_text(source, most_bytes=MAX_MLIR_BYTES)
    for device in operations_called(module, ("aie.device",)):
        pools = _Design(device, where, KernelCycles((), where), "", []).pools()
        now = {fifo.name: fifo.depth for fifo in pools.places}
        if set(now) <= set(wanted):
            write_text(out, with_depths(text, pools.fifos, now, wanted))
            return
    hints = ["import the file again"]
    raise InputError("other-design", "the graph was not read from this file", where=where, hints=hints)


def _only(found: Sequence[Operation], what: str, top: str, where: str) -> Operation:
    """The one operation, or of several that of a name."""
    named = {symbol(op, "sym_name"): op for op in found}
    if len(found) > 1 and top in named:
        return named[top]
    if len(found) != 1:
        hints = (
            [f"choose one with --top: {', '.join(sorted(filter(None, named)))}"] if found else [did_you_mean("", ())]
        )
        told = f"{len(found)} operations {what}, not one"
        raise InputError("no-design", told, where=where, hints=hints if found else ["name a file of mlir-aie"])
    return found[0]


def _graph_name(device: Operation, source: Path) -> str:
    return re.sub(r"[^\w.-]", "_", source.stem) or "aie"


@dataclass
class _Design:
    """One device."""

    device: Operation
    where: str
    kernels: KernelCycles
    top: str
    notes: list[str]
    acquired: dict[tuple[str, str], int] = field(default_factory=dict[tuple[str, str], int])

    def __post_init__(self) -> None:
        self.calls = Calls(self.device, _is_access, self.where)
        self.work = ExecutedOperations()

    def graph(self, name: str, frames: int) -> TimedGraph:
        """The timed graph."""
        pools = self.pools()
        fifos = pools.fifos
        self.notes += pools.notes
        scripts = [self._core(core, self.tile_of(core).name, pools) for core in self.cores]
        scripts = [script for script in scripts if script.steps]
        places = [*pools.places]
        host = self._host(fifos)
        steps = 0
        for fifo in fifos.values():
            if not fifo.shared:
                scripts.append(_channel(fifo, host))
                steps += len(scripts[-1].steps)
                if steps > MAX_ACCESSES:
                    raise too_many_accesses(self.where)
        if host is not None:
            places += host.finish()
            scripts.append(host.script)
            self.notes += host.notes
        _check_ends(fifos, scripts, self.where)
        self._say_rounds(scripts, host, frames)
        return graph_of(name, CLOCK_MHZ, places, scripts, frames, where=self.where)

    @property
    def cores(self) -> list[Operation]:
        """Its cores."""
        return operations_called(self.device, ("aie.core",))

    @property
    def tiles(self) -> dict[SSAValue, Tile]:
        """Its tiles."""
        return tiles_of(self.device)

    def tile_of(self, core: Operation) -> Tile:
        """Where a core is."""
        tile = self.tiles.get(core.operands[0]) if core.operands else None
        if tile is None:
            raise InputError("unknown-tile", "the tile of a core is not known", where=self.where)
        return tile

    def pools(self) -> Pools:
        """The pools of its object FIFOs."""
        tiles = self.tiles
        fifos = object_fifos(self.device, tiles)
        if not fifos:
            hints = ["import the text before --aie-objectfifo-stateful-transform"]
            raise InputError("no-object-fifos", "it has no object FIFOs", where=self.where, hints=hints)
        for core in self.cores:
            for op in operations_called(core, (_ACQUIRE,)):
                key = symbol(op, "objFifo_name"), self.tile_of(core).name
                self.acquired[key] = max(self.acquired.get(key, 0), _objects(op))
        return pools_of(self.device, fifos, self.acquired)

    def _say_rounds(self, scripts: Sequence[Script], host: HostSequence | None, frames: int) -> None:
        if host is None and all(script.endless_from is not None for script in scripts):
            first = scripts[0].name
            self.notes.append(
                f"nothing bounds the cores: {first} runs {frames} rounds (--frames), the others what fits"
            )

    def _host(self, fifos: Mapping[str, ObjectFifo]) -> HostSequence | None:
        found = operations_called(self.device, ("aie.runtime_sequence", "aiex.runtime_sequence"))
        if not found:
            self.notes.append("no runtime sequence: the host's memory always has objects and takes them")
            return None
        host = HostSequence(fifos, f"{self.where}: runtime sequence")
        host.read(_only(found, "aie.runtime_sequence", self.top, self.where))
        return host

    def _core(self, core: Operation, tile: str, pools: Pools) -> Script:
        """What a core does."""
        script = Script(tile, f"aie.core {tile}")
        place = f"{self.where}: {tile}"
        reader = _CoreReader(tile, place, script, pools, self.kernels, self.calls)
        block = block_of(core, place)
        run = Execution(
            place, reader.access, reader.counts, lambda: len(script.steps), self.calls.moves_in, self.work,
            held=lambda: frozenset((+reader.held).items()),
        )  # fmt: skip
        try:
            run.run(block)
        except EndlessLoopError as endless:
            script.endless_from = endless.first
        self.notes += [f"{tile}: calls whose number is not known count once: {why}" for why in sorted(run.guessed)]
        return script


def _is_access(op: Operation) -> bool:
    return name_of(op) in (_ACQUIRE, _RELEASE)


def _objects(op: Operation) -> int:
    """How many objects are acquired; newer text has a result for each."""
    size = whole(op, "size")
    return len(op.results) if size is None else size


@dataclass
class _CoreReader:
    """Notes what a core acquires, releases and calls."""

    tile: str
    where: str
    script: Script
    pools: Pools
    kernels: KernelCycles
    calls: Calls
    held: Counter[str] = field(default_factory=Counter[str])

    def counts(self, op: Operation) -> bool:
        """Whether an operation takes part in what a core does."""
        return _is_access(op) or isinstance(op, func.CallOp)

    def access(self, run: Execution, op: Operation) -> bool:
        """Notes an operation, if it takes part."""
        name = name_of(op)
        if name == _ACQUIRE:
            self._acquire(op)
        elif name == _RELEASE:
            self._release(op)
        elif isinstance(op, func.CallOp):
            self._call(run, op)
        elif name.startswith(("aie.", "aiex.")) and name not in _IN_CORES:
            hints = ["import the text before object FIFOs are lowered"]
            raise InputError("not-modeled", f"'{name}' in a core is not modeled", where=self.where, hints=hints)
        else:
            return False
        return True

    def _acquire(self, op: Operation) -> None:
        pool, produces = self._pool(op)
        new = max(0, _objects(op) - self.held[pool])
        self.held[pool] += new
        if produces:
            self.script.put(pool, new)
        else:
            self.script.take(filled(pool), new)

    def _release(self, op: Operation) -> None:
        pool, produces = self._pool(op)
        count = whole(op, "size")
        if count is None or count < 0:
            what = f"a release of @{symbol(op, 'objFifo_name')} does not say how many objects it releases"
            hints = ["say how many, as in @of(Consume, 1)"]
            raise InputError("unknown-size", what, where=self.where, hints=hints)
        if count > self.held[pool]:
            what = f"it releases {count} objects of {pool} and holds {self.held[pool]}"
            raise InputError("not-held", what, where=self.where, hints=["acquire them first"])
        self.held[pool] -= count
        if produces:
            self.script.put(filled(pool), count)
        else:
            self.script.take(pool, count)

    def _pool(self, op: Operation) -> tuple[str, bool]:
        """The pool that an access is of, and whether it produces."""
        name = symbol(op, "objFifo_name")
        fifo = self.pools.fifos.get(name)
        if fifo is None:
            hints = [did_you_mean(name, self.pools.fifos)]
            raise InputError("unknown-name", f"no object FIFO @{name:.80}", where=self.where, hints=hints)
        if whole(op, "port") == 0:
            if fifo.producer.name != self.tile or not fifo.source:
                raise InputError("wrong-end", f"it is not the producer of @{name}", where=self.where)
            return fifo.source[0].pool, True
        names = [tile.name for tile in fifo.consumers]
        slices = fifo.targets[names.index(self.tile)] if self.tile in names else None
        if not slices:
            raise InputError("wrong-end", f"it is no consumer of @{name}", where=self.where)
        return slices[0].pool, False

    def _call(self, run: Execution, op: func.CallOp) -> None:
        found = self.calls.called(op)
        if found is None or not self.calls.moves(found):
            self.script.spend(self.kernels.of(callee(op)))
            return
        block = block_of(found, f"{self.where}: @{symbol(found, 'sym_name')}")
        for argument, given in zip(block.args, op.operands, strict=False):
            run.values[argument] = run.value(given)
        with self.calls.inside(found):
            run.run(block)


def _channel(fifo: ObjectFifo, host: HostSequence | None) -> Script:
    """What the DMA channels of an object FIFO do."""
    channel = ObjectFifoDma(fifo)
    if host is not None and "shim" in (tile.kind for tile in fifo.tiles):
        host.drive(channel)
    else:
        channel.for_ever()
    return channel.script


def _check_ends(fifos: Mapping[str, ObjectFifo], scripts: Sequence[Script], where: str) -> None:
    """Refuses an object FIFO with an end where nobody produces, or nobody consumes."""
    done = {(step.fifo, step.writes) for script in scripts for step in script.steps}
    for fifo in fifos.values():
        ends = [
            (fifo.source, fifo.producer, True),
            *((end, tile, False) for end, tile in zip(fifo.targets, fifo.consumers, strict=False)),
        ]
        for slices, tile, produces in ends:
            for part in slices or ():
                if (filled(part.pool), produces) not in done:
                    what = f"nobody {'puts objects into' if produces else 'takes objects out of'} it on {tile.name}"
                    hints = ["leave it out, or let a core there acquire and release"]
                    raise InputError("open-end", what, where=f"{where}: @{fifo.name}", hints=hints)
