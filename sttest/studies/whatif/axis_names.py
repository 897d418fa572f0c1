"""Settings as people call them: labels of the axes of figures."""

from sttest.boards.board import FpgaBoard
from sttest.studies.whatif.settings import BANDWIDTH, BITS, BOARD, CHANNELS, KNOBS, unit_of

_UNITS = {
    **dict.fromkeys(("tokens", "context", "step_tokens"), "tokens"),
    "acceptance": "ratio",
    "batch": "sequences",
    **dict.fromkeys((*BITS, "knobs.beat_bits", "knobs.vector_bits"), "bits"),
    **dict.fromkeys(("launch", "draft", "link_us"), "us"),
}
_NAMES = {
    BANDWIDTH: "HBM bandwidth, peak",
    CHANNELS: "HBM pseudo-channels",
    f"{BOARD}clock_mhz": "Clock of the kernels",
    "board": "Board",
    "model": "Model",
    "phase": "Phase",
    "tokens": "Length of the prompt",
    "context": "Length of the cache",
    "batch": "Sequences in a batch",
    "precision": "Quantization scheme",
    "bits.weights": "Size of a weight",
    "bits.activations": "Size of an activation",
    "bits.kv": "Size of a cached number",
    "launch": "Cost of a launch",
    "launch_per": "One launch per",
    "step_tokens": "Tokens of a step",
    "draft": "Draft",
    "acceptance": "Drafted tokens that are accepted",
    "link_us": "Wait between step and draft",
    "parameters": "Arguments that are weights",
    "knobs_from": "Knobs of the design",
}
_SHOWN = {"us": "µs", "ratio": "share"}
_COUNTED = ("count", "sequences")
_WORDS = {"hbm": "HBM", "ddr": "DDR", "axi": "AXI", "dsp": "DSP", "lut": "LUT", "ff": "FF", "uram": "URAM"}


def axis_unit(axis: str, board: FpgaBoard | None = None) -> str:
    """Unit of the numbers of an axis; those of a board's quantities are the board's."""
    if axis.startswith(BOARD) and board is not None:
        return unit_of(axis, board)
    return _UNITS.get(axis, "count")


def axis_name(axis: str) -> str:
    """A setting in words.

    >>> axis_name("context"), axis_name("knobs.tile_size"), axis_name("board.memory.hbm.kernel_read_ns")
    ('Length of the cache', 'Tile size', 'Memory, HBM, kernel read')
    """
    if axis in _NAMES:
        return _NAMES[axis]
    parts = axis.removeprefix(KNOBS).removeprefix(BOARD).split(".")
    words = ", ".join(_spelled(part) for part in parts)
    return words[:1].upper() + words[1:]


def axis_label(axis: str, unit: str) -> str:
    """The name with its unit, as in ``HBM bandwidth, peak (GB/s)``; a number of things has none."""
    return axis_name(axis) if unit in _COUNTED else f"{axis_name(axis)} ({_SHOWN.get(unit, unit)})"


_UNIT_ENDINGS = ("_gb_per_s_per_channel", "_gb_per_s", "_ns", "_us", "_mhz", "_bytes", "_w", "_kib")


def _spelled(part: str) -> str:
    bare = next((part.removesuffix(ending) for ending in _UNIT_ENDINGS if part.endswith(ending)), part)
    return " ".join(_WORDS.get(word, word) for word in bare.split("_"))
