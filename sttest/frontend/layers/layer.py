"""From a class and a configuration to one layer of the model as a module with example inputs; imports PyTorch."""

from typing import Any

import torch
from torch import Tensor, nn

from sttest.core.errors import InputError, SttestError
from sttest.frontend.layers.asked import AskedLayer
from sttest.frontend.layers.building import Weights, built_model, layer_path
from sttest.frontend.layers.capture import CapturedLayer, LayerCall, captured, quiet, varying_leaves
from sttest.frontend.layers.model_inputs import ModelInputs
from sttest.frontend.refusals import raised_at


def captured_layer(asked: AskedLayer) -> tuple[CapturedLayer, dict[str, Tensor]]:
    """A layer of the asked model, called as the model calls it, and its inputs by name.

    Two runs of the model, on inputs that are drawn by the seed, tell what of the call depends on them: that is an
    input.  Masks, tables of positions and the like are the same in both, and are held.

    Raises:
        InputError: no such class or layer, a configuration that the class refuses, or a model that does not run.
        DoesNotFitError: weights that do not fit this machine.
        ToolMissingError: transformers is not installed.
    """
    asked.check()
    with quiet():
        model = built_model(asked)
        path = layer_path(model, asked)
        layer = model.get_submodule(path)
        weights = Weights(model, asked.seed)
        with weights.on_demand(model, layer):
            calls = [_call(model, layer, asked, path, seed) for seed in (asked.seed, asked.seed + 1)]
        return _module(layer, calls)


def _module(layer: nn.Module, calls: list[LayerCall]) -> tuple[CapturedLayer, dict[str, Tensor]]:
    varying = varying_leaves(*calls)
    module = CapturedLayer(layer, calls[0], varying).eval()
    written: frozenset[int] = frozenset() if module.state is not None else module.writes(calls[0])
    module = CapturedLayer(layer, calls[0], varying, None, written).eval()
    examples = [module.example(call) for call in calls]
    one, other = (module(**example) for example in examples)
    results = frozenset(
        name for name, each in one.items() if not torch.equal(each, other[name]) and not _is_given(each, examples[0])
    )
    return CapturedLayer(layer, calls[0], varying, results, written).eval(), examples[0]


def _is_given(result: Tensor, example: dict[str, Tensor]) -> bool:
    return any(result.shape == each.shape and torch.equal(result, each) for each in example.values())


def _call(model: nn.Module, layer: nn.Module, asked: AskedLayer, path: str, seed: int) -> LayerCall:
    inputs = ModelInputs(model, asked, seed)
    try:
        if asked.phase == "prefill":
            found = captured(model, layer, inputs.prefill(asked.tokens))
        else:
            first = captured(model, layer, inputs.prefill(asked.context))
            cache = _cache(first, asked, path)
            found = captured(model, layer, inputs.decode(asked.tokens, cache))
    except SttestError:
        raise
    except Exception as error:
        what = f"the model does not run: {type(error).__name__}: {error}"
        hints = ["check the configuration", "name another layer", "write a function that makes the module"]
        raise InputError("not-captured", what, where=raised_at(error, type(model).__name__), hints=hints) from error
    if found is None:
        hints = ["name a layer that the model calls, as in CLASS:PATH"]
        raise InputError("not-captured", f"the model never calls '{path}'", where=asked.model, hints=hints)
    return found


def _cache(call: LayerCall | None, asked: AskedLayer, path: str) -> Any:
    """The cache that a prefill has filled."""
    state = None if call is None else call.cache_state()
    if call is None or state is None:
        hints = ["take --phase prefill", "name a model that generates text, such as a ...ForCausalLM"]
        raise InputError("no-cache", f"'{path}' keeps no cache", where=f"{asked.model} decode", hints=hints)
    return next(each for number, each in call.caches.items() if call.leaves[number] is state.cache)
