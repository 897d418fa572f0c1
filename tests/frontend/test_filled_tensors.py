"""Tensors that are made empty: read once all of them is written, refused while an element is not."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_mlir")

import torch
from compared import Function, db_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from torch import Tensor

from sttest.core.errors import InputError
from sttest.frontend.module_source import ModuleSource

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]


def halves(out: Tensor, y: Tensor) -> None:
    out[..., :8] = y
    out[..., 8:] = y * 2


def strided(out: Tensor, y: Tensor) -> None:
    out[:, ::2] = y
    out[:, 1::2] = y * 2


def overlapping(out: Tensor, y: Tensor) -> None:
    out[:, :10] = 0.5
    out[:, 4:12] = y
    out[:, 10:] = 2.0


def by_rows(out: Tensor, y: Tensor) -> None:
    for row in range(4):
        out[row, :8] = y[row] * row
    out[-4:, 8:] = y


def quarters(out: Tensor, y: Tensor) -> None:
    out[:2, :8] = y[:2]
    out[2:, :8] = y[2:] * 3
    out[:, 8:] = 1.0


def narrowed(out: Tensor, y: Tensor) -> None:
    out.narrow(1, 8, 8).copy_(y)
    out.narrow(-1, 0, 8).copy_(y * 2)


def split(out: Tensor, y: Tensor) -> None:
    left, right = out.split(8, -1)
    left.copy_(y)
    torch.mul(y, 2, out=right)


def viewed(out: Tensor, y: Tensor) -> None:
    out.view(8, 8)[:4] = y
    out.view(8, 8)[4:] = y * 2


def transposed(out: Tensor, y: Tensor) -> None:
    out.t()[:8] = y.t()
    out.mT[8:] = 0


def copied(out: Tensor, y: Tensor) -> None:
    out.copy_(torch.cat([y, y * 2], -1))


def zeroed(out: Tensor, y: Tensor) -> None:
    out.zero_()[:, 3:11].add_(y)


def at_indices(out: Tensor, y: Tensor) -> None:
    out[:, [3, 1, *range(4, 10)]] = y
    out[:, torch.tensor([0, 2, *range(10, 16)])] = y * 2


def under_masks(out: Tensor, y: Tensor) -> None:
    left = torch.arange(16) < 8
    out[:, left] = y
    out.masked_fill_(~left, 4.0)


def in_two_dims(out: Tensor, y: Tensor) -> None:
    out[torch.arange(4)] = 1.5
    out[[0, 1, 2], [3, 1, 2]] = y[:3, 0]


FILLS = [halves, strided, overlapping, by_rows, quarters, narrowed, split, viewed, transposed, copied, zeroed]
FILLS += [at_indices, in_two_dims]
MADE = {
    "empty": lambda y: torch.empty(4, 16),
    "new": lambda y: y.new_empty((4, 16)),
    "like": lambda y: torch.empty_like(torch.cat([y, y], -1)),
    "strided": lambda y: torch.empty_strided((4, 16), (16, 1)),
}


@pytest.mark.parametrize("fill", FILLS, ids=lambda fill: fill.__name__)
def test_an_empty_tensor_is_read_once_all_of_it_is_written(fill):
    def compute(y: Tensor) -> Tensor:
        out = torch.empty(4, 16)
        fill(out, y)
        return out + 1

    assert db_of(compute, (4, 8)) >= 100


@pytest.mark.parametrize("make", MADE)
def test_an_empty_tensor_of_any_making(make):
    def compute(y: Tensor) -> Tensor:
        out = MADE[make](y)
        halves(out, y)
        return out * 2

    assert db_of(compute, (4, 8)) >= 100


def compiled(compute):
    return ModuleSource.of(Function(compute), torch.randn(4, 8)).text()


@pytest.mark.parametrize(
    "fill", [fill for fill in FILLS if fill not in (zeroed, copied)], ids=lambda fill: fill.__name__
)
def test_one_element_more_is_refused(fill):
    def compute(y: Tensor) -> Tensor:
        out = torch.empty(4, 17)
        fill(out[:, 1:] if fill is not viewed else out.view(-1)[4:].view(4, 16), y)
        return out + 1

    with pytest.raises(InputError, match=r"aten.empty\S* at \S*compared.py:\d+.*4 of 68 elements.*aten.add\S* at"):
        compiled(compute)


def computed_before(y: Tensor) -> Tensor:
    out = torch.empty(4, 8)
    out[0] += y[0]
    out[1:] = y[1:]
    return out


def returned(y: Tensor) -> tuple[Tensor, Tensor]:
    out = torch.empty(4, 8)
    out[:3] = y[:3]
    return y * 2, out


def summed(y: Tensor) -> Tensor:
    out = torch.empty(2, 4, 8)
    out[0] = y
    out[1, :, :7] = 1.0
    return out.sum(0)


@pytest.mark.parametrize("compute", [computed_before, returned, summed])
def test_what_is_read_too_early_is_refused(compute):
    with pytest.raises(InputError, match=r"no defined values is read.*elements are unwritten where.*torch.zeros"):
        compiled(compute)


def test_what_is_written_is_read_though_the_rest_is_not():
    def compute(y: Tensor) -> Tensor:
        out = torch.empty(4, 16)
        out[:, 4:12] = y
        return out[:, 4:12] * out[:, 5:6]

    assert db_of(compute, (4, 8)) >= 100


def test_parts_that_make_a_whole_are_joined():
    def compute(y: Tensor) -> Tensor:
        out = torch.empty(4, 16)
        halves(out, y)
        return out * 2

    text = compiled(compute)
    assert "tensor.concat" in text
    assert "arith.select" not in text


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7), st.integers(1, 8), st.integers(1, 3)), max_size=6))
def test_any_writes(writes):
    """Refused exactly where PyTorch itself leaves an element as it was."""

    def fill(out: Tensor, y: Tensor) -> Tensor:
        for number, (dim, start, length, step) in enumerate(writes):
            taken = slice(start, start + length, step)
            out[(taken,) if dim == 0 else (slice(None), taken)] = y[0, number] * 2
        return out

    assume(all(start < (4 if dim == 0 else 8) for dim, start, _, _ in writes))
    known = fill(torch.full((4, 8), torch.nan), torch.ones(4, 8))
    if known.isnan().any():
        with pytest.raises(InputError, match=f"{int(known.isnan().sum())} of 32 elements are unwritten"):
            compiled(lambda y: fill(torch.empty(4, 8), y) + y)
    else:
        assert db_of(lambda y: fill(torch.empty(4, 8), y) + y, (4, 8)) >= 100
