"""The door of backends: whatever answers what a design does, a row of ``sttest crosscheck`` and of ``sttest doctor``.

    Offer("backends", "rough", "my_package.rough:ROUGH", "An estimate from the longest process.")

is a :class:`Backend`.  Its function gets the design on its climb, and gives its row: values by :meth:`Climb.compared`,
times by :func:`~sttest.crosscheck.engines.timed`.  A tool that is missing is a ToolMissingError.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np

from sttest.core.errors import InputError, ToolMissingError
from sttest.core.extensions import Offer, offers
from sttest.crosscheck.case import Case, main_result
from sttest.crosscheck.engines import EngineResult, Values
from sttest.crosscheck.results import ResultComparison, compare_with_golden
from sttest.package import DesignPackage
from sttest.targets.doctor import ExternalTool, PartStatus

__depends__ = ("sttest/built_in/backends.py", "sttest/crosscheck/rungs.py")


class Climb:
    """One design on its way through the backends: what each of them is given, and what those before it found.

    Args:
        package: the design.
        case: weights, inputs and golden of its block or text.
        work: folder of the builds, which is kept.
        streams: folder for the tokens of every stream, which is not.
        ap_types: folder of Xilinx's integer types; None for our own.
    """

    def __init__(self, package: DesignPackage, case: Case, work: Path, streams: Path, ap_types: Path | None) -> None:
        self.package, self.case, self.work, self.streams, self.ap_types = package, case, work, streams, ap_types
        self.images = case.images(package.reference_graph)
        self.values: list[Values] = []
        self.results: dict[str, ResultComparison] = {}
        self.sqnr_db: float | None = None
        self.integer_types = ""

    def compared(self, values: Values, build_s: float = 0.0) -> EngineResult:
        """The row of what a backend computed, held against the golden.

        Args:
            values: memory and streams that it left; the streams of the first two backends are compared.
            build_s: time that building took, seconds.
        """
        self.values.append(values)
        name, seconds = values.engine, build_s + values.seconds
        if values.verdict == "deadlock":
            return EngineResult(name, "deadlock", seconds=seconds, note="'sttest emulate' tells who waits for whom")
        graph = self.package.reference_graph
        found = compare_with_golden(graph, self.case, values)
        self.results[name] = found
        if self.case.reference is not None:
            ours = self.case.results(graph, values.images)[main_result(graph)]
            self.sqnr_db = _sqnr_db(self.case.reference, ours)
        return EngineResult(
            name, "done", error=found.error, relative_error=found.relative, integers=found.integers, seconds=seconds
        )


@dataclass(frozen=True)
class Backend:
    """One rung of the ladder."""

    name: str
    run: Callable[[Climb], EngineResult]
    needs: tuple[str, ...] = ()  # parts by name, of sttest or its own, without which it is not there
    parts: tuple[ExternalTool, ...] = ()  # external tools of its own, which ``sttest doctor`` is to look for
    knows_depths: bool = True  # whether it stands still where FIFOs are too shallow, and is held against others for it
    is_asked: bool = True  # whether it runs unless others are named


@cache
def backends() -> dict[str, Backend]:
    """All that are known by name, from the golden up to the card; those of extensions last.

    Raises:
        InputError: what an extension offers is no backend, or has another name.
    """
    return {name: _loaded(offer) for name, offer in offers("backends").items()}


def _loaded(offer: Offer) -> Backend:
    """One that cannot be loaded is there by name, and says why it is not more."""
    try:
        found = offer.load()
    except Exception as error:  # whatever its module does
        why = f"cannot be loaded: {type(error).__name__}: {error}"
        part = ExternalTool(f"backend {offer.name}", offer.summary, partial(PartStatus, "failed", detail=why))
        return Backend(offer.name, partial(_refuse, offer.name, why), (part.name,), (part,))
    if isinstance(found, Backend) and found.name == offer.name:
        return found
    what = f"what is offered as '{offer.name}' is no Backend so called"
    raise InputError("broken-extension", what, where="backends")


def _refuse(name: str, why: str, _climb: Climb) -> EngineResult:
    raise ToolMissingError("backend-missing", why, where=name)


def _sqnr_db(reference: np.ndarray, y: np.ndarray) -> float:
    import torch

    from sttest.models.quant.quantizers import sqnr_db

    return sqnr_db(torch.from_numpy(reference), torch.from_numpy(np.array(y, order="C")))
