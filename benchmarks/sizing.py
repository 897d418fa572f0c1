"""What the depths of `size-fifos` cost in time, over widths of memory ports and speeds of memory.

    python -m benchmarks.sizing [MODEL-PHASE ...]

Beside the design's own cycles stand those with endless FIFOs wherever data that depends on the block's input goes, and
those with all FIFOs endless.  The last reads parameters and caches ahead from the first cycle on, into on-chip memory
that no board has: what is lost against it is not a matter of depths that keep a pace, but of ``--prefetch-kib``.
"""

import argparse
from collections.abc import Iterator

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, quantities, require_hbm
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.core.tables import print_table
from sttest.frontend.shipped import lowered_text
from sttest.sim import TimedGraph, simulate
from sttest.sim.graph import fifo_ends
from sttest.studies.whatif.settings import changed_board
from sttest.studies.whatif.study import Value

BLOCKS = ("gpt2-decode", "qwen-decode", "llama-decode", "gemma-decode", "gpt2-prefill")
BEAT_BITS = (512, 256, 128)
SPEEDS = (1.0, 0.5, 0.25)
ENDLESS = 1 << 20
PREFETCH_KIB = 4096
_SPEED = "memory.hbm.sustained_gb_per_s_per_channel"


def downstream(graph: TimedGraph, source: str) -> set[str]:
    """FIFOs that what the process ``source`` writes can reach."""
    ends = fifo_ends(graph)
    reached = {[process.name for process in graph.processes].index(source)}
    while more := {reader for writer, reader in ends if writer in reached} - reached:
        reached |= more
    return {fifo.name for fifo, (writer, _) in zip(graph.fifos, ends, strict=True) if writer in reached}


def slowed(board: FpgaBoard, speed: float) -> FpgaBoard:
    """The board with memory of this share of its speed."""
    rate = next(each.value for path, each in quantities(board) if path == _SPEED)
    return changed_board(board, {f"board.{_SPEED}": Value(value=rate * speed)})


def rows(blocks: list[str]) -> Iterator[tuple[str, ...]]:
    """A row per block, width and speed."""
    board = require_hbm(load_board("u55c"))
    for block in blocks:
        model, _, phase = block.rpartition("-")
        text = lowered_text(model, phase, small=False)
        for bits in BEAT_BITS:
            for speed in SPEEDS:
                yield block, str(bits), f"{speed:g}", *_measured(text, slowed(board, speed), bits)


def _measured(text: str, board: FpgaBoard, bits: int) -> tuple[str, ...]:
    options = CompileOptions(beat_bits=bits)
    graph = compile_text(text, "block", board, options).graph
    data = _cycles(graph.with_depths(dict.fromkeys(downstream(graph, "load_x"), ENDLESS)))
    ahead = compile_text(text, "block", board, options.with_(prefetch_kib=PREFETCH_KIB)).graph
    cycles = _cycles(graph), data, _cycles(ahead), _cycles(graph.with_all_depths(ENDLESS))
    return *(f"{each:,}" for each in cycles), f"{cycles[0] / data - 1:.1%}"


def _cycles(graph: TimedGraph) -> int:
    found = simulate(graph).cycles
    assert found is not None
    return found


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blocks", nargs="*", default=[*BLOCKS], metavar="MODEL-PHASE")
    print_table(
        ("block", "bits", "speed", "cycles", "data endless", f"prefetch {PREFETCH_KIB} KiB", "all endless", "lost"),
        [*rows(parser.parse_args().blocks)],
        title="cycles of a launch by depths of FIFOs",
    )


if __name__ == "__main__":
    main()
