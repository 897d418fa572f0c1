"""The runtime sequence of mlir-aie: which transfers the host starts on which object FIFO, and what it waits for.

A transfer is a task in the queue of its channel, which holds four besides the one that runs.  Here a push waits for
room, as it does where mlir-aie polls for it (``--enforce-queue-depth``, the default since September 2026); without
that the hardware drops the task, and whoever needs it waits for ever (mlir-aie's pull request 3734).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from sttest.core.errors import InputError
from sttest.importers.mlir.aie_forms import DYNAMIC
from sttest.importers.mlir.dma_streams import ObjectFifoDma
from sttest.importers.mlir.execution import EndlessLoopError, Execution
from sttest.importers.mlir.object_fifos import ObjectFifo
from sttest.importers.mlir.scripts import Script
from sttest.importers.mlir.text import bits_of, block_of, name_of, operand_of, result_of, stated, symbol, whole, wholes
from sttest.sim import Fifo
from sttest.sim.graph import MAX_DEPTH

TASK_QUEUE = 4
"""Tasks that the queue of a shim DMA channel holds besides the one that runs."""
_SILENT = (
    "aiex.dma_free_task", "aiex.npu.rtp_write", "aiex.npu.write32", "aiex.npu.maskwrite32", "aiex.npu.load_pdi",
    "aie.end",
)  # fmt: skip


@dataclass(frozen=True)
class HostTransfer:
    """A transfer: bits to or from an object FIFO, and whether its end can be waited for."""

    fifo: str
    bits: int
    tells: bool


@dataclass
class HostSequence:
    """What a runtime sequence does."""

    fifos: Mapping[str, ObjectFifo]
    where: str
    script: Script = field(default_factory=lambda: Script("host", "runtime sequence", "host"))
    started: dict[str, list[HostTransfer]] = field(default_factory=dict[str, list[HostTransfer]])
    awaited: Counter[str] = field(default_factory=Counter[str])
    notes: list[str] = field(default_factory=list[str])
    _configured: dict[SSAValue, HostTransfer] = field(default_factory=dict[SSAValue, HostTransfer])
    _open: dict[str, list[bool]] = field(default_factory=dict[str, list[bool]])  # tasks not known to have ended
    _most: Counter[str] = field(default_factory=Counter[str])

    def read(self, sequence: Operation) -> None:
        """Follows a sequence.

        Raises:
            InputError: what it does is not known before it runs, or no object FIFO can take part in it.
        """
        run = Execution(self.where, self._access, _counts, lambda: len(self.script.steps), _counts)
        try:
            run.run(block_of(sequence, self.where))
        except EndlessLoopError:
            raise InputError("endless-host", "the host's sequence has no end", where=self.where) from None
        for name, most in self._most.items():
            if most > TASK_QUEUE:
                self.notes.append(
                    f"@{name}: {most} tasks are started before one is awaited, and its channel's queue holds "
                    f"{TASK_QUEUE}: here a push waits; without mlir-aie's polling it is dropped, and the design hangs"
                )

    def _access(self, run: Execution, op: Operation) -> bool:
        name = name_of(op)
        if name == "aiex.npu.dma_memcpy_nd":
            self._start(self._copied(run, op))
        elif name == "aiex.dma_configure_task_for":
            self._configured[result_of(op, self.where)] = self._task(run, op)
        elif name in ("aiex.dma_start_task", "aiex.dma_await_task"):
            task = self._configured.get(operand_of(op, self.where))
            if task is None:
                raise InputError("unknown-task", f"{name} names a task that is not known", where=self.where)
            self._start(task) if name == "aiex.dma_start_task" else self._await(task.fifo)
        elif name == "aiex.npu.dma_wait":
            self._await(self._of(symbol(op, "symbol")).name)
        elif name.startswith(("aiex.", "aie.")) and name not in _SILENT:
            hints = ["import the text before its runtime sequence is lowered"]
            raise InputError("not-modeled", f"'{name}' is not modeled", where=self.where, hints=hints)
        else:
            return name.startswith(("aiex.", "aie."))
        return True

    def _of(self, name: str) -> ObjectFifo:
        if name not in self.fifos:
            hints = ["only transfers of object FIFOs are read"]
            raise InputError("unknown-name", f"a transfer names @{name:.80}", where=self.where, hints=hints)
        return self.fifos[name]

    def _copied(self, run: Execution, op: Operation) -> HostTransfer:
        fifo = self._of(symbol(op, "metadata"))
        sizes = list(wholes(stated(op, "static_sizes")) or ())
        segments = wholes(stated(op, "operandSegmentSizes")) or (1, 0, 0, 0)
        first = 1 + segments[1]
        operands = iter(op.operands[first : first + segments[2]])
        bits = _element_bits(str(operand_of(op, self.where).type))
        for size in sizes:
            operand = next(operands, None) if size == DYNAMIC else None
            known = size if size != DYNAMIC else None if operand is None else run.value(operand)
            if known is None or known < 0:
                raise InputError("unknown-size", f"a transfer of @{fifo.name} has no known size", where=self.where)
            bits *= known
        return self._checked(HostTransfer(fifo.name, bits, _is_output(fifo) or _is_set(op, "issue_token")))

    def _task(self, run: Execution, op: Operation) -> HostTransfer:
        fifo = self._of(symbol(op, "alloc"))
        bits = 0
        for descriptor in op.walk():
            if name_of(descriptor) != "aie.dma_bd":
                continue
            bits += self._described(run, descriptor, fifo)
        bits *= 1 + max(0, whole(op, "repeat_count") or 0)
        return self._checked(HostTransfer(fifo.name, bits, _is_set(op, "issue_token")))

    def _described(self, run: Execution, descriptor: Operation, fifo: ObjectFifo) -> int:
        """Bits that a descriptor moves."""
        memory, operands = symbol(descriptor, "memory_type"), list(descriptor.operands)
        if not memory and operands:
            memory = str(operands.pop(0).type)
        if not memory.startswith("memref<"):
            what = f"a transfer of @{fifo.name} does not say which memory it moves, a memref"
            raise InputError("unknown-size", what, where=self.where, hints=["write aie.dma_bd(%x : memref<...>, ...)"])
        length = whole(descriptor, "len")
        if length is None:
            all_of_it = bits_of(memory) // max(1, _element_bits(memory))
            length = run.value(operands[-1]) if operands else all_of_it
        if length is None or length < 0:
            raise InputError("unknown-size", f"a transfer of @{fifo.name} has no known length", where=self.where)
        return length * _element_bits(memory)

    def _checked(self, task: HostTransfer) -> HostTransfer:
        """A task that moves whole objects.

        Raises:
            InputError: it ends inside an object, for the rest of which somebody would wait for ever.
        """
        fifo = self.fifos[task.fifo]
        unit = fifo.consumer_bits if _is_output(fifo) else fifo.bits
        if task.bits % unit or not task.bits:
            sizes = f"a transfer of {task.bits / 8:,.10g} bytes ends inside an object of {unit / 8:,.10g}"
            raise InputError(
                "part-of-object",
                f"{sizes}, whose rest never comes",
                where=f"@{task.fifo}",
                hints=["move whole objects"],
            )
        return task

    def _start(self, task: HostTransfer) -> None:
        self.started.setdefault(task.fifo, []).append(task)
        self.script.put(tasks(task.fifo))
        still = self._open.setdefault(task.fifo, [])
        still.append(task.tells)
        self._most[task.fifo] = max(self._most[task.fifo], len(still))

    def _await(self, fifo: str) -> None:
        self.awaited[fifo] += 1
        self.script.take(done(fifo))
        still = self._open.get(fifo, [])
        if True in still:
            del still[: still.index(True) + 1]

    def finish(self) -> list[Fifo]:
        """The FIFOs between the host and the channels; starts once all is over what the sequence never starts.

        Raises:
            InputError: it waits for something that nobody tells.
        """
        found: list[Fifo] = []
        for name, fifo in self.fifos.items():
            if "shim" not in (tile.kind for tile in fifo.tiles):
                continue
            if name not in self.started:
                self.script.put(tasks(name))
                self.notes.append(f"no transfer of @{name} is started: it is taken to come after the sequence's end")
            found.append(Fifo(tasks(name), TASK_QUEUE, 1, "srl", origin=f"@{name}"))
        for name, count in self.awaited.items():
            if not any(task.tells for task in self.started.get(name, ())):
                what = f"the sequence waits {count} times for @{name}, none of whose tasks tells its end"
                raise InputError("nobody-tells", what, where=self.where, hints=["set issue_token = true"])
            found.append(Fifo(done(name), MAX_DEPTH, 1, "srl", origin=f"@{name}"))
        return found

    def drive(self, channel: ObjectFifoDma) -> None:
        """What a channel at the host's memory does: task by task."""
        name = channel.fifo.name
        for task in self.started.get(name, ()):
            channel.script.take(tasks(name))
            channel.move(task.bits)
            if task.tells and self.awaited[name]:
                channel.script.put(done(name))
        if name not in self.started:
            channel.script.take(tasks(name))
            channel.for_ever()


def tasks(fifo: str) -> str:
    """The queue of tasks of a channel."""
    return f"{fifo}.tasks"


def done(fifo: str) -> str:
    """The tokens that say that tasks have ended."""
    return f"{fifo}.done"


def _counts(op: Operation) -> bool:
    return name_of(op).startswith(("aiex.", "aie."))


def _is_output(fifo: ObjectFifo) -> bool:
    return fifo.producer.kind != "shim"


def _is_set(op: Operation, name: str) -> bool:
    found = stated(op, name)
    return isinstance(found, IntegerAttr) and bool(found.value.data)


def _element_bits(memory: str) -> int:
    """Bits of an element of a memref type."""
    return bits_of("memref<" + memory.split("x")[-1].split(",")[0].split("<")[-1].strip(">") + ">")
