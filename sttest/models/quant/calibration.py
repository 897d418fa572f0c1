"""Weights of a whole model calibrated to a scheme on a text: layer by layer, each behind those that are done.

Inputs of a layer's products are what the quantized layers before it give.  Before its weights are rounded they are
fitted, by ridge regression, to give on these inputs what the weights in floating point give on exact ones, so that
layers make up for each other's errors, those of activations and of the cache included.
"""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError
from sttest.models.blocks import run_prefill
from sttest.models.config import LayerKind
from sttest.models.language_model import LanguageModel
from sttest.models.layers import Linear
from sttest.models.quant.block import quantize_block
from sttest.models.quant.gptq import damped, rounded
from sttest.models.quant.scheme import QuantScheme

Progress = Callable[[str], None]


@torch.no_grad()
def calibrated(
    model: LanguageModel, scheme: QuantScheme, windows: Sequence[Sequence[int]], progress: Progress = lambda _step: None
) -> LanguageModel:
    """A copy of a model in floating point that ``quantize_model`` rounds to integers which fit the text.

    Embedding, norms, biases and head are the model's.  Memory holds two models, twice the residual stream of all
    windows, and what the linear layers of one layer read on them.

    Args:
        model: model with weights.
        scheme: scheme that the copy is for; its activations are computed on the fly.
        windows: tokens of the calibration text, at least one window.
        progress: called with the layer that is calibrated next.

    Raises:
        InputError: a scheme with constant scales, or whose weights are no integers of a symmetric range.
    """
    if not scheme.weight_type.is_symmetric or scheme.activations == "static":
        what = "weights are calibrated to integers of a symmetric range, with activations as they come"
        raise InputError("not-calibrated", what, where=f"scheme '{scheme.name}'", hints=["take w4a8-g32 or w8a8"])
    made = copy.deepcopy(model)
    exact = [model.embedding(tokens, 0) for tokens in windows]
    entering = list(exact)
    for number, block in enumerate(made.layers):
        layer, stages = _Layer(model, number, scheme), list(_stages(block))
        wanted, exact = layer.exact(exact, [names[0] for names in stages])
        for names in stages:
            progress(f"layer {number + 1} of {len(made.layers)}, {', '.join(names)}")
            layer.calibrate(block, names, entering, wanted.pop(names[0]))
        progress(f"layer {number + 1} of {len(made.layers)}, outputs")
        twin = quantize_block(block, scheme)
        entering = [layer.run(twin, x) for x in entering]
    return made


_STAGES = (("q_proj", "k_proj", "v_proj"), ("o_proj",), ("gate_proj", "up_proj", "fc1"), ("down_proj", "fc2"))


def _stages(block: nn.Module) -> Iterator[list[str]]:
    """Names of the block's linear layers in the order in which they run, those that read one input together."""
    names = [name for name, module in block.named_modules() if isinstance(module, Linear)]
    for stage in _STAGES:
        found = [name for name in names if name.rpartition(".")[2] in stage]
        if found:
            yield found


@dataclass(frozen=True)
class _Layer:
    """One layer of the model in floating point and the scheme of its copy."""

    model: LanguageModel
    number: int
    scheme: QuantScheme

    @property
    def kind(self) -> LayerKind:
        return self.model.config.layer_kind(self.number)

    def run(self, block: nn.Module, x: Tensor) -> Tensor:
        return run_prefill(block, self.model.config, x, self.kind)[0]

    def exact(self, entering: Sequence[Tensor], names: Sequence[str]) -> tuple[dict[str, list[Tensor]], list[Tensor]]:
        """What linear layers read in floating point, by name and window, and what the layer gives."""
        block, read = self.model.layers[self.number], {name: list[Tensor]() for name in names}
        hooks = [block.get_submodule(name).register_forward_pre_hook(_keeper(found)) for name, found in read.items()]
        try:
            return read, [self.run(block, x) for x in entering]
        finally:
            for hook in hooks:
                hook.remove()

    def calibrate(
        self, block: nn.Module, names: Sequence[str], entering: Sequence[Tensor], wanted: Sequence[Tensor]
    ) -> None:
        """Exchange the weights of linear layers that read one input, ``wanted`` in floating point."""
        twin = quantize_block(block, self.scheme)
        hessian, missing = self._moments(twin, names[0], entering, wanted)
        linears = [block.get_submodule(name) for name in names]
        weight = torch.cat([linear.get_parameter("weight") for linear in linears], 1)
        # Ridge regression: of x, (x + d) @ weight is wanted; weight + inverse(x.T x) @ (x.T d) @ weight is nearest.
        fitted = weight + torch.linalg.solve(damped(hessian), missing @ weight.double()).float()
        whole = rounded(fitted, hessian, self.scheme.rows_per_scale(len(weight)), self.scheme.weight_max)
        widths = [linear.get_parameter("weight").shape[1] for linear in linears]
        for linear, part in zip(linears, whole.split(widths, 1), strict=True):
            linear.weight = nn.Parameter(part.contiguous())

    def _moments(
        self, twin: nn.Module, name: str, entering: Sequence[Tensor], wanted: Sequence[Tensor]
    ) -> tuple[Tensor, Tensor]:
        """``x.T @ x`` of a linear layer's inputs, and ``x.T @ d`` with what they lack of those in floating point."""
        hessian = missing = torch.zeros((), dtype=torch.float64)
        for x, exact in zip(entering, wanted, strict=True):
            found = self._input(twin, name, x)
            hessian = hessian + (found.T @ found).double()
            missing = missing + (found.T @ (exact - found)).double()
        return hessian, missing

    def _input(self, block: nn.Module, name: str, x: Tensor) -> Tensor:
        """What the linear layer of that name reads; nothing behind it is computed."""
        seen: list[Tensor] = []

        def keep(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
            seen.append(inputs[0])
            raise _SeenError

        hook = block.get_submodule(name).register_forward_pre_hook(keep)
        try:
            self.run(block, x)
        except _SeenError:
            return seen[0]
        finally:
            hook.remove()
        raise AssertionError(f"{name} is not reached")


def _keeper(found: list[Tensor]) -> Callable[[nn.Module, tuple[Tensor, ...]], None]:
    """A hook that keeps what a layer reads."""

    def keep(_: nn.Module, inputs: tuple[Tensor, ...]) -> None:
        found.append(inputs[0])

    return keep


class _SeenError(Exception):
    """Ends a forward pass at the layer whose input was asked for."""
