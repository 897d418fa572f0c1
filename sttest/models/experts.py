"""A feed-forward network of experts, of which a router chooses a few for each token (Shazeer et al., arXiv 1701.06538).

The router scores every expert; the k best get softmax weights over their own scores, which is what
normalizing the chosen weights of a softmax over all gives (``norm_topk_prob`` of Qwen3, Mixtral).  The weights of
the k chosen experts lie side by side, columns of ``gate`` and ``up`` and rows of ``down``, so that a token passes
one network of k times an expert's width, whose inner activations are weighted by expert.

An expert's place among the k is the number of experts that score higher; of equals the first counts as higher.  So
the choice is sums over comparisons, in one pass over the scores, without sorting.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from sttest.models.config import DecoderConfig
from sttest.models.layers import Gate, Linear, activation
from sttest.models.tables import expert_tables

Chosen = tuple[Tensor, Tensor]


class TopExperts(nn.Module):
    """The best experts of each token by their scores, and the weight of each."""

    def forward(self, scores: Tensor, expert_ids: Tensor, places: Tensor) -> Chosen:
        """Scores [n, experts] to numbers and weights of the chosen, float32 [n, k] each, best first.

        expert_ids [experts] and places [k] count from 0, float32; a stream has no indices of its own.
        """
        zero, one = torch.zeros(()), torch.ones(())
        mine, other = scores.unsqueeze(-1), scores.unsqueeze(-2)
        first = torch.where(expert_ids.unsqueeze(0) < expert_ids.unsqueeze(-1), one, zero)
        higher = torch.where(mine < other, one, torch.where(other < mine, zero, first))
        rank = higher.sum(-1)
        at_place = (rank.unsqueeze(-2) - places.unsqueeze(-1)).abs() < 0.5
        chosen = torch.where(at_place, expert_ids, zero).sum(-1)
        best = torch.where(at_place, scores.unsqueeze(-2), zero).sum(-1)
        exponentials = torch.exp(best - best.amax(-1).unsqueeze(-1))
        return chosen, exponentials / exponentials.sum(-1).unsqueeze(-1)


class ExpertLinear(nn.Module):
    """The linear layers of all experts, [experts, inputs, outputs], those of the chosen ones applied as one."""

    def __init__(self, experts: int, inputs: int, outputs: int, *, by_rows: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(experts, inputs, outputs))
        self.by_rows = by_rows  # whether experts lie one below the other, each with inputs of its own

    def forward(self, x: Tensor, chosen: Sequence[int]) -> Tensor:
        """A token [1, inputs], or [1, k * inputs] by rows, to [1, k * outputs], or [1, outputs] by rows."""
        return x @ beside(self.weight, chosen, by_rows=self.by_rows)


def beside(parts: Tensor, chosen: Sequence[int], *, by_rows: bool) -> Tensor:
    """Matrices [experts, rows, columns] of the chosen: one below the other, or side by side."""
    return torch.cat([parts[expert] for expert in chosen], 0 if by_rows else 1)


class _Weighting(nn.Module):
    """Activations of each chosen expert times its weight."""

    def forward(self, inner: Tensor, weights: Tensor) -> Tensor:
        """[n, k * ffn] and [n, k] to [n, k * ffn]."""
        return (inner.view(*weights.shape, -1) * weights.unsqueeze(-1)).reshape(inner.shape)


class _Router(nn.Module):
    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.proj = Linear(config.hidden, config.experts, bias=False)
        self.top = TopExperts()

    def forward(self, x: Tensor, expert_ids: Tensor, places: Tensor) -> Chosen:
        return self.top(self.proj(x), expert_ids, places)


class ExpertMlp(nn.Module):
    """``down(weight * act(gate(x)) * up(x))`` over the chosen experts of each token, with the weights of all."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        self.config = config
        self.router = _Router(config)
        count, hidden, ffn = config.experts, config.hidden, config.ffn
        self.gate_proj = ExpertLinear(count, hidden, ffn, by_rows=False)
        self.up_proj = ExpertLinear(count, hidden, ffn, by_rows=False)
        self.act = Gate(activation(config.activation))
        self.weighting = _Weighting()
        self.down_proj = ExpertLinear(count, ffn, hidden, by_rows=True)

    def forward(self, x: Tensor) -> Chosen:
        """[n, hidden] to [n, hidden] and numbers of the chosen experts, float32 [n, k]."""
        ids, places = (torch.from_numpy(table) for table in expert_tables(self.config).values())
        found = [self._of_token(row, ids, places) for row in x.split(1)]
        return torch.cat([y for y, _ in found]), torch.cat([chosen for _, chosen in found])

    def _of_token(self, x: Tensor, ids: Tensor, places: Tensor) -> Chosen:
        chosen, weights = self.router(x, ids, places)
        numbers = [int(number) for number in chosen[0]]
        inner = self.act(self.gate_proj(x, numbers), self.up_proj(x, numbers))
        return self.down_proj(self.weighting(inner, weights), numbers), chosen


class ChosenMlp(nn.Module):
    """The same as hardware has it: the weights of the chosen experts are arguments, whichever they are."""

    def __init__(self, config: DecoderConfig) -> None:
        super().__init__()
        width = config.experts_per_token * config.ffn
        self.router = _Router(config)
        self.gate_proj = Linear(config.hidden, width, bias=False)
        self.up_proj = Linear(config.hidden, width, bias=False)
        self.act = Gate(activation(config.activation))
        self.weighting = _Weighting()
        self.down_proj = Linear(width, config.hidden, bias=False)

    def forward(self, x: Tensor, expert_ids: Tensor, places: Tensor) -> Chosen:
        """One token [1, hidden], expert ids [experts] and places [k] to y [1, hidden] and chosen experts [1, k]."""
        chosen, weights = self.router(x, expert_ids, places)
        inner = self.act(self.gate_proj(x), self.up_proj(x))
        return self.down_proj(self.weighting(inner, weights)), chosen


ROUTER = "mlp.router.proj"
"""The layer that scores experts."""
INDEXED = {"mlp.gate_proj.weight": 1, "mlp.up_proj.weight": 1, "mlp.down_proj.weight": 0}
"""Parameters of :class:`ChosenMlp` that a computed index picks parts of, and the dim along which the parts lie."""
