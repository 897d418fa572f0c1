"""A property of an attribute that is worked out once: attributes never change, and passes ask for it many times."""

from __future__ import annotations

from typing import Any


class remembered(property):  # noqa: N801 - used as the decorator that it refines
    """A read-only property whose value is kept with its attribute (irdl takes no ``cached_property``)."""

    def __set_name__(self, _owner: type, name: str) -> None:
        self._key = f"_{name}_remembered"

    def __get__(self, attribute: Any, owner: type | None = None) -> Any:
        if attribute is None:
            return self
        kept = attribute.__dict__
        try:
            return kept[self._key]
        except KeyError:
            value = kept[self._key] = super().__get__(attribute, owner)
            return value
