"""Values of own kernels: functions of the user's, by the name of the C++ function that does the same."""

from collections.abc import Callable

import numpy as np

from sttest.core.errors import InputError
from sttest.reference.graph import Array

_FUNCTIONS: dict[str, Callable[..., object]] = {}


def define_own_kernel(name: str, function: Callable[..., object]) -> None:
    """Says what a function computes, from here on in this process.

    Args:
        name: name of the C++ function.
        function: takes numpy arrays of float32, all of one shape, and gives one of that shape.
    """
    _FUNCTIONS[name] = function


def own_kernel(name: str) -> Callable[..., Array]:
    """The function of a name, from arrays that broadcast.

    Raises:
        InputError: it is not defined; at the call, it fails or gives no float32 of the shape of its arguments.
    """
    if name not in _FUNCTIONS:
        raise InputError(
            "no-own-values",
            f"nothing says what the own kernel '{name}' computes",
            where="values",
            hints=["give --kernels FILE"],
        )
    function = _FUNCTIONS[name]

    def called(*arguments: Array) -> Array:
        given = [np.array(each) for each in np.broadcast_arrays(*arguments)]
        try:
            found = function(*given)
        except Exception as error:
            what = f"its function failed: {type(error).__name__}: {error}"
            raise InputError("own-values", what, where=f"own kernel '{name}'", hints=["run it with python"]) from error
        if not isinstance(found, np.ndarray) or found.dtype != np.float32 or found.shape != given[0].shape:
            shown = f"{found.dtype} {list(found.shape)}" if isinstance(found, np.ndarray) else type(found).__name__
            raise InputError(
                "own-values",
                f"its function gives {shown}, not float32 {list(given[0].shape)}",
                where=f"own kernel '{name}'",
                hints=["end it with .astype(np.float32)"],
            )
        return found

    return called
