"""Integer contractions against element-by-element arithmetic in NumPy's float32."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from hypothesis import given, settings
from hypothesis import strategies as st

from sttest.models.quant import contraction
from sttest.models.quant.quantizers import (
    QuantizedTensor,
    quantize_folded,
    quantize_kv,
    quantize_p,
    quantize_vectors,
    quantize_weight,
)

pytestmark = pytest.mark.torch
F32 = np.float32


def random(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_golden_number_of_two_groups():
    # Groups of 2 rows: 2*3 + 1*(-7) = -1 under scale 0.5, and 4*7 + 0*1 = 28 under scale 2, times the token's 0.25:
    # (-1 * 0.5 + 28 * 2) * 0.25 = 13.875.
    x = QuantizedTensor(torch.tensor([[2, 1, 4, 0]], dtype=torch.int8), torch.tensor([0.25]))
    weight = torch.tensor([[3], [-7], [7], [1]], dtype=torch.int8)
    scales = torch.tensor([[0.5], [2.0]], dtype=torch.float16)
    assert contraction.matmul(x, QuantizedTensor(weight, scales), 2).item() == 13.875


@given(st.integers(1, 3), st.integers(1, 20), st.integers(1, 3), st.sampled_from([1, 4, 7, None]), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_matmul_is_bit_exact(tokens, rows, columns, group, seed):
    x = quantize_vectors(random(tokens, rows, seed=seed))
    weight = quantize_weight(random(rows, columns, seed=seed + 1), group, 7)
    found = contraction.matmul(x, weight, group).numpy()
    qx, qw = x.values.numpy().astype(int), weight.values.numpy().astype(int)
    for m, n in np.ndindex(tokens, columns):
        total = F32(0)
        for g, start in enumerate(range(0, rows, group or rows)):
            part = slice(start, start + (group or rows))
            total = total + F32(int(qx[m, part] @ qw[part, n])) * F32(weight.scales[g, n].item())
        assert found[m, n] == total * x.scales[m].numpy()


def test_the_order_of_groups_matters_and_is_ascending():
    # f32: (2^24 + 1) - 2^24 is 0 from the left, but 1 if the large ones cancel first.
    x = QuantizedTensor(torch.tensor([[1, 1, 1]], dtype=torch.int8), torch.tensor([1.0]))
    weight = torch.tensor([[64], [1], [-64]], dtype=torch.int8)
    scales = torch.tensor([[2.0**18], [1.0], [2.0**18]])
    assert contraction.matmul(x, QuantizedTensor(weight, scales), 1).item() == 0.0


@pytest.mark.parametrize(
    ("rows", "expected"),
    # 127 * 127 = 16,129 per row.  The last sum within 2^24 = 16,777,216; the first beyond it, 16,790,289, where
    # float32 holds even numbers only; and the longest in int32, 2^31 - 4,072, where it holds multiples of 128.
    [(1_040, 16_774_160), (1_041, 16_790_288), (133_144, 2_147_479_552)],
)
def test_sums_beyond_the_mantissa_round_as_an_int32_would(rows, expected):
    x = QuantizedTensor(torch.full((1, rows), 127, dtype=torch.int8), torch.tensor([1.0]))
    weight = QuantizedTensor(torch.full((rows, 1), 127, dtype=torch.int8), torch.ones(1, 1, dtype=torch.float16))
    assert contraction.matmul(x, weight, None).item() == float(F32(np.int32(rows * 127 * 127))) == expected


@pytest.mark.parametrize("group", [(), (2,)])
def test_attention_contractions_are_bit_exact(group):
    n, kv, m, d = 3, 2, 5, 4
    q, k, v = (
        quantize_vectors(random(n, kv, *group, d, seed=1)),
        *(quantize_kv(random(kv, m, d, seed=s)) for s in (2, 3)),
    )
    weights = torch.rand(n, kv, *group, m, generator=torch.Generator().manual_seed(4))
    p = quantize_folded(weights, v.scales, torch.zeros(m))
    scores, mixed = contraction.scores(q, k).numpy(), contraction.mix(p, v.values).numpy()
    for place in np.ndindex(n, kv, *group):
        head = place[1]
        for j in range(m):
            total = int(q.values[place].int() @ k.values[head, j].int())
            assert scores[(*place, j)] == F32(total) * q.scales[place].numpy() * F32(k.scales[head, j].item())
        for j in range(d):
            total = int(p.values[place].int() @ v.values[head, :, j].int())
            largest = F32(v.scales[head].max().item())
            assert mixed[(*place, j)] == F32(total) * (largest * (F32(1) / F32(127)))


@pytest.mark.parametrize("group", [(), (2,)])
def test_a_mix_per_position_is_bit_exact(group):
    n, kv, m, d = 3, 2, 5, 4
    v = quantize_kv(random(kv, m, d, seed=3))
    p = quantize_p(torch.rand(n, kv, *group, m, generator=torch.Generator().manual_seed(4)))
    mixed = contraction.mix_per_position(p, v).numpy()
    for (*place, j), found in np.ndenumerate(mixed):
        products = [int(p[(*place, i)]) * int(v.values[place[1], i, j]) for i in range(m)]
        a, b, c, d_, e = (F32(x) * F32(v.scales[place[1], i].item()) for i, x in enumerate(products))
        total = a + ((b + c) + (d_ + e))
        assert found == total * (F32(1) / F32(127))


@pytest.mark.parametrize("group", [(), (2,)])
def test_own_scores_are_the_diagonal_of_the_scores(group):
    q, k = quantize_vectors(random(3, 2, *group, 4, seed=1)), random(3, 2, 4, seed=2)
    among = contraction.scores(q, quantize_kv(k.transpose(0, 1)))
    own = contraction.own_score(q, quantize_kv(k))
    assert all(torch.equal(own[i], among[i, ..., i]) for i in range(3))


def test_denominators_sum_integers():
    # 127 + 64 + 0 = 191 steps of 1/127.
    p = torch.tensor([[1.0, 0.5, 0.003]])
    assert contraction.denominator(p).item() == F32(191) * (F32(1) / F32(127))
