"""What a layer is called with in a run of its model, and that call as a module; imports PyTorch."""

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils import _pytree as pytree

from sttest.frontend.layers.caches import CacheState, copied, is_cache, written_entry


class _Captured(Exception):  # noqa: N818 - no error
    """Ends a run of the model behind its layer."""


@dataclass
class LayerCall:
    """One call of a layer.

    Attributes:
        leaves: what it was called with, flat; caches as they were before the call.
        names: of the leaves.
        structure: of positional and keyword arguments, for pytree.
        caches: the caches as the call left them, by the position of their leaf.
    """

    leaves: list[Any]
    names: list[str]
    structure: Any
    caches: dict[int, Any]

    def cache_state(self) -> CacheState | None:
        """The cache that the call wrote to, as it was before."""
        for position, after in self.caches.items():
            entry = written_entry(self.leaves[position], after)
            if entry is not None:
                return CacheState(self.leaves[position], entry)
        return None


def captured(model: nn.Module, layer: nn.Module, arguments: Mapping[str, Any]) -> LayerCall | None:
    """The first call of a layer in a run of the model, which ends behind it; None if it is never called."""
    calls: list[LayerCall] = []
    given: dict[int, Any] = {}

    def before(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        flat, structure = pytree.tree_flatten((args, kwargs), is_leaf=is_cache)
        given.update({number: each for number, each in enumerate(flat) if is_cache(each)})
        leaves = [copied(each) if is_cache(each) else _kept(each) for each in flat]
        calls.append(LayerCall(leaves, _names(module, args, kwargs), structure, {}))

    def after(*_: Any) -> None:
        calls[0].caches.update(given)
        raise _Captured

    hooks = [layer.register_forward_pre_hook(before, with_kwargs=True), layer.register_forward_hook(after)]
    try:
        with torch.no_grad():
            model(**arguments)
    except _Captured:
        return calls[0]
    finally:
        for each in hooks:
            each.remove()
    return None


def _kept(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, Tensor) else value


def _names(layer: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """Names of the leaves: of the parameters of the layer's ``forward``, with what leads into them."""
    known = [each for each in inspect.signature(layer.forward).parameters.values() if each.kind is not each.VAR_KEYWORD]
    positional = [each.name if each.kind is not each.VAR_POSITIONAL else "argument" for each in known]
    by_place = {
        number: positional[number] if number < len(positional) else f"argument{number}" for number in range(len(args))
    }
    named = [{by_place[number]: each} for number, each in enumerate(args)]
    paths, _ = pytree.tree_flatten_with_path((named, kwargs), is_leaf=is_cache)
    return [_name(path[2:] if path[0] == pytree.SequenceKey(0) else path[1:]) for path, _ in paths]


def _name(path: tuple[Any, ...]) -> str:
    parts = (str(getattr(key, "key", getattr(key, "idx", getattr(key, "name", "")))) for key in path)
    return re.sub(r"\W", "_", "_".join(parts))


class CapturedLayer(nn.Module):
    """A layer, called as its model calls it; what depends on the model's input comes in, all else is held.

    Args:
        layer: the layer.
        call: a call of it.
        varying: positions of leaves that the model's input decides.
        results: names of what is returned; all of it if None.
        written: positions of leaves that the layer writes to; what they are afterwards is returned.
    """

    def __init__(
        self,
        layer: nn.Module,
        call: LayerCall,
        varying: frozenset[int],
        results: frozenset[str] | None = None,
        written: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__()
        self.layer = layer
        self.structure = call.structure
        self.state = call.cache_state()
        self.cache_places = frozenset(call.caches)
        self.results = results
        self.written = written
        self.inputs: dict[int, str] = {}
        self.held: dict[int, str] = {}
        self.plain: list[Any] = list(call.leaves)
        for number, leaf in enumerate(call.leaves):
            if not isinstance(leaf, Tensor):
                continue
            self.plain[number] = None
            if number in varying:
                self.inputs[number] = _free(call.names[number], self.inputs.values())
            else:
                self.held[number] = _free(call.names[number], self.held.values())
                self.register_buffer(self.held[number], leaf)

    def example(self, call: LayerCall) -> dict[str, Tensor]:
        """The inputs of a call of the same layer, by name."""
        found = {name: call.leaves[number] for number, name in self.inputs.items()}
        state = call.cache_state()
        return found if state is None else found | state.tensors()

    def writes(self, call: LayerCall) -> frozenset[int]:
        """Positions of leaves that a call of the same layer writes to; it is made with copies."""
        copies = {number: call.leaves[number].clone() for number in self.inputs | self.held}
        leaves = [copies.get(number, leaf) for number, leaf in enumerate(self.plain)]
        before = {number: each._version for number, each in copies.items()}
        args, kwargs = pytree.tree_unflatten(leaves, self.structure)
        self.layer(*args, **kwargs)
        return frozenset(number for number, each in copies.items() if each._version != before[number])

    def forward(self, **inputs: Tensor) -> dict[str, Tensor]:
        """The first tensor that the layer returns, and what is new in its cache."""
        leaves = list(self.plain)
        for number, name in self.held.items():
            leaves[number] = getattr(self, name)
        for number, name in self.inputs.items():
            leaves[number] = inputs[name]
        opened = None if self.state is None else self.state.opened(inputs)
        if opened is not None:
            for number in self.cache_places:
                leaves[number] = opened.cache
        for number in self.written:
            leaves[number] = leaves[number].clone()
        args, kwargs = pytree.tree_unflatten(leaves, self.structure)
        returned = pytree.tree_leaves(self.layer(*args, **kwargs), is_leaf=is_cache)
        # The next layer reads the first tensor; others, such as weights of attention, are for whoever asks the model.
        first = next((each for each in returned if isinstance(each, Tensor)), None)
        found = {} if first is None else {"hidden_states": first}
        found |= {} if opened is None else opened.results()
        found |= {f"new_{(self.inputs | self.held)[number]}": leaves[number] for number in sorted(self.written)}
        return {name: each for name, each in found.items() if self.results is None or name in self.results}


def _free(name: str, taken: Any) -> str:
    name = name if name.isidentifier() and not hasattr(nn.Module, name) and name != "layer" else f"argument_{name}"
    return next(each for each in (name, *(f"{name}_{number}" for number in range(2, 99))) if each not in taken)


def varying_leaves(one: LayerCall, other: LayerCall) -> frozenset[int]:
    """Positions of tensors that two runs of a model on different inputs have other values of."""
    return frozenset(
        number
        for number, (a, b) in enumerate(zip(one.leaves, other.leaves, strict=True))
        if isinstance(a, Tensor) and isinstance(b, Tensor) and (a.shape != b.shape or not torch.equal(a, b))
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Evaluation without gradients, and without what libraries warn of themselves."""
    import warnings

    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        yield
