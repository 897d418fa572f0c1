"""What a search is about: one decoder block on one board."""

from __future__ import annotations

from dataclasses import dataclass

from sttest.models.program import Phase, size_of


@dataclass(frozen=True)
class Target:
    """A block, where it runs, and what stands around it; plain data, so that processes can be handed it.

    Attributes:
        text: linalg text of the block.
        model, phase: whose block it is.
        tokens, context: its shape.
        board: name, or path of a YAML file.
        precision: scheme's name, or path of a YAML file.
        layers: blocks per token.
        launch_us: of one launch, of which each layer takes one.
    """

    text: str
    model: str
    phase: Phase
    tokens: int
    context: int
    board: str
    precision: str
    layers: int
    launch_us: float

    @property
    def name(self) -> str:
        """As in ``gpt2-decode-c256``."""
        return f"{self.model}-{self.phase}-{size_of(self.phase, self.tokens, self.context)}"

    def seconds(self, cycles: float, clock_mhz: float) -> float:
        """All layers with their launches: a token in decode, the prompt in prefill."""
        return self.layers * (cycles / clock_mhz + self.launch_us) / 1e6
