"""Rotary tables, which the host computes, and the ways to stretch them over longer contexts."""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sttest.core.errors import InputError
from sttest.models.config import DecoderConfig, LayerKind, LinearScaling, Llama3Scaling, YarnScaling

F32Array = NDArray[np.float32]
F64Array = NDArray[np.float64]


def rope_table(config: DecoderConfig, positions: ArrayLike, layer_kind: LayerKind = "global") -> F32Array:
    """Rotation matrices of the rotary embedding (Su et al., RoFormer, arXiv 2104.09864).

    ``table[p, o, i, j]`` multiplies component j of half i of a head into half o,
    which rotates each pair of halves by ``positions[p] / theta^(2j/head_dim)``.

    Args:
        config: a configuration with a rotary embedding.
        positions: position of each token, [n].
        layer_kind: local layers use ``local_rope_theta``.

    Returns:
        Shape [n, 2, 2, head_dim / 2].

    Raises:
        InputError: the model has no rotary embedding.
    """
    if config.rope_theta is None:
        raise InputError(
            "no-rope", f"{config.public_name} has no rotary embedding", where=config.name, hints=["leave rope out"]
        )
    theta, scaling = config.rope_theta, config.rope_scaling
    if layer_kind == "local" and config.local_rope_theta is not None:
        theta, scaling = config.local_rope_theta, None
    frequencies = theta ** (-np.arange(0, config.head_dim, 2) / config.head_dim)
    length = 1.0
    match scaling:
        case LinearScaling():
            frequencies = frequencies / scaling.factor
        case Llama3Scaling():
            frequencies = _blended_by_turns(frequencies, scaling)
        case YarnScaling():
            frequencies, length = _blended_by_place(frequencies, theta, scaling), scaling.attention_factor
    angles = np.asarray(positions, dtype=np.float64)[:, None] * frequencies
    cos, sin = length * np.cos(angles), length * np.sin(angles)
    return np.stack([np.stack([cos, -sin], axis=1), np.stack([sin, cos], axis=1)], axis=1).astype(np.float32)


def _blended_by_turns(frequencies: F64Array, scaling: Llama3Scaling) -> F64Array:
    turns = scaling.original_context * frequencies / (2 * math.pi)
    kept = np.clip((turns - scaling.low) / (scaling.high - scaling.low), 0.0, 1.0)
    return frequencies * (kept + (1.0 - kept) / scaling.factor)


def _blended_by_place(frequencies: F64Array, theta: float, scaling: YarnScaling) -> F64Array:
    """YaRN blends along the number of the component, between those that turn ``fast`` and ``slow`` times."""
    head_dim = 2 * len(frequencies)

    def place(turns: float) -> float:
        wavelength = scaling.original_context / (turns * 2 * math.pi)
        return head_dim * math.log(wavelength) / (2 * math.log(theta))

    first, last = place(scaling.fast), place(scaling.slow)
    if scaling.truncate:
        first, last = math.floor(first), math.ceil(last)
    first, last = max(first, 0), min(last, head_dim - 1)
    width = last - first if last != first else 0.001
    stretched = np.clip((np.arange(len(frequencies)) - first) / width, 0.0, 1.0)
    return frequencies * (1.0 - stretched + stretched / scaling.factor)
