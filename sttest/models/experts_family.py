"""The family of blocks with experts, :mod:`sttest.models.experts`: configurations with ``experts``."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.families import BlockFamily, Shapes, attention_layers, attention_vectors
from sttest.models.program import TorchProgram
from sttest.models.tables import EXPERTS, F32Array, expert_tables

if TYPE_CHECKING:
    from torch import Tensor, nn

_ROUTERS = ("mlp.gate.weight", "block_sparse_moe.gate.weight")
# An expert's layers, as Qwen and as Mixtral call them -> ours.
_EXPERT = re.compile(
    r"(?:mlp|block_sparse_moe)\.experts\.(0|[1-9][0-9]{0,4})\.(gate_proj|up_proj|down_proj|w[123])\.weight"
)
_EXPERT_LAYERS = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}


class ExpertsFamily(BlockFamily):
    """Attention, and behind it a network for each token of the experts that a router chose."""

    name = "experts"
    knows = ("experts",)
    takes_many_tokens = False

    def takes(self, config: DecoderConfig) -> bool:
        """Whether there are experts."""
        return config.experts > 0

    def check_shape(self, config: DecoderConfig, phase: str, tokens: int, batch: int) -> None:
        """Each token has experts of its own: a design reads those of one."""
        if phase == "decode" and tokens == batch == 1:
            return
        raise InputError(
            "experts-of-tokens",
            "a block of experts takes one token, whose experts it reads",
            where=config.name,
            demand=tokens * batch,
            bound=1,
            unit="tokens",
            hints=["compile a decode step: --phase decode --tokens 1"],
        )

    def check_cards(self, config: DecoderConfig, cards: int) -> None:
        """Nobody shares experts out."""
        raise InputError(
            "bad-cards",
            "several cards share a block without experts",
            where=config.name,
            hints=["take a model without experts"],
        )

    def linear_layers(self, config: DecoderConfig) -> Shapes:
        """Those of attention: router and experts have no names of their own."""
        return attention_layers(config)

    def other_parameters(self, config: DecoderConfig) -> int:
        """Vectors of attention and norms, the router, and all experts."""
        return attention_vectors(config) + config.experts * (config.hidden + expert_parameters(config))

    def take_tensors(
        self, config: DecoderConfig, state: "Mapping[str, Tensor]"
    ) -> "tuple[dict[str, Tensor], Mapping[str, Tensor]]":
        """The router, and the layers of all experts, [experts, inputs, outputs], from those of each."""
        import torch

        routers = [tensor.T for name, tensor in state.items() if name in _ROUTERS]
        ours = dict(zip(["mlp.router.proj.weight"], routers, strict=False))
        found: dict[str, dict[int, Tensor]] = {}
        for name, tensor in state.items():
            if match := _EXPERT.fullmatch(name):
                found.setdefault(_EXPERT_LAYERS.get(match[2], match[2]), {})[int(match[1])] = tensor
        for layer, experts in found.items():
            strange = len(experts) != config.experts or len({each.shape for each in experts.values()}) > 1
            if strange or max(experts) >= config.experts:
                what = f"not one matrix of one shape for each of {config.experts} experts"
                raise InputError("bad-weights", what, where=layer, hints=["give a checkpoint of that size"])
            stacked = torch.stack([experts[number].T for number in range(config.experts)])
            ours[f"mlp.{layer}.weight"] = stacked
        rest = {name: each for name, each in state.items() if name not in _ROUTERS and not _EXPERT.fullmatch(name)}
        return ours, rest

    def small_sizes(self, config: DecoderConfig, sizes: dict[str, int]) -> dict[str, int]:
        """Eight experts, of which a token has up to four."""
        return sizes | {"ffn": 256, "experts": 8, "experts_per_token": min(config.experts_per_token, 4)}

    def feed_forward(self, config: DecoderConfig) -> "nn.Module":
        """The network with the weights of all experts."""
        from sttest.models.experts import ExpertMlp

        return ExpertMlp(config)

    def tables(self, config: DecoderConfig) -> dict[str, F32Array]:
        """Numbers of experts and of places among the chosen."""
        return expert_tables(config)

    def added(self, config: DecoderConfig, program: TorchProgram) -> TorchProgram:
        """The weights of the chosen experts as arguments, and their numbers as a result behind those of attention."""
        import torch

        from sttest.models.experts import INDEXED, ChosenMlp

        with torch.device("meta"):
            program.module.mlp = ChosenMlp(config).eval()
            inputs = {name: torch.empty(len(table)) for name, table in self.tables(config).items()}
        indexed = tuple(f"{name}:{dim}" for name, dim in INDEXED.items())
        index = {"index": EXPERTS, "index_range": config.experts, "indexed": indexed}
        return replace(
            program,
            inputs={**program.inputs, **inputs},
            attributes={**program.attributes, **index},
            results=(*program.results[:3], EXPERTS, *program.results[3:]),
        )


def expert_parameters(config: DecoderConfig) -> int:
    """Weights of one expert of a layer."""
    return 3 * config.hidden * config.ffn


EXPERT_FAMILY = ExpertsFamily()
