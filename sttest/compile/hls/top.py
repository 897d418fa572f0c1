"""The kernel's top function: interfaces, streams, and one call per process."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sttest.boards.board import FpgaBoard
from sttest.boards.operators import operators
from sttest.compile.channels.memory_ports import bank_number
from sttest.compile.dialects import df
from sttest.compile.hls.network import KernelScope, PortMemory, RelayChain
from sttest.compile.hls.process import Process
from sttest.compile.hls.tree import CppCallOp, CppCalls, definition
from sttest.compile.hls.types import bind_memory
from sttest.compile.hls.writer import CodeWriter, literal
from sttest.compile.ir.module_walk import all_of
from sttest.compile.schedule.storage import buffer_name
from sttest.compile.schedule.task_schedule import TaskSchedule, task_schedule
from sttest.sim.graph import MemoryPort, Pipeline, TimedGraph

# --- What emitted C++ asks the tool for: intervals, kinds of FIFOs, memory ports


@dataclass(frozen=True)
class PortTiming:
    """Facts of a timed kernel, by the names of its design."""

    schedules: Mapping[str, TaskSchedule]  # schedule of each task
    passes: Mapping[str, int]  # number of times that each task's pipeline is entered; it drains after each
    fifo_kinds: Mapping[str, str]  # ``srl`` or ``ram`` per FIFO
    channels: Mapping[str, int]  # bank per DMA
    outstanding: int = 16  # bursts in flight per port
    burst_bytes: int = 4096  # bytes of the longest burst
    memory_kinds: Mapping[str, str] = field(default_factory=dict)  # kinds of FIFOs, blocks and arrays, by memory's name
    relays: Mapping[str, RelayChain] = field(default_factory=dict)  # chains of relays by FIFO, where it crosses SLRs

    @staticmethod
    def of(
        kernel: df.KernelOp,
        graph: TimedGraph,
        board: FpgaBoard,
        passes: Mapping[str, int] | None = None,
        memory_kinds: Mapping[str, str] | None = None,
        relays: Mapping[str, RelayChain] | None = None,
    ) -> "PortTiming":
        """The facts of a kernel and of the timed graph that was made from it for a board.

        Args:
            kernel: kernel at the stream level.
            graph: its timed graph.
            board: the board that the design is for.
            passes: times that each task's pipeline is entered, where tasks share engines.
            memory_kinds: kind of each memory, by its name among the design's memories.
            relays: relays by FIFO, where it crosses SLRs; the graph has them.
        """
        pipelines = [each for each in graph.processes if isinstance(each, Pipeline) and each.loops]
        ports = [each for each in graph.processes if isinstance(each, MemoryPort)]
        library = operators(board)
        return PortTiming(
            {task.sym_name.data: task_schedule(task, library) for task in all_of(kernel, df.TaskOp)},
            passes or {each.name: each.repeat for each in pipelines},
            {fifo.name: fifo.kind for fifo in graph.fifos},
            {each.name: bank_number(board, each.channels[0]) for each in ports},
            board.feed.outstanding,
            board.feed.burst_bytes,
            memory_kinds or {},
            relays or {},
        )


COMPILERS = """\
// Compilers other than the tool's know neither its directives nor who reads the labels of loops.  (GCC before 13
// needs -Wno-unknown-pragmas on the command line as well.)
#if defined(__GNUC__) && !defined(__SYNTHESIS__)
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#pragma GCC diagnostic ignored "-Wunused-label"
#endif
"""

CALL_MACRO = """\
// How the top function calls a process.  The tool sees plain calls; a simulation on bounded FIFOs may define another.
#ifndef STTEST_PROCESS
#define STTEST_PROCESS(function, ...) function(__VA_ARGS__)
#endif
"""


FIFO_MACRO = """\
// Name and depth of FIFOs for the words of one token, which the tool has from directives.
#ifndef STTEST_FIFO
#define STTEST_FIFO(fifos, name, depth)
#endif
"""


def emit_top(network: KernelScope, timing: PortTiming) -> list[str]:
    """The lines of the top function.

    Args:
        network: names and order of everything.
        timing: timing, which says how FIFOs and ports are built.
    """
    code, memories = CodeWriter(), list(network.memories.values())
    for memory in memories:
        # What shares a bundle must have the same options, or the tool takes none of them (UG1448, 200-466).
        _interface(code, memory, [other for other in memories if other.bundle == memory.bundle], timing)
    code.pragma("interface mode=s_axilite port=return bundle=control")
    code.pragma("dataflow")
    _declare_streams(code, network, timing)
    _declare_blocks(code, network, timing)
    processes = [process for node in network.nodes for process in _called(network, node)]
    code.add(CppCalls(tuple(CppCallOp("STTEST_PROCESS", (each.name, *each.arguments)) for each in processes)))
    return definition(f'extern "C" void {network.name}', [memory.parameter for memory in memories], code.body)


def _interface(code: CodeWriter, memory: PortMemory, behind: Sequence[PortMemory], timing: PortTiming) -> None:
    """Directives of an argument, by what is ``behind`` its port.

    A port asks ahead for no more than there is in a layer, since it keeps room for all that it asks for.
    """
    most_words = max(other.words for other in behind)
    # A channel has a load or store unit of its own: none waits for data that another has not taken.
    channel = "" if memory.channel is None else f"channel={memory.channel} "
    reading = [other for other in behind if not other.writes]
    writing = [other for other in behind if other.writes or other.takes_entries]
    sides = ("read", reading), ("write", writing)
    directions = [_asked_ahead(kind, others, timing) for kind, others in sides if others]
    code.pragma(
        f"interface mode=m_axi port={memory.name} bundle={memory.bundle} {channel}offset=slave depth={most_words} "
        f"max_widen_bitwidth={memory.word_bits} {' '.join(directions)}"
    )


def _asked_ahead(kind: str, behind: Sequence[PortMemory], timing: PortTiming) -> str:
    """What a port asks for ahead in one direction; of a cache's entries that are single words."""
    words = (1 if kind == "write" and not other.writes else other.words_per_layer for other in behind)
    asked, full_burst = max(words), timing.burst_bytes // behind[0].word_bytes
    burst_words, bursts = min(full_burst, asked), -(-asked // full_burst)
    return f"num_{kind}_outstanding={min(timing.outstanding, bursts)} max_{kind}_burst_length={burst_words}"


def _declare_streams(code: CodeWriter, network: KernelScope, timing: PortTiming) -> None:
    for stream in network.fifos:
        if stream.token.words > 1:
            named = f"STTEST_FIFO({stream.name}, {literal(stream.fifo)}, {stream.depth});"
            code.line(f"hls::stream<{stream.token.c_type}> {stream.name}[{stream.token.words}]; {named}")
            code.pragma(f"stream variable={stream.name} depth={stream.depth}")
        else:
            code.line(f"hls::stream<{stream.token.c_type}, {stream.depth}> {stream.name}({literal(stream.fifo)});")
        impl = _fifo_kind(stream.fifo, timing)
        code.pragma(f"bind_storage variable={stream.name} type=fifo impl={impl}")


def _fifo_kind(fifo: str, timing: PortTiming) -> str:
    """A FIFO of few words is one of shift registers to the tool, also where registers would do."""
    kind = timing.memory_kinds.get(fifo, "memory")
    return "srl" if timing.fifo_kinds[fifo] == "srl" else kind


def _declare_blocks(code: CodeWriter, network: KernelScope, timing: PortTiming) -> None:
    """Ping-pong buffers."""
    for converter, facts in network.conversions.items():
        variable = network.blocks(converter)
        code.variable(f"hls::stream_of_blocks<{facts.c_type}, 2>", variable)
        facts.buffer.renamed(variable).partition(code, facts.block.at_once, facts.block.word)
        bind_memory(code, variable, timing.memory_kinds.get(buffer_name(converter), ""))


def _called(network: KernelScope, node: df.NodeOp) -> list[Process]:
    """The processes of a node, and the relays that its tokens go through next."""
    processes = network.processes(node)
    return [*processes, *(relay.process for relay in network.relays_behind(node))] if processes else []
