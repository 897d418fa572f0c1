"""Blocks lowered before the processes that simulate them begin: each process would load PyTorch for every block."""

from __future__ import annotations

from collections.abc import Sequence

from sttest.core.processes import run_all
from sttest.core.progress import suggester
from sttest.models.config import DecoderConfig
from sttest.studies.workload import WorkloadShape, keep_texts


def lower_ahead(asked: Sequence[tuple[DecoderConfig, WorkloadShape]], jobs: int, where: str) -> None:
    """Lowers blocks, a share of them in each process, and keeps the texts for ``model_text``.

    Args:
        asked: models and shapes.
        jobs: processes.
        where: name of the experiment, for errors.

    Raises:
        SttestError: as :func:`~sttest.studies.workload.model_text`.
    """
    suggester()(f"lowering {len(asked)} blocks, unless they are cached")
    shares = {number: share for number in range(jobs) if (share := asked[number::jobs])}
    for _ in run_all(keep_texts, shares, jobs, where):
        pass
