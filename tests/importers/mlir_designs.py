"""Small designs in MLIR of Allo and mlir-aie around a text that a test gives."""

from collections.abc import Mapping
from pathlib import Path

from sttest.sim import TimedGraph, simulate

STREAM = "!allo.stream<i32, 64>"
PUT, GET = f"allo.stream_put(%s, [], %v) : {STREAM} contains i32", f"%got = allo.stream_get(%s, []) : {STREAM} -> i32"
NUMBERS = "".join(f"  %c{n} = arith.constant {n} : index\n" for n in (0, 1, 2, 3, 5))
FOREVER = "%forever = arith.constant 4294967295 : index\n  scf.for %round = %c0 to %forever step %c1 {\n"
SOURCE = f"""module {{
  func.func private @work()
  func.func private @check() -> i1
  func.func @source(%s: {STREAM}, %m: memref<4xi1>, %n: memref<index>) {{
    %v = arith.constant 7 : i32
    BODY
    return
  }}
  func.func @sink(%s: {STREAM}) {{
  {NUMBERS}
    %times = arith.constant TIMES : index
    scf.for %i = %c0 to %times step %c1 {{
      {GET}
    }}
    return
  }}
  func.func @top(%m: memref<4xi1>, %n: memref<index>) attributes {{dataflow}} {{
    %0 = allo.stream_construct() {{name = "pipe"}} : {STREAM}
    call @source(%0, %m, %n) : ({STREAM}, memref<4xi1>, memref<index>) -> ()
    call @sink(%0) : ({STREAM}) -> ()
    return
  }}
}}
"""


def allo_source(tmp_path: Path, body: str, *, takes: int = 4294967296) -> Path:
    """A kernel that puts into ``pipe`` as a text says, where PUT stands in it, and one that takes so many, or all.

    The text has %c0, %c1, %c2, %c3 and %c5, and %m and %n in whose memory is what nobody knows.
    """
    path = tmp_path / "design.mlir"
    text = SOURCE.replace("TIMES", str(takes)).replace("BODY", NUMBERS + body.replace("PUT", PUT))
    path.write_text(text, encoding="utf-8")
    return path


def put_times(graph: TimedGraph) -> list[int]:
    """In which cycles, from 1, something is put into ``pipe``."""
    result = simulate(graph, record=True)
    assert result.deadlock is None
    return [int(cycle) for cycle in result.write_times["pipe"]]


def acquire(fifo: str, port: str, count: int = 1) -> str:
    """A core acquires objects of 16 numbers."""
    return (
        f"  %{fifo}_{port} = aie.objectfifo.acquire @{fifo}({port}, {count}) : !aie.objectfifosubview<memref<16xi32>>\n"
    )


def release(fifo: str, port: str, count: int = 1) -> str:
    """A core releases objects."""
    return f"  aie.objectfifo.release @{fifo}({port}, {count})\n"


def use(fifo: str, port: str, count: int = 1) -> str:
    """A core acquires objects and releases them."""
    return acquire(fifo, port, count) + release(fifo, port, count)


def times(count: int, body: str) -> str:
    """A loop of a core."""
    return f"  %t = arith.constant {count} : index\n  scf.for %i = %c0 to %t step %c1 {{\n{body}  }}\n"


def for_ever(body: str) -> str:
    """A loop of a core without end."""
    return f"  {FOREVER}{body}  }}\n"


def fifo(
    name: str, producer: str, consumers: str, depth: str = "2 : i32", *, more: str = "", size: str = "16xi32"
) -> str:
    """An object FIFO between tiles."""
    return f"aie.objectfifo @{name}(%{producer}, {{{consumers}}}, {depth}) {more} : !aie.objectfifo<memref<{size}>>\n"


def aie_design(
    tmp_path: Path,
    fifos: str,
    cores: Mapping[str, str],
    *,
    tiles: str = "",
    sequence: str | None = None,
    name: str = "npu1",
) -> Path:
    """Object FIFOs between tiles %shim, %mem, %a, %b below each other in a column, and %c far away; cores by tile.

    Args:
        tmp_path: the folder of the text.
        fifos: the object FIFOs, links and functions.
        cores: by tile, what its core does; it has %c0, %c1, %c2, %c3 and %c5.
        tiles: of others.
        sequence: what the host does with its memory %x of 64 numbers; None where there is no sequence.
        name: the device.
    """
    places = {"shim": "0, 0", "mem": "0, 1", "a": "0, 2", "b": "0, 3", "c": "3, 2"}
    text = "".join(f"%{tile} = aie.tile({place})\n" for tile, place in places.items()) + tiles + fifos
    for tile, body in cores.items():
        text += f"%core_{tile} = aie.core(%{tile}) {{\n{NUMBERS}{body}  aie.end\n}}\n"
    if sequence is not None:
        text += f"aie.runtime_sequence @sequence(%x: memref<64xi32>) {{\n{NUMBERS}{sequence}}}\n"
    path = tmp_path / "design.mlir"
    path.write_text(f"module {{\naie.device({name}) {{\n{text}}}\n}}\n", encoding="utf-8")
    return path
