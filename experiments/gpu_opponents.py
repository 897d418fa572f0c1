"""GPUs that a generation is compared with: published A100 rows, what follows from them, and measured H200 rows.

No A100 figure of Llama or Gemma is published for this comparison, so the A100
appears several times, each time by another stated rule; nothing is fitted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from experiments.h200 import H200
from experiments.published import gpt2_row, gpu_decode_speed
from sttest.boards.board import RULES, GpuBoard, Rule, gpu_watts
from sttest.boards.load import load_board
from sttest.models.registry import get_config

_PAPER = "StreamTensor Table 5"
_QWEN_ROW = "QwenLM/Qwen2.5 speed_benchmark.rst, A100 80GB, BF16"


@dataclass(frozen=True)
class GpuGeneration:
    """One generation [n:m] on a GPU: TTFT, latency, joules by rule (absent: no reading)."""

    ttft_s: float
    latency_s: float
    joules: Mapping[Rule, float]


class Opponent(Protocol):
    """A GPU with a way to run models on it."""

    @property
    def name(self) -> str:
        """As the rows of a table call it."""
        ...

    @property
    def board(self) -> str:
        """The GPU."""
        ...

    @property
    def software(self) -> str:
        """What runs the model."""
        ...

    @property
    def source(self) -> str:
        """Where its figures are from."""
        ...

    @property
    def note(self) -> str:
        """How they were come by."""
        ...

    def generation(self, model: str, input_len: int, output_len: int) -> GpuGeneration | None:
        """The generation, or None where nobody has published or measured what it needs."""
        ...


@cache
def _watts(name: str) -> dict[Rule, float]:
    """What each rule charges a GPU of which only published readings are at hand."""
    board = load_board(name)
    assert isinstance(board, GpuBoard)
    return {rule: gpu_watts(board, rule) for rule in RULES}


@dataclass(frozen=True)
class A100:
    """An A100 whose speed is published, or scaled from a published one by what was measured on an H200.

    ``published``: model to decode speed in tokens/s; empty: GPT-2 rows of StreamTensor.  ``scaled_by``: the H200 mode
    whose ratio between models carries a published speed over to the models that have none.
    """

    name: str
    software: str
    published: Mapping[str, float]
    scaled_by: str
    per_layer: bool
    source: str
    note: str
    board: str = "a100"

    def generation(self, model: str, input_len: int, output_len: int) -> GpuGeneration | None:
        """TTFT is one step where none is published: at batch 1 it does not depend on a prompt of at most 128 tokens."""
        step_s, published_s = self._step_s(model, output_len), self._ttft_s(model, input_len)
        if step_s is None:
            return None
        ttft_s = step_s if published_s is None else published_s
        latency_s = ttft_s + output_len * step_s
        joules: dict[Rule, float] = {rule: watts * latency_s for rule, watts in _watts(self.board).items()}
        return GpuGeneration(ttft_s, latency_s, joules)

    def _step_s(self, model: str, output_len: int) -> float | None:
        if not self.published:
            return self._scale("gpt2", model, gpt2_row("a100", output_len, output_len).decode_ms_per_token / 1e3)
        known, speed = next(iter(self.published.items()))
        return self._scale(known, model, 1 / speed)

    def _ttft_s(self, model: str, input_len: int) -> float | None:
        if self.published:
            return None
        return self._scale("gpt2", model, gpt2_row("a100", input_len, input_len).ttft_ms / 1e3)

    def _scale(self, known: str, model: str, seconds: float) -> float | None:
        if model == known:
            return seconds
        if self.per_layer:
            return seconds * get_config(model).layers / get_config(known).layers
        if not self.scaled_by:
            return None
        h200 = H200()
        return seconds * h200.speed(known, self.scaled_by) / h200.speed(model, self.scaled_by)


@dataclass(frozen=True)
class Measured:
    """The H200 of experiments/gpu_baseline in one mode; generations between measured lengths are composed."""

    software: str
    board: str = "NVIDIA H200"
    source: str = "results/gpu_baseline"
    note: str = (
        "TTFT of [n:n] plus m steps of [m:m], each measured; energy: that of a step at 512 positions, with its power "
        "for the prefill"
    )

    @property
    def name(self) -> str:
        """As the rows of a table call it."""
        return f"H200 {self.software}"

    def generation(self, model: str, input_len: int, output_len: int) -> GpuGeneration | None:
        """From TTFT and steps of the measured generations."""
        h200 = H200()
        ttft_s, step_s = h200.ttft_s(model, self.software, input_len), h200.step_s(model, self.software, output_len)
        if ttft_s is None or step_s is None:
            return None
        latency_s = ttft_s + output_len * step_s
        joules: dict[Rule, float] = {"tdp": h200.power_limit_w * latency_s}
        metrics: dict[Rule, str] = {"drawn": "energy_gross", "net": "energy_net"}
        for rule, metric in metrics.items():
            per_step_j = h200.value(model, self.software, f"{metric} c=512")
            if per_step_j is not None:
                watts = per_step_j * h200.speed(model, self.software)
                joules[rule] = per_step_j * output_len + watts * ttft_s
        return GpuGeneration(ttft_s, latency_s, joules)


def a100_opponents() -> list[A100]:
    """The A100 as published, and carried over."""
    eager, vllm = (gpu_decode_speed("A100-80GB", "Qwen2.5-0.5B", "BF16", software) for software in _QWEN_SOFTWARE)
    return [
        A100(
            "A100 per layer", "as in the paper's Table 5", {}, "", True, _PAPER,
            "published GPT-2 rows times layers / 24: every layer costs what one of GPT-2 does",
        ),
        A100(
            "A100 eager", "as in the paper's Table 5", {}, "eager-bf16", False, _PAPER,
            "published GPT-2 rows times the H200's eager time of the model over its eager time of GPT-2",
        ),
        A100(
            "A100 HF eager", _QWEN_SOFTWARE[0], {"qwen": eager}, "", False, _QWEN_ROW,
            "published speed of Qwen (1 token in, 2048 out)",
        ),
        A100(
            "A100 graphs", _QWEN_SOFTWARE[1], {"qwen": vllm}, "graph-bf16", False, _QWEN_ROW,
            "published vLLM speed of Qwen; other models times the H200's ratio with CUDA graphs",
        ),
    ]  # fmt: skip


_QWEN_SOFTWARE = ("HF transformers", "vLLM (CUDA graphs)")


def h200_opponents() -> list[Measured]:
    """Every measured mode that has generations."""
    return [Measured(mode) for mode in ("eager-bf16", "graph-bf16", "compile-bf16", "compile-int4")]
