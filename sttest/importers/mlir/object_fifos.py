"""Object FIFOs of mlir-aie as pools of places: which there are, how many objects each has, and who meets there.

As the lowering makes them (``AIEObjectFifoSplit.cpp``, before August 2026 ``AIEObjectFifoStatefulTransform.cpp``, of
https://github.com/Xilinx/mlir-aie).  Neighboring cores share one pool.  Between any others the producer has a pool,
each consumer has one, and DMA channels move objects from the first to all of the others.  The host's memory has none.
A pool in a core's memory does not have as many objects as the text asks for but one more than its core acquires at
once, unless the text gives a depth for each consumer.  Object FIFOs that are linked meet in one pool.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue

from sttest.core.errors import InputError
from sttest.importers.mlir.aie_forms import depths_of
from sttest.importers.mlir.text import bits_of, name_of, result_of, stated, symbol, symbols, whole
from sttest.sim import Fifo
from sttest.sim.graph import MAX_BITS, MAX_DEPTH

_MEM_ROWS = {"xcvc1902": 0, "xcve2802": 2}
"""Rows of memory tiles by device; all others have one."""
_NUMBERED = {1: "xcvc1902", 2: "xcve2302", 3: "xcve2802"}
_REFUSED = ("disable_synchronization", "aie_stream", "iter_count", "bd_chain_iter_count")
_PLACE = "aie-opt --aie-place-tiles"


@dataclass(frozen=True)
class Tile:
    """A tile of the array: of ``kind`` shim, mem or core, at a column and row if it is placed."""

    kind: str
    column: int | None
    row: int | None
    name: str

    @property
    def is_placed(self) -> bool:
        """Whether its column and its row are stated."""
        return self.column is not None and self.row is not None

    def may_neighbor(self, other: "Tile") -> bool:
        """Whether two tiles may be neighbors in a column or a row, wherever they are placed."""
        across, up = _apart(self.column, other.column), _apart(self.row, other.row)
        return (across or 0) + (up or 0) <= 1

    def reads(self, other: "Tile", *, alternates: bool) -> bool:
        """Whether this core reaches the memory of another; rows of the first generation alternate sides."""
        if self.column is None or self.row is None or other.column is None or other.row is None:
            return False
        right, up = other.column - self.column, other.row - self.row
        side = (1 if self.row % 2 == 0 else -1) if alternates else -1
        return (right, up) in ((0, 0), (side, 0), (0, 1), (0, -1))


def _apart(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else abs(one - other)


@dataclass(frozen=True)
class ObjectSlice:
    """A part of each object of a pool, with places of its own."""

    pool: str
    bits: int


@dataclass
class ObjectFifo:
    """One object FIFO.

    Args:
        name: its symbol.
        tiles: the producer's, then each consumer's.
        depths: as stated, one or one per tile.
        bits: of an object; ``consumer_bits`` of those that consumers see.
        repeat: times each object is sent.
        by_dma: whether it asks for DMA between neighbors.
        initial: objects that are there at the start.
    """

    name: str
    tiles: tuple[Tile, ...]
    depths: tuple[int, ...]
    bits: int
    consumer_bits: int
    repeat: int = 1
    by_dma: bool = False
    initial: int = 0
    shared: bool = False
    source: list[ObjectSlice] | None = None  # where its DMA takes objects; None: the host's memory
    targets: list[list[ObjectSlice] | None] = field(default_factory=list)

    @property
    def producer(self) -> Tile:
        """The tile where it begins."""
        return self.tiles[0]

    @property
    def consumers(self) -> tuple[Tile, ...]:
        """The tiles where it ends."""
        return self.tiles[1:]


@dataclass
class Pools:
    """All pools of a device.

    Args:
        fifos: object FIFOs by name.
        places: FIFOs of the timed graph, for each pool its places and the objects in it.
        notes: what a reader of the text would not expect.
    """

    fifos: dict[str, ObjectFifo]
    places: list[Fifo] = field(default_factory=list[Fifo])
    notes: list[str] = field(default_factory=list[str])

    def add(self, name: str, depth: int, bits: int, origin: str, initial: int = 0) -> ObjectSlice:
        """Another pool."""
        self.places.append(Fifo(name, max(1, depth), min(max(1, bits), MAX_BITS), "srl", initial, origin))
        self.places.append(Fifo(filled(name), MAX_DEPTH, 1, "srl", initial, origin))
        return ObjectSlice(name, bits)


def filled(pool: str) -> str:
    """The FIFO of a pool's objects that may be read."""
    return f"{pool}.filled"


