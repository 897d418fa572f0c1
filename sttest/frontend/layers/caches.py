"""The cache of keys and values that a layer is called with, as tensors that come in and tensors that go out.

Caches are those of transformers: an object with a list ``layers``, an entry for each layer of the model, or a pair of
such for attention to an encoder.  Nothing of transformers is imported: what looks like a cache is one.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

_PAIR = {"": "self_attention_cache", "cross_": "cross_attention_cache"}
"""What is put before names of tensors, by the part of a pair of caches."""
_NAMES = {"keys": "key", "values": "value", "conv_states": "conv_state", "recurrent_states": "recurrent_state"}


def is_cache(value: Any) -> bool:
    """Whether a value is a cache."""
    return isinstance(getattr(value, "layers", None), list) or hasattr(value, _PAIR[""])


def copied(cache: Any) -> Any:
    """A copy whose tensors are not those of the cache."""
    made = copy.copy(cache)
    if hasattr(cache, _PAIR[""]):
        for name in _PAIR.values():
            setattr(made, name, copied(getattr(cache, name)))
        made.is_updated = dict(cache.is_updated)
        return made
    made.layers = [_copied_entry(entry) for entry in cache.layers]
    return made


def _copied_entry(entry: Any) -> Any:
    made = copy.copy(entry)
    for name, value in vars(entry).items():
        if isinstance(value, dict):
            setattr(made, name, {key: _cloned(each) for key, each in value.items()})
        else:
            setattr(made, name, _cloned(value))
    return made


def _cloned(value: Any) -> Any:
    return value.clone() if isinstance(value, Tensor) else value


def _parts(cache: Any) -> Iterator[tuple[str, Any]]:
    """The caches of a pair, or the cache itself, with what is put before their names."""
    if not hasattr(cache, _PAIR[""]):
        yield "", cache
        return
    for before, name in _PAIR.items():
        yield before, getattr(cache, name)


def _tensors(entry: Any) -> Iterator[tuple[str, str, Any]]:
    """Name for people, attribute and key of every state of an entry that has elements."""
    for attribute, value in vars(entry).items():
        if attribute.startswith("_"):
            continue
        states: dict[Any, Any] = value if isinstance(value, dict) else {None: value}
        for key, each in states.items():
            if isinstance(each, Tensor) and each.numel() and each.dim() > 1:
                name = str(_NAMES.get(attribute, attribute))
                yield name if not key else f"{name}_{key}", attribute, key


def _state(entry: Any, attribute: str, key: Any) -> Tensor:
    value = getattr(entry, attribute)
    return value if key is None else value[key]


def _put(entry: Any, attribute: str, key: Any, tensor: Tensor) -> None:
    if key is None:
        setattr(entry, attribute, tensor)
    else:
        getattr(entry, attribute)[key] = tensor


def written_entry(before: Any, after: Any) -> int | None:
    """The number of the entry that a call has changed, which is the layer's own; None if none is."""
    for (_, old), (_, new) in zip(_parts(before), _parts(after), strict=True):
        for number, entry in enumerate(new.layers):
            old_entry = old.layers[number] if number < len(old.layers) else None
            if _differs(old_entry, entry):
                return number
    return None


def _differs(old: Any, new: Any) -> bool:
    for _, attribute, key in _tensors(new):
        earlier = None if old is None else _state(old, attribute, key)
        if not isinstance(earlier, Tensor) or earlier.shape != _state(new, attribute, key).shape:
            return True
        if not torch.equal(earlier, _state(new, attribute, key)):
            return True
    return False


@dataclass
class CacheState:
    """A cache as a layer finds it, and the entry that is the layer's.

    Attributes:
        cache: a copy of its own.
        entry: number of the entry.
    """

    cache: Any
    entry: int

    def tensors(self) -> dict[str, Tensor]:
        """What the layer's entry holds, by name: ``past_key``, ``past_value``, ``cross_key`` and so on."""
        found: dict[str, Tensor] = {}
        for before, part in _parts(self.cache):
            if self.entry < len(part.layers):
                entry = part.layers[self.entry]
                for name, attribute, key in _tensors(entry):
                    found[f"{before or 'past_'}{name}"] = _state(entry, attribute, key)
        return found

    def opened(self, given: Mapping[str, Tensor]) -> "OpenCache":
        """A cache that holds the tensors that are given, by the names of :meth:`tensors`, and tells what is new."""
        cache, told = copied(self.cache), OpenCache(None)
        for before, part in _parts(cache):
            while len(part.layers) <= self.entry:  # made when they are first written, as transformers does
                part.layers.append(part.layer_class_to_replicate())
            entry = part.layers[self.entry]
            for name, attribute, key in list(_tensors(entry)):
                # A copy, for some states are written in place.
                tensor = given[f"{before or 'past_'}{name}"]
                _put(entry, attribute, key, tensor if key is None else tensor.clone())
            told.watch(before, entry)
        told.cache = cache
        return told


@dataclass
class OpenCache:
    """A cache in use.

    Attributes:
        cache: what the layer is called with.
        joined: new keys and values, by name, that were joined to those that were there.
    """

    cache: Any
    joined: dict[str, Tensor] = field(default_factory=dict)
    _others: list[tuple[str, Any, dict[str, Tensor]]] = field(default_factory=list)

    def watch(self, before: str, entry: Any) -> None:
        """Notes what the entry is told, as its update would otherwise keep old and new in one tensor."""
        if hasattr(entry, "keys") and hasattr(entry, "values") and callable(getattr(entry, "update", None)):
            entry.update = self._update(before, entry)
        states = {name: _state(entry, attribute, key) for name, attribute, key in _tensors(entry)}
        self._others.append((before, entry, states))

    def _update(self, before: str, entry: Any) -> Callable[..., tuple[Tensor, Tensor]]:
        def update(key_states: Tensor, value_states: Tensor, *_: Any, **__: Any) -> tuple[Tensor, Tensor]:
            self.joined[f"{before}key"], self.joined[f"{before}value"] = key_states, value_states
            if isinstance(entry.keys, Tensor) and entry.keys.numel():
                key_states = torch.cat([entry.keys, key_states], dim=-2)
                value_states = torch.cat([entry.values, value_states], dim=-2)
            entry.keys, entry.values, entry.is_initialized = key_states, value_states, True
            return key_states, value_states

        return update

    def results(self) -> dict[str, Tensor]:
        """New keys and values, and other states as they are now, by name."""
        found = dict(self.joined)
        for before, entry, states in self._others:
            for name, attribute, key in _tensors(entry):
                # States by number are written in place.
                is_other = key is not None or _state(entry, attribute, key) is not states.get(name)
                if attribute not in ("keys", "values") and is_other:
                    found[f"{before}{name}"] = _state(entry, attribute, key)
        return found
