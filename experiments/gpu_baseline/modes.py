"""The ways in which a model is run: launched op by op, as captured CUDA graphs, or compiled and then captured."""

from __future__ import annotations

import gc
from collections.abc import Callable

import torch
from torch import Tensor

from experiments.gpu_baseline.hugging_face import build_model
from experiments.gpu_baseline.network import Network
from experiments.gpu_baseline.points import CACHE_LEN, Mode
from experiments.gpu_baseline.quantized import quantize_linears
from experiments.gpu_baseline.windows import Work
from sttest.models.config import DecoderConfig

_DTYPES = {"bf16": "bfloat16", "fp16": "float16", "int4": "bfloat16", "int8": "bfloat16"}
_WARM_RUNS = 3

Run = Callable[[], Tensor]
"""Runs once and gives logits [vocab]."""


class ModeUnavailableError(RuntimeError):
    """A mode that this device cannot run."""


class Session:
    """One model, loaded and ready to run in one mode.

    Args:
        device: "cuda" or "cpu"; the CPU is for trial runs and knows no graphs.
    """

    def __init__(self, config: DecoderConfig, mode: Mode, device: str) -> None:
        self.technique, _, self.precision = mode.partition("-")
        if self.technique != "eager" and device == "cpu":
            raise ModeUnavailableError("CUDA graphs need a CUDA device")
        self.config = config
        self.device = device
        self._model = build_model(config, device, _DTYPES[self.precision])
        if self.precision == "int4" or self.precision == "int8":
            quantize_linears(self._model, self.precision)
        self._networks: dict[int, Network] = {}
        self._steps: dict[int, Run] = {}
        self._prefills: dict[tuple[int, int], Run] = {}

    def synchronize(self) -> None:
        """Waits until the device has nothing left to do."""
        if self.device == "cuda":
            torch.cuda.synchronize()

    def decode_work(self, context: int) -> Work:
        """The same decode step again and again, with ``context`` positions in the cache, all attended."""
        network = self._network(context)
        network.set_position(context - 1)
        step = self._step(context)
        network.set_position(context - 1)
        return Work(step, self.synchronize)

    def prefill_work(self, tokens: int) -> Work:
        """The same prompt again and again."""
        return Work(self._prefill(tokens, self.cache_len(tokens)), self.synchronize)

    def generation_parts(self, tokens: int) -> tuple[Callable[[], None], Callable[[], None]]:
        """Prefill of a prompt and a decode step that moves on, over the static cache of ``CACHE_LEN`` positions."""
        network = self._network(CACHE_LEN)
        prefill, step = self._prefill(tokens, CACHE_LEN), self._step(CACHE_LEN)

        def begin() -> None:
            prefill()
            network.set_position(tokens)

        def go_on() -> None:
            step()
            network.advance()

        return begin, go_on

    def cache_len(self, length: int) -> int:
        """Positions of the cache in which a prompt or context of ``length`` is measured: one length is compiled."""
        return CACHE_LEN if self.technique == "compile" else length

    def logit_error(self, context: int) -> float:
        """How far a step's logits are from those of the same step op by op: norm of the difference over norm."""
        network = self._network(context)
        step = self._step(context)
        with torch.no_grad():
            network.set_position(context - 1)
            network.token.fill_(1)
            wanted = network.decode().float()
            network.token.fill_(1)
            found = step().float()
            return float((found - wanted).norm() / wanted.norm())

    def close(self) -> None:
        """Gives the device's memory back."""
        self._prefills.clear()
        self._steps.clear()
        self._networks.clear()
        self._model = None
        gc.collect()
        if self.device == "cuda":
            torch.cuda.empty_cache()
            torch.compiler.reset()

    def _network(self, length: int) -> Network:
        if length not in self._networks:
            self._networks[length] = Network(self.config, self._model, length)
        return self._networks[length]

    def _step(self, context: int) -> Run:
        if context not in self._steps:
            decode = self._network(context).decode
            self._steps[context] = self._ready(_compiled(decode) if self.technique == "compile" else decode)
        return self._steps[context]

    def _prefill(self, tokens: int, length: int) -> Run:
        """A prefill; also where the step is compiled it is only captured: one shape would be one compilation."""
        if (tokens, length) not in self._prefills:
            network = self._network(length)
            self._prefills[tokens, length] = self._ready(lambda: network.prefill(tokens))
        return self._prefills[tokens, length]

    def _ready(self, run: Run) -> Run:
        return _without_grad(run) if self.technique == "eager" else _captured(run)


def _without_grad(run: Run) -> Run:
    return torch.no_grad()(run)


def _compiled(run: Run) -> Run:
    """Through Inductor, tuned for a batch of one: matrix-vector products become fused reductions."""
    return torch.compile(run, dynamic=False, options={"coordinate_descent_tuning": True})


def _captured(run: Run) -> Run:
    """The work as a CUDA graph; everything that it reads and writes stays where it is."""
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(_WARM_RUNS):
                run()
        torch.cuda.current_stream().wait_stream(side)
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            logits = run()

    def replay() -> Tensor:
        graph.replay()
        return logits

    return replay