def tiles_of(device: Operation) -> dict[SSAValue, Tile]:
    """The tiles of a device by their value."""
    memory_rows = _MEM_ROWS.get(_device_name(device), 1)
    found: dict[SSAValue, Tile] = {}
    for op in device.walk():
        if name_of(op) == "aie.tile":
            column, row = whole(op, "col") or 0, whole(op, "row") or 0
            kind = "shim" if row == 0 else "mem" if row <= memory_rows else "core"
            found[result_of(op, "aie.tile")] = Tile(kind, column, row, f"{kind}_{column}_{row}")
        elif name_of(op) == "aie.logical_tile":
            text = symbol(op, "tile_type")
            kind = "shim" if text.startswith("Shim") else "mem" if text.startswith("Mem") else "core"
            number = len(found)
            found[result_of(op, "aie.logical_tile")] = Tile(
                kind, whole(op, "col"), whole(op, "row"), f"{kind}_{number}"
            )
    return found


def _device_name(device: Operation) -> str:
    """Of a device: its word, or in generic text its number in the enumeration of ``AIEAttrs.td``."""
    return symbol(device, "device") or _NUMBERED.get(whole(device, "device") or 0, "")


def object_fifos(device: Operation, tiles: Mapping[SSAValue, Tile]) -> dict[str, ObjectFifo]:
    """The object FIFOs of a device as they are stated.

    Raises:
        InputError: one is of a kind that is not modeled.
    """
    found: dict[str, ObjectFifo] = {}
    for op in device.walk():
        if name_of(op) == "aie.objectfifo":
            fifo = _object_fifo(op, tiles)
            found[fifo.name] = fifo
    return found


def _object_fifo(op: Operation, tiles: Mapping[SSAValue, Tile]) -> ObjectFifo:
    name = symbol(op, "sym_name")
    where = f"@{name}"
    for refused in _REFUSED:
        value = stated(op, refused)
        if value is not None and not (isinstance(value, IntegerAttr) and value.value.data == 0):
            raise InputError("not-modeled", f"'{refused}' is not modeled", where=where, hints=["leave it out"])
    depths = depths_of(stated(op, "elemNumber"))
    ends = tuple(tiles[each] for each in op.operands if each in tiles)
    if len(ends) != len(op.operands) or len(ends) < 2:
        raise InputError("unknown-tile", "a tile of it is not known", where=where)
    if len(depths) not in (1, len(ends)) or min(depths) < 1:
        told = f"depths {list(depths)} for {len(ends)} tiles; one number, or one for each, from 1 on"
        raise InputError("bad-depth", told, where=where)
    bits = bits_of(str(stated(op, "elemType")))
    if not bits:
        raise InputError("unknown-size", f"the size of {stated(op, 'elemType')!s:.80} is not known", where=where)
    consumer = stated(op, "consumerElemType")
    repeat = whole(op, "repeat_count") or whole(op, "memtile_repeat") or 1
    initial = wholes_length(op, "initValues")
    if initial and ends[0].kind != "core":
        what = "objects that a memory tile has at the start, and sends by itself, are not modeled"
        raise InputError("not-modeled", what, where=where)
    asks = bool(whole(op, "via_DMA")) or repeat > 1 or consumer is not None or _is_shaped(op)
    seen = bits if consumer is None else bits_of(str(consumer)) or bits
    return ObjectFifo(name, ends, depths, bits, seen, repeat, asks, initial)


def wholes_length(op: Operation, name: str) -> int:
    """How many entries an array that an operation states has; 0 where there is none."""
    found = stated(op, name)
    return len(getattr(found, "data", ())) if found is not None else 0


def _is_shaped(op: Operation) -> bool:
    """Whether data are put into another order on the way: only DMA can."""
    if stated(op, "shaped") is not None:
        return True
    texts = (str(stated(op, name) or "") for name in ("dimensionsToStream", "dimensionsFromStreamPerConsumer"))
    return any("size" in text for text in texts)


def pools_of(device: Operation, fifos: Mapping[str, ObjectFifo], acquired: Mapping[tuple[str, str], int]) -> Pools:
    """The pools of a device, and for each object FIFO where its ends are.

    Args:
        device: the operation.
        fifos: as :func:`object_fifos` gives them; their ends are filled in.
        acquired: the most objects that are acquired at once, by object FIFO and tile.

    Raises:
        InputError: where the pools lie is not known before placement.
    """
    pools = Pools(dict(fifos))
    source_ends: dict[str, list[ObjectSlice]] = {}
    target_ends: dict[str, list[ObjectSlice]] = {}
    linked: set[str] = set()
    for op in device.walk():
        if name_of(op) == "aie.objectfifo.link":
            linked |= _link(op, pools, source_ends, target_ends)
    alternates = _device_name(device) == "xcvc1902"
    for fifo in fifos.values():
        if _is_shared(fifo, alternates=alternates, linked=fifo.name in linked):
            fifo.shared = True
            slices = [pools.add(fifo.name, fifo.depths[0], fifo.bits, _where(fifo), fifo.initial)]
            fifo.source, fifo.targets = slices, [slices]
            continue
        _ends(fifo, pools, source_ends.get(fifo.name), target_ends.get(fifo.name), acquired)
    return pools


