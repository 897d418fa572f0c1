"""Settings of precision: a scheme by name or file, or bits of weights, activations and cache."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from experiments.whatif.study import Value
from sttest.errors import InputError
from sttest.models.quant.scheme import SCHEMES, QuantScheme, WeightType, load_scheme

BITS = ("bits.weights", "bits.activations", "bits.kv")
_DEFAULTS = {"bits.weights": 4, "bits.activations": 8, "bits.kv": 8}
_WEIGHTS: dict[float, str] = {4: "int4", 8: "int8"}
_FLOATS = (32, 32, 32)
DEFAULT_SCHEME = "w4a8"


def scheme_of(settings: Mapping[str, Value], folder: Path) -> QuantScheme:
    """The scheme of a point.

    Raises:
        InputError: unknown, or bits for which the compiler has no streams; then nothing stands in for it.
    """
    if not any(key in settings for key in BITS):
        name = str(settings["precision"].value) if "precision" in settings else DEFAULT_SCHEME
        return load_scheme(folder / name if name.endswith((".yaml", ".yml")) else name)
    if "precision" in settings:
        raise InputError("key-twice", "precision and bits are both set", where="study", levers=["leave one out"])
    bits = tuple(settings[key].value if key in settings else _DEFAULTS[key] for key in BITS)
    if bits == _FLOATS:
        return SCHEMES["fp32"]
    weights, activations, kv = bits
    if weights not in _WEIGHTS or activations != 8 or kv not in (8, 32):
        raise InputError(
            "no-such-precision", f"no streams for W{weights} A{activations} KV{kv}", where="quantisation",
            levers=["take W4 or W8 with A8 and KV8 or KV32", "take 32 throughout, for fp32"],
        )  # fmt: skip
    scheme = replace(SCHEMES[DEFAULT_SCHEME], weights=cast(WeightType, _WEIGHTS[float(weights)]), kv_bits=int(kv))
    return replace(scheme, name=f"w{weights}a8kv{kv}")
