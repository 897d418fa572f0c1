"""Runs a solution's bitcode on the inputs of its co-simulation, in a process of its own.

The bitcode is foreign code: the child that executes it has a limit of memory and of time, ends with its parent, may
call nothing but what is in the bitcode and some functions of the mathematical library, and tells by its exit code why
it ended.  That keeps accidents away, not malice: it is no sandbox.
"""

import ctypes
import json
import mmap
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import defaultdict, deque
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from sttest.core.children import python_command
from sttest.core.errors import InputError, PassingError
from sttest.core.files import place_of
from sttest.core.limits import lower_limit
from sttest.importers.solution.folder import Solution, first_values, vector_files
from sttest.importers.solution.intrinsics import SLOT_BYTES, storage_bytes
from sttest.importers.solution.program import FirstTransaction, PortCheck, TopPort, read_run, write_run

__depends__ = ("sttest/importers/solution/*.py",)

MOST_SECONDS = 120
"""Of processor time of a run; twice as much may pass."""
MOST_BYTES = 12 << 30
"""Of address space, most of which is never touched."""
MOST_ENTRIES = 50_000_000
"""Of a trace: blocks entered and FIFOs accessed."""
_MEMORY_BYTES, _ALL_MEMORY_BYTES = 1 << 26, 1 << 32
"""Behind a pointer of the top, and behind all of them."""
_ZEROS, _MARK = bytes(64), b"\1"
"""Tokens of a stream that has no vectors; a mark, as of the last token of a packet, is set: loops wait for one."""
_REFUSED, _FULL, _EMPTY = 40, 41, 42
"""Exit codes: the text on standard error says why; the trace is too long; a FIFO was read before it was written."""