def _ends(
    fifo: ObjectFifo, pools: Pools, source: list[ObjectSlice] | None, target: list[ObjectSlice] | None,
    acquired: Mapping[tuple[str, str], int],
) -> None:  # fmt: skip
    """Pools at the ends of an object FIFO that DMA moves; ``source`` and ``target`` are those of links."""
    fifo.source = source
    if source is None and fifo.producer.kind != "shim":
        depth = fifo.depths[0] if fifo.initial else _allocated(fifo, 0, acquired, pools)
        fifo.source = [pools.add(f"{fifo.name}.prod", depth, fifo.bits, _where(fifo), fifo.initial)]
    many = len(fifo.consumers) > 1
    for number, tile in enumerate(fifo.consumers):
        if number == 0 and target is not None:
            fifo.targets.append(target)
        elif tile.kind == "shim":
            fifo.targets.append(None)
        else:
            depth = _allocated(fifo, number + 1, acquired, pools)
            name = f"{fifo.name}.cons{number if many else ''}"
            fifo.targets.append([pools.add(name, depth, fifo.consumer_bits, _where(fifo))])


def _allocated(fifo: ObjectFifo, number: int, acquired: Mapping[tuple[str, str], int], pools: Pools) -> int:
    """Objects of the pool at one tile: as many as stated for a consumer, else what its core acquires and one more."""
    tile = fifo.tiles[number]
    asked = fifo.depths[number if len(fifo.depths) > 1 else 0]
    most = acquired.get((fifo.name, tile.name), 0)
    if tile.kind == "mem" or (len(fifo.depths) > 1 and number) or not most or (most == 1 and asked == 1):
        return asked
    if most + 1 != asked:
        pools.notes.append(
            f"@{fifo.name} asks for {asked} objects, and {tile.name} gets {most + 1}, one more than its core acquires "
            f"at once{'' if number == 0 else '; a depth for each tile, [producer, consumers], is kept as it is'}"
        )
    return most + 1


def _is_shared(fifo: ObjectFifo, *, alternates: bool, linked: bool) -> bool:
    """Whether both ends of an object FIFO reach one memory.

    Raises:
        InputError: that depends on where the tiles are placed.
    """
    if fifo.by_dma or linked or len(fifo.consumers) != 1:
        return False
    one, other = fifo.producer, fifo.consumers[0]
    if one.kind != other.kind or one.kind != "core":
        return False
    if one == other:
        return True
    if not one.may_neighbor(other):
        return False
    if not (one.is_placed and other.is_placed):
        what = "whether both cores reach one memory depends on where they are placed"
        raise InputError("not-placed", what, where=f"@{fifo.name}", hints=[f"place them: {_PLACE}"])
    return one.reads(other, alternates=alternates) or other.reads(one, alternates=alternates)


def _link(
    op: Operation, pools: Pools, sources: dict[str, list[ObjectSlice]], targets: dict[str, list[ObjectSlice]]
) -> set[str]:
    """The pool in which linked object FIFOs meet; gives the names of these."""
    ins, outs = symbols(op, "fifoIns"), symbols(op, "fifoOuts")
    for name in (*ins, *outs):
        if name not in pools.fifos:
            raise InputError("unknown-name", f"a link names @{name:.80}, which is not there", where="link")
    one, other = [pools.fifos[name] for name in ins], [pools.fifos[name] for name in outs]
    if len(one) > 1:  # a join: each input fills a part of the object that goes out
        owner, parts, names = other[0], one, [f"{name}.cons" for name in ins]
    elif len(other) > 1:  # a distribution: each output takes a part of the object that came in
        owner, parts, names = one[0], other, [f"{name}.prod" for name in outs]
    else:
        owner = other[0] if other[0].bits > one[0].bits else one[0]
        rest = one[0] if owner is other[0] else other[0]
        if owner.depths[0] != rest.depths[0]:
            pools.notes.append(
                f"@{ins[0]} and @{outs[0]} meet in one pool of {owner.depths[0]} objects, the depth of @{owner.name}: "
                f"that of @{rest.name}, {rest.depths[0]}, counts for nothing on {rest.tiles[0].name}"
            )
        targets[ins[0]] = sources[outs[0]] = [pools.add(f"{ins[0]}.cons", owner.depths[0], owner.bits, _where(owner))]
        return {*ins, *outs}
    if sum(part.bits for part in parts) != owner.bits:
        what = f"its parts have {sum(part.bits for part in parts):,} bits in all, an object has {owner.bits:,}"
        raise InputError("parts-of-object", what, where=f"link of @{owner.name}", hints=["make them add up"])
    slices = [
        pools.add(name, owner.depths[0], part.bits, _where(part)) for name, part in zip(names, parts, strict=True)
    ]
    whole_end, part_ends = (sources, targets) if len(one) > 1 else (targets, sources)
    whole_end[owner.name] = slices
    for part, slice_ in zip(parts, slices, strict=True):
        part_ends[part.name] = [slice_]
    return {*ins, *outs}


def _where(fifo: ObjectFifo) -> str:
    return f"@{fifo.name}"
