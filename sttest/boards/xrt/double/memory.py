"""Memory banks of a card: which addresses are taken."""

from __future__ import annotations

from bisect import insort

from sttest.boards.xrt.contract import PAGE_BYTES
from sttest.errors import DoesNotFitError, SttestError


class Memory:
    """The address space of equal banks, one behind the other; buffers lie on pages and are placed first fit.

    Args:
        banks: their number.
        bank_bytes: size of each.
    """

    def __init__(self, banks: int, bank_bytes: int) -> None:
        self.banks = banks
        self.bank_bytes = bank_bytes
        self._taken: list[tuple[int, int]] = []

    def take(self, size: int, banks: range) -> int:
        """Address of ``size`` bytes in neighbouring banks, from now on taken.

        Raises:
            DoesNotFitError: no hole there is large enough.
        """
        low, high = banks.start * self.bank_bytes, banks.stop * self.bank_bytes
        largest = 0
        for start, stop in self._holes(low, high):
            if size <= stop - start:
                insort(self._taken, (start, start + size))
                return start
            largest = max(largest, stop - start)
        raise DoesNotFitError(
            "bank-full", "no room for a buffer", where=f"HBM[{banks.start}:{banks.stop - 1}]", demand=size,
            bound=largest, unit="bytes", levers=["drop buffers that are not needed", "connect it to more banks"],
        )  # fmt: skip

    def free(self, address: int) -> None:
        """Gives a buffer back.

        Raises:
            SttestError: there is none at that address, or no longer: a bug of the double.
        """
        for taken in self._taken:
            if taken[0] == address:
                self._taken.remove(taken)
                return
        raise SttestError("double-free", "freed twice, or never taken", where=f"address {address:#x}")

    def used_bytes(self) -> int:
        """Bytes that are taken, without the rest of their last pages."""
        return sum(stop - start for start, stop in self._taken)

    def _holes(self, low: int, high: int) -> list[tuple[int, int]]:
        """Free stretches that start on a page, in ascending order."""
        holes, start = [], low
        for taken_start, taken_stop in self._taken:
            if taken_start < high and low < taken_stop:
                holes.append((start, taken_start))
                start = -(-taken_stop // PAGE_BYTES) * PAGE_BYTES
        return [*holes, (start, high)]
