"""What bursts meet at a memory beside its rate and the latency of a read: numbers of ``timing:`` in a board's file.

Each has a unit, a source and a kind of its own there; docs/hardware/memory.md says on which measurements they rest, and
what they predict.
"""

from dataclasses import dataclass

from sttest.boards.part import BoardPart, Bytes, Count, CountOrNone, Nanoseconds, Ratio


@dataclass(frozen=True)
class Timing:
    """The same as plain numbers; without any, a write is answered a cycle after a read's first beat would come."""

    busy_read_ns: float | None = None  # latency of a read, from when a saturated channel was free for it
    response_ns: float | None = None  # time from the start of a write burst to its response,
    busy_response_ns: float | None = None  # and from when a saturated channel was free for it
    write_over_read: float = 1.0  # rate of writes over that of reads
    short_access_bytes: int = 0  # bytes of the shortest random access,
    short_access_ns: float = 0.0  # least time between two of them,
    access_ns: float = 0.0  # and between two that are longer
    id_wait_ns: float | None = None  # wait of a master with one ID after its last beat before another channel
    read_turns: int = 1  # bursts that are read in a row while others wait to be written,
    write_turns: int = 1  # and written while others wait to be read
    write_gap_cycles: int = 0  # cycles without data after each write burst, in the port


class BurstTiming(BoardPart):
    """The same as a board's file has it; what it leaves out is as in :class:`Timing`."""

    busy_read_ns: Nanoseconds | None = None
    response_ns: Nanoseconds | None = None
    busy_response_ns: Nanoseconds | None = None
    write_over_read: Ratio | None = None
    short_access_bytes: Bytes | None = None
    short_access_ns: Nanoseconds | None = None
    access_ns: Nanoseconds | None = None
    id_wait_ns: Nanoseconds | None = None
    read_turns: Count | None = None
    write_turns: Count | None = None
    write_gap_cycles: CountOrNone | None = None

    def plain(self) -> Timing:
        """The numbers alone."""
        found = {name: getattr(self, name) for name in type(self).model_fields}
        return Timing(
            **{
                name: quantity.count if quantity.unit in ("count", "bytes") else quantity.value
                for name, quantity in found.items()
                if quantity is not None
            }
        )
