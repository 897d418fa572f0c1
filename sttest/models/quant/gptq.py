"""Weights rounded so that a layer's outputs on calibration inputs change least (Frantar et al., arXiv 2210.17323).

Rows are rounded one after the other, and the error of each is made up for by those that follow.  What is given back is
in floating point, ``integer * scale``, and :func:`~sttest.models.quant.quantizers.quantize_weight` makes exactly these
integers and scales of it again: one element of each group keeps the largest integer.  So every path that quantizes a
checkpoint, the evaluation and the card's memory alike, has the same values.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from sttest.models.quant.quantizers import SCALE_RANGE

DAMPING = 0.01
"""Share of the mean diagonal that is added to it, as published: directions that were never seen stay put."""
_SHRINKS = tuple(1.0 - 0.04 * step for step in range(11))
"""Scales that are tried, as shares of that of the largest element: beyond it weights saturate."""


def rounded(weight: Tensor, hessian: Tensor, group: int | None, qmax: int) -> Tensor:
    """A weight whose integers are chosen for its inputs.

    Args:
        weight: float32 [K, N].
        hessian: float64 [K, K], ``x.T @ x`` over the calibration inputs.
        group: rows that share a scale, the last group may have fewer; None is all K.
        qmax: 7 for int4, 127 for int8.

    Returns:
        float32 [K, N], each element an integer of at most ``qmax`` times an FP16 scale.
    """
    rest, chosen = weight.clone(), torch.empty_like(weight)
    importance, factor = hessian.diagonal().float(), _factor(hessian)
    with _one_thread():
        for start in range(0, len(weight), group or len(weight)):
            rows = slice(start, min(start + (group or len(weight)), len(weight)))
            scale = _scale(rest[rows], importance[rows], qmax)
            errors = _round_group(rest, chosen, rows, scale, factor, qmax)
            rest[rows.stop :] -= factor[rows, rows.stop :].T @ errors
    return chosen


def _round_group(rest: Tensor, chosen: Tensor, rows: slice, scale: Tensor, factor: Tensor, qmax: int) -> Tensor:
    """Round the rows of a group in ``chosen``, each making up for those before; gives their errors [rows, N]."""
    peak = rest[rows].abs().argmax(0)
    at_peak = torch.where(rest[rows].gather(0, peak.unsqueeze(0))[0] < 0, -float(qmax), float(qmax))
    errors = torch.empty_like(rest[rows])
    for number, row in enumerate(range(rows.start, rows.stop)):
        integers = torch.round(rest[row] / scale).clamp(-qmax, qmax)
        chosen[row] = torch.where(peak == number, at_peak, integers) * scale
        errors[number] = (rest[row] - chosen[row]) / factor[row, row]
        rest[row + 1 : rows.stop] -= torch.outer(factor[row, row + 1 : rows.stop], errors[number])
    return errors


def damped(hessian: Tensor) -> Tensor:
    """The matrix with :data:`DAMPING` on its diagonal, so that it has an inverse."""
    mean = hessian.diagonal().mean().clamp(min=1e-12)
    return hessian + DAMPING * mean * torch.eye(len(hessian), dtype=hessian.dtype)


def _factor(hessian: Tensor) -> Tensor:
    """The upper Cholesky factor of the damped inverse: its row k says how the rows behind k make up for k."""
    inverse = torch.cholesky_inverse(torch.linalg.cholesky(damped(hessian)))
    return torch.linalg.cholesky(inverse, upper=True).float()


def _scale(part: Tensor, importance: Tensor, qmax: int) -> Tensor:
    """The FP16 scale of each column, as float32, under which rounding errs least by the energy of the inputs."""
    least, largest = SCALE_RANGE[torch.float16]
    peak = part.abs().amax(0)
    best, best_error = torch.empty_like(peak), torch.full_like(peak, torch.inf)
    for shrink in _SHRINKS:
        scale = (peak * shrink / qmax).clamp(least, largest).to(torch.float16).float()
        apart = torch.round(part / scale).clamp(-qmax, qmax) * scale - part
        error = (apart * apart * importance.unsqueeze(-1)).sum(0)
        better = error < best_error
        best, best_error = torch.where(better, scale, best), torch.where(better, error, best_error)
    return best


@contextmanager
def _one_thread() -> Iterator[None]:
    """Thousands of small operations: threads that wait for each other would cost more than they save."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