def execute(
    solution: Solution, *, most_seconds: int = MOST_SECONDS, most_entries: int = MOST_ENTRIES
) -> FirstTransaction:
    """What the design does with the inputs of its first transaction.

    Args:
        solution: what is run.
        most_seconds: of processor time.
        most_entries: of the trace.

    Raises:
        InputError: the bitcode cannot be executed, crashes, or takes too long.
        PassingError: it was killed, as where the machine runs out of memory.
    """
    where = place_of(solution.bitcode)
    if not solution.bitcode.is_file() or not solution.bitcode.stat().st_size:
        hints = ["keep .autopilot/db when the solution is archived", "synthesize it again"]
        raise InputError("no-bitcode", "no bitcode is there", where=where, hints=hints)
    with tempfile.TemporaryDirectory(prefix="sttest-solution-") as folder:
        request = {"root": str(solution.root), "top": solution.top, "bitcode": str(solution.bitcode)}
        arguments = ["-m", __name__, json.dumps(request), folder, str(most_seconds), str(most_entries)]
        try:
            done = subprocess.run(
                python_command(arguments, ends_with_us=True), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, timeout=2 * most_seconds, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise _stopped(where, most_seconds) from error
        _check(done.returncode, done.stderr.decode("utf-8", "replace"), where, most_seconds, most_entries)
        return read_run(Path(folder))


def _stopped(where: str, seconds: int) -> InputError:
    hints = ["co-simulate a smaller transaction"]
    return InputError("run-too-long", f"the bitcode did not end within {seconds} s", where=where, hints=hints)


def _check(code: int, said: str, where: str, seconds: int, entries: int) -> None:
    """Refuses a child that did not end well, with the cause that its exit code tells."""
    if code == 0:
        return
    last = said.strip().splitlines()[-1] if said.strip() else ""
    if code == _REFUSED:
        raise InputError("bitcode-not-read", last, where=where, hints=["import hls reads C++ with reports"])
    if code == _FULL:
        what, hints = "blocks entered and FIFOs accessed", ["co-simulate a smaller transaction"]
        raise InputError("run-too-long", f"more than {entries:,} {what}", where=where, hints=hints)
    if code == _EMPTY:
        hints = ["processes are run one after the other: feedback between them is not read yet"]
        raise InputError("empty-fifo", f"{last} is read before anything is written to it", where=where, hints=hints)
    if code == -signal.SIGXCPU:
        raise _stopped(where, seconds)
    if code == -signal.SIGKILL:  # the limit of time does not get that far
        what, hints = "executing the bitcode was killed", ["the machine may have run out of memory: try again"]
        raise PassingError("run-killed", what, where=where, hints=hints)
    hints = ["co-simulate again, so that there is a vector for each port"]
    ended = f"exit code {code}" if code > 0 else f"signal {-code}"
    told = f" ({last:.160})" if last else ""
    raise InputError("run-crashed", f"executing the bitcode ended with {ended}{told}", where=where, hints=hints)


# --- In the child


class _Queues:
    """Values on their way: from vectors into ports, through FIFOs, and out of ports."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        self.unknown: dict[int, bytes] = {}
        self.inputs: dict[int, deque[bytes]] = {}
        self.inside: defaultdict[int, deque[bytes]] = defaultdict(deque)
        self.outputs: defaultdict[int, list[int]] = defaultdict(list)

    def pop(self, pointer: int | None, into: int, size: int) -> None:
        """The next value, to an address."""
        number = pointer or 0
        if number in self.unknown:
            value = self.unknown[number]
            ctypes.memmove(into, value, min(size, len(value)))
            return
        queue = self.inputs.get(number, self.inside[number])
        if not queue:
            _leave(_EMPTY, f"the stream '{self.names.get(number, 'inside the design')}'")
        value = queue.popleft()
        ctypes.memmove(into, value, min(size, len(value)))

    def push(self, pointer: int | None, at: int, size: int) -> None:
        """A value, from an address."""
        number = pointer or 0
        value = ctypes.string_at(at, size)
        if number in self.names:
            self.outputs[number].append(int.from_bytes(value, "little"))
        else:
            self.inside[number].append(value)


class _Bursts:
    """Requests to memory: the next beat of a port is that of the oldest request there that has any left."""

    def __init__(self, ports: list[TopPort]) -> None:
        self.ports = ports
        self._port_of: dict[int, int] = {}
        self._under_way: defaultdict[tuple[int, int], deque[tuple[int, int]]] = defaultdict(deque)

    def request(self, pointer: int | None, kind: int, beats: int) -> None:
        """Beats from an address on."""
        if beats > 0:
            self._under_way[self._port(pointer or 0), kind].append((pointer or 0, beats))

    def beat(self, pointer: int | None, kind: int, step: int) -> int:
        """The address of the next beat, ``step`` bytes behind the last; the pointer itself where none was requested."""
        under_way = self._under_way[self._port(pointer or 0), kind]
        if not under_way:
            return pointer or 0
        address, left = under_way.popleft()
        if left > 1:
            under_way.appendleft((address + step, left - 1))
        return address

    def _port(self, pointer: int) -> int:
        if pointer not in self._port_of:
            inside = (each.address for each in self.ports if each.address <= pointer < each.address + each.size)
            self._port_of[pointer] = next(inside, pointer)
        return self._port_of[pointer]


def _leave(code: int, text: str) -> NoReturn:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
    os._exit(code)  # an exception could not pass through what LLVM compiled


def main(request: dict[str, str], folder: Path, seconds: int, entries: int) -> None:
    """Executes the bitcode of a request and tells of it in the folder."""
    for kind, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, MOST_BYTES), (resource.RLIMIT_CORE, 0)):
        lower_limit(kind, most)
    import llvmlite.binding as llvm

    from sttest.importers.solution.bitcode import UnreadableError, executable

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        program = executable(Path(request["bitcode"]).read_bytes(), request["top"])
        module = llvm.parse_assembly(program.text)
        module.verify()
    except UnreadableError as error:
        _leave(_REFUSED, str(error))
    except RuntimeError as error:
        _leave(_REFUSED, f"LLVM refuses the bitcode's text: {' '.join(str(error).split()):.300}")
    inputs = {
        name: first_values(path) for name, path in vector_files(Path(request["root"]), request["top"], "in").items()
    }
    outputs = {
        name: first_values(path) for name, path in vector_files(Path(request["root"]), request["top"], "out").items()
    }
    machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
    module.triple, module.data_layout = llvm.get_default_triple(), str(machine.target_data)
    call = _Call(program.parameters, inputs)
    trace = call.run(llvm, module, machine, entries)
    write_run(FirstTransaction(program.code, trace, call.ports, call.checks(outputs), call.missing), folder)


class _Call:
    """A call of the top: its arguments from vectors, its results against those of the co-simulation."""

    def __init__(self, parameters: list[Any], vectors: dict[str, list[int]]) -> None:
        self.parameters = parameters
        self.queues = _Queues()
        self.ports: list[TopPort] = []
        self.bursts = _Bursts(self.ports)
        self.missing: list[str] = []
        self._memories: dict[str, tuple[mmap.mmap, int]] = {}
        self._most_bytes = min(_MEMORY_BYTES, max(1 << 16, _ALL_MEMORY_BYTES // max(1, len(parameters)) >> 12 << 12))
        self._slots = np.zeros((max(1, len(parameters)), SLOT_BYTES), dtype=np.uint8)
        for place, each in enumerate(parameters):
            values = _of_port(each.name, vectors)
            if values is None:
                self.missing.append(each.name)
            if each.type.startswith("ptr"):
                address = self._pointer(each, values or [])
                if values is None:
                    self.queues.unknown[address] = _MARK if each.bits == 1 else _ZEROS
                self._slots[place, :8] = np.frombuffer(address.to_bytes(8, "little"), dtype=np.uint8)
            elif values:
                size = (values[0].bit_length() + 7) // 8
                self._slots[place, :size] = np.frombuffer(values[0].to_bytes(size, "little"), dtype=np.uint8)

    def _pointer(self, parameter: Any, values: list[int]) -> int:
        """The address of memory that has the values, which are also there as a queue."""
        memory = mmap.mmap(-1, self._most_bytes)
        address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        step = storage_bytes(parameter.bits or max((each.bit_length() for each in values), default=32))
        mask = (1 << 8 * step) - 1
        data = b"".join((each & mask).to_bytes(step, "little") for each in values[: self._most_bytes // step])
        memory[: len(data)] = data
        self._memories[parameter.name] = memory, step
        self.ports.append(TopPort(parameter.name, address, self._most_bytes))
        self.queues.names[address] = parameter.name
        self.queues.inputs[address] = deque(
            each.to_bytes((each.bit_length() + 7) // 8 + 64, "little") for each in values
        )
        return address

    def run(self, llvm: Any, module: Any, machine: Any, most: int) -> np.ndarray:
        """The trace, of at most so many entries."""
        full = ctypes.CFUNCTYPE(None)(lambda: _leave(_FULL, "full"))
        three = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
        beat = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        request = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        calls = {
            "full": full, "pop": three(self.queues.pop), "push": three(self.queues.push),
            "request": request(self.bursts.request), "beat": beat(self.bursts.beat),
        }  # fmt: skip
        for name, function in calls.items():
            llvm.add_symbol(f"sttest.{name}", ctypes.cast(function, ctypes.c_void_p).value)
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        memory = mmap.mmap(-1, 8 * most)
        entries = np.frombuffer(memory, dtype=np.int64)
        values = {"entries": entries.ctypes.data, "most": most}
        for name, value in values.items():
            ctypes.c_int64.from_address(engine.get_global_value_address(f"sttest.{name}")).value = value
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.get_function_address("sttest.main"))(self._slots.ctypes.data)
        count = ctypes.c_int64.from_address(engine.get_global_value_address("sttest.count")).value
        return entries[:count].copy()

    def checks(self, vectors: dict[str, list[int]]) -> list[PortCheck]:
        """Of each port with vectors, how many values equal those of the co-simulation."""
        found: list[PortCheck] = []
        for address, name in self.queues.names.items():
            wanted = _of_port(name, vectors)
            if not wanted:
                continue
            memory, step = self._memories[name]
            if address in self.queues.outputs:
                values = self.queues.outputs[address]
            else:
                values = [int.from_bytes(memory[step * i : step * i + step], "little") for i in range(len(wanted))]
            same = sum(ours == theirs for ours, theirs in zip(values, wanted, strict=False))
            found.append(PortCheck(name, same, max(len(wanted), len(values))))
        return found


def _of_port(name: str, vectors: dict[str, list[int]]) -> list[int] | None:
    plain = name.replace(".", "_")
    return next((vectors[each] for each in (name, plain, f"{plain}_V") if each in vectors), None)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
