"""The family of state-space blocks, :mod:`sttest_systems.state_space.block`: configurations with a ``state``."""

from typing import TYPE_CHECKING

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig
from sttest.models.families import BlockFamily, Shapes
from sttest.models.program import TorchProgram
from sttest_systems.state_space.models import MAMBA2

if TYPE_CHECKING:
    from torch import nn


class StateSpaceFamily(BlockFamily):
    """A decode step over a state, and no attention."""

    name = "state-space"
    takes_many_tokens = False
    knows = ("state",)
    case = "sttest_systems.state_space.case:make_state_case"

    def takes(self, config: DecoderConfig) -> bool:
        """Whether there is a state."""
        return config.state > 0

    def check_shape(self, config: DecoderConfig, phase: str, tokens: int, batch: int) -> None:
        """The state goes from token to token: a design steps once."""
        if phase == "decode" and tokens == batch == 1:
            return
        raise InputError(
            "state-of-tokens",
            "a state-space block takes one token of one sequence, a prompt as many steps",
            where=config.name,
            demand=max(tokens, batch),
            bound=1,
            unit="tokens",
            hints=["compile a decode step: --phase decode --tokens 1 --batch 1"],
        )

    def check_cards(self, config: DecoderConfig, cards: int) -> None:
        """A state is in one place."""
        raise InputError(
            "bad-cards", "a state-space block is on one card", where=config.name, hints=["leave out --cards"]
        )

    def linear_layers(self, config: DecoderConfig) -> Shapes:
        """Projections into gate, convolutions and steps, and out again."""
        inner, shared = config.heads * config.head_dim, config.kv_heads * config.state
        outputs = {"gate": inner, "x": inner, "b": shared, "c": shared, "dt": config.heads}
        projections = {f"mixer.{name}_proj": (config.hidden, count) for name, count in outputs.items()}
        return projections | {"mixer.out_proj": (inner, config.hidden)}

    def other_parameters(self, config: DecoderConfig) -> int:
        """Convolutions with biases; step bias, decay and skip of each head; both norms."""
        inner, shared = config.heads * config.head_dim, config.kv_heads * config.state
        return (config.conv_kernel + 1) * (inner + 2 * shared) + 3 * config.heads + inner + config.hidden

    def small_sizes(self, config: DecoderConfig, sizes: dict[str, int]) -> dict[str, int]:
        """Eight heads of 32 over a state of 64; half as wide, but with two groups, for the model that tests take."""
        if config == MAMBA2:
            return {"hidden": 64, "ffn": 0, "heads": 8, "kv_heads": 2, "head_dim": 16, "state": 32}
        return {"hidden": 128, "ffn": 0, "heads": 8, "kv_heads": config.kv_heads, "head_dim": 32, "state": 64}

    def feed_forward(self, config: DecoderConfig) -> "nn.Module":
        """There is none, nor attention before it."""
        raise InputError(
            "state-space",
            "a state-space block has no attention",
            where=config.name,
            hints=["compile or cross-check a decode step of it", "take a model with attention"],
        )

    def own_program(self, config: DecoderConfig, context: int, *, head: bool) -> TorchProgram:
        """A decode step; the context only says how many tokens its state has seen."""
        if head:
            raise InputError(
                "head-of-state",
                "the head follows blocks with attention only",
                where=config.name,
                hints=["leave out --head"],
            )
        import torch

        from sttest_systems.state_space.block import RESULTS, Mamba2Block, state_shapes

        shapes = state_shapes(config)
        with torch.device("meta"):
            module = Mamba2Block(config)
            inputs = {name: torch.empty(shape) for name, shape in ({"x": (1, config.hidden)} | shapes).items()}
        # Not caches, which a scheme may have as integers: each layer's own inputs, in floating point.
        attributes: dict[str, str | int | tuple[str, ...]] = {
            "model": config.name,
            "phase": "decode",
            "tokens": 1,
            "context": context,
            "inputs_per_layer": tuple(shapes),
        }
        return TorchProgram(module.eval(), inputs, results=RESULTS, attributes=attributes)


STATE_SPACE = StateSpaceFamily()
