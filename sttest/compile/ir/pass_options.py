"""Checks of pass options that come from a command line."""

from __future__ import annotations

from sttest.errors import InputError


def require_positive(pass_name: str, **options: int) -> None:
    """Refuses options below 1.

    Raises:
        InputError: names the first such option.
    """
    for name, value in options.items():
        if value < 1:
            raise InputError(
                "bad-option", f"{name.replace('_', '-')} must be at least 1", where=pass_name, demand=value, bound=1,
                levers=[f"set {name.replace('_', '-')} to 1 or more"],
            )  # fmt: skip
