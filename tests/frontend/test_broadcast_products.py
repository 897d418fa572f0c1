"""Products whose batch axes broadcast, on either side, have PyTorch's values."""

from __future__ import annotations

import pytest

pytest.importorskip("torch_mlir")

import torch
import torch.nn.functional as F
from compared import db_of
from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.core.errors import InputError
from sttest.frontend import lowering
from sttest.frontend.module_source import ModuleSource

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]

SHAPES = [
    ((1, 4, 8, 16), (1, 1, 16, 8)),  # heads that share their keys
    ((4, 8, 16), (1, 16, 8)),
    ((1, 4, 8, 8), (1, 1, 8, 16)),  # and their values
    ((1, 4, 1, 16), (1, 1, 16, 8)),  # of one query
    ((1, 1, 8, 16), (1, 4, 16, 8)),
    ((1, 8, 16), (4, 16, 8)),
    ((8, 16), (1, 16, 8)),
    ((1, 1, 1, 16), (1, 1, 16, 1)),
    ((2, 1, 8, 16), (4, 16, 8)),
    ((2, 3, 1, 8, 16), (1, 1, 4, 16, 8)),
    ((16,), (1, 16, 8)),
    ((1, 8, 16), (16,)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_a_product(left, right):
    assert db_of(torch.matmul, left, right) >= 100


@st.composite
def pairs(draw):
    """Shapes of two operands that torch.matmul takes: each batch axis is there, is 1, or is missing."""
    rows, terms, columns = (draw(st.sampled_from([1, 3, 8])) for _ in range(3))
    batch = draw(st.lists(st.sampled_from([1, 2, 4]), max_size=3))

    def side(*matrix: int) -> tuple[int, ...]:
        kept = batch[draw(st.integers(0, len(batch))) :]
        return (*(1 if draw(st.booleans()) else size for size in kept), *matrix)

    left, right = side(rows, terms), side(terms, columns)
    vectors = draw(st.sampled_from([(False, False)] * 4 + [(True, False), (False, True), (True, True)]))
    return ((terms,) if vectors[0] else left), ((terms,) if vectors[1] else right)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(pairs())
def test_any_product(shapes):
    assert db_of(torch.matmul, *shapes) >= 100
    assert db_of(lambda a, b: (a * 2) @ b.relu() + 1, *shapes) >= 100


QUERIES, SHARED = (1, 4, 8, 16), (1, 1, 8, 16)
SPELLINGS = {
    "transposed": (lambda q, k: (q @ k.mT / 4).softmax(-1), QUERIES, SHARED),
    "einsum": (lambda q, k: torch.einsum("bhqd,bkd->bhqk", q, k), QUERIES, (1, 8, 16)),
    "einsum-ellipsis": (lambda q, k: torch.einsum("...qd,...kd->...qk", q, k), QUERIES, SHARED),
    "expanded": (lambda q, k: torch.bmm(q, k.expand(4, -1, -1)), (4, 8, 16), (1, 16, 8)),
    "repeated": (lambda q, k: q @ k.repeat_interleave(4, 1).mT, QUERIES, SHARED),
    "groups": (lambda q, k: q @ k[:, :, None].expand(1, 2, 2, 8, 16).reshape(QUERIES).mT, QUERIES, (1, 2, 8, 16)),
    "added": (lambda c, q, k: torch.baddbmm(c, q, k.expand(4, -1, -1)), (1, 1, 8), (4, 8, 16), (1, 16, 8)),
    "attention": (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), QUERIES, SHARED, SHARED),
    "attention-gqa": (
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True),
        (2, 4, 8, 16),
        (2, 1, 8, 16),
        (2, 2, 8, 16),
    ),
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_spelling(name):
    compute, *shapes = SPELLINGS[name]
    assert db_of(compute, *shapes) >= 100


class Product(torch.nn.Module):
    def forward(self, q, k):
        return q @ k


def broken(module):
    """A rewriting that leaves a loop nest which does not verify."""
    nests = [
        op for op in lowering.function_of(module).regions[0].blocks[0].operations if "generic" in op.operation.name
    ]
    del nests[0].attributes["iterator_types"]
    module.operation.verify()


def test_a_rewriting_that_fails_names_the_line(monkeypatch):
    monkeypatch.setattr(lowering, "normalize", broken)
    monkeypatch.setattr(
        "sttest.frontend.module_source.lower_isolated", lambda make, facts: lowering.lower(make(**facts))
    )
    source = ModuleSource.of(Product(), (torch.randn(4, 8, 16), torch.randn(4, 16, 8)))
    place = r"aten\.\w+\.\w+ at \S*test_broadcast_products.py:\d+"
    with pytest.raises(InputError, match=rf"^{place}: its loop nest cannot be rewritten as one that streams;"):
        source.text()
