"""The door of weight types: what integers, or numbers in floating point, the weights of a linear layer may be.

    Offer("weight_types", "quinary", "my_package.weights:QUINARY")

is a :class:`WeightType`.  Schemes name it (``weights: quinary``); its quantizer makes the integers, and where it has a
code, they lie in memory by it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.extensions import Offer, all_loaded
from sttest.reference.codes import BASE_3, THREE_BITS, THREE_OF_FOUR, Code

__depends__ = ("sttest/built_in/weight_types.py", "sttest/models/quant/quantizers.py", "sttest/compile/decoders.py")

_SYMMETRIC = "sttest.models.quant.quantizers:symmetric"


@dataclass(frozen=True)
class WeightType:
    """A type of weights.

    Args:
        name: what schemes call it.
        bits: bits of a weight in a stream; with a code memory has fewer.
        most: largest magnitude of the integers; 0 is floating point.
        quantizer: ``package.module:function`` that makes integers and scales of the columns [N, rows] of a group and
            ``most``; the nearest under the column's peak by default.
        code: how they lie in memory, where that is not as in a stream.
        told: bits by which studies name it, as in ``bits.weights: 1.58``; ``bits`` if not given.
    """

    name: str
    bits: int
    most: int = 0
    quantizer: str = _SYMMETRIC
    code: Code | None = None
    told: float | None = None

    @property
    def is_symmetric(self) -> bool:
        """Whether integers are the nearest ones of a symmetric range."""
        return self.most > 0 and self.quantizer == _SYMMETRIC

    def load_quantizer(self) -> Callable[..., Any]:
        """The function that makes integers; PyTorch is imported now."""
        return Offer("weight_types", self.name, self.quantizer).load()


INT4 = WeightType("int4", 4, 7)
INT8 = WeightType("int8", 8, 127)
INT3 = WeightType("int3", 3, 3, code=THREE_BITS)
INT2 = WeightType("int2", 2, 2, "sttest.models.quant.quantizers:full_range")  # -2 to 1
TERNARY = WeightType("ternary", 2, 1, "sttest.models.quant.quantizers:ternary", BASE_3, told=1.58)
TERNARY_3_OF_4 = WeightType(
    "ternary-3:4", 2, 1, "sttest.models.quant.quantizers:three_of_four", THREE_OF_FOUR, told=1.25
)
FP16 = WeightType("fp16", 16)
NONE = WeightType("none", 32)


@cache
def weight_types() -> dict[str, WeightType]:
    """All that are known by name, those of installed extensions last.

    Raises:
        InputError: what an extension offers is no weight type, has another name, or a code of another's name.
    """
    found, known = all_loaded("weight_types", WeightType), dict[str, Code]()
    for name, each in found.items():
        if each.code is not None and known.setdefault(each.code.name, each.code) != each.code:
            what = f"the code of '{name}' is called {each.code.name}, as another one"
            raise InputError("broken-extension", what, where="weight_types")
    return found


@cache
def codes() -> dict[str, Code]:
    """The codes of all weight types by name."""
    return {each.code.name: each.code for each in weight_types().values() if each.code is not None}


def code_named(name: str, where: str) -> Code:
    """The code of a name.

    Raises:
        InputError: there is none; the nearest is named.
    """
    if name not in codes():
        raise InputError("unknown-code", f"unknown code '{name}'", where=where, hints=[did_you_mean(name, codes())])
    return codes()[name]
