"""Figures in one style: what a series means decides its color and marker, and its name stands beside it.

Colors are of Okabe and Ito's palette, which stays apart for the color-blind.  A figure is made of panels: `Lines` over
a scale, `Bars` over categories.  Text in an SVG stays text, and a figure only changes when the picture does.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Literal

from sttest.core.files import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Meaning = Literal["published", "measured", "simulated", "derived", "bound", "chosen"]
STYLES: dict[Meaning, tuple[str, str]] = {
    "published": ("#d55e00", "D"),
    "measured": ("#009e73", "o"),
    "simulated": ("#0072b2", "o"),
    "derived": ("#0072b2", "o"),
    "bound": ("#767676", ""),
    "chosen": ("#cc79a7", "X"),
}
"""Color and marker by meaning: figures of a paper; read off a machine; ours; a bound such as a roofline; a choice."""
_SHADES = ("#0072b2", "#56b4e9", "#00334f", "#5b8a72", "#7f7fb8", "#2f9fa0", "#3d5a80", "#9ab8d0")
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "sttest",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.edgecolor": "#888888",
    "xtick.color": "#555555",
    "ytick.color": "#555555",
    "lines.linewidth": 1.5,
    "lines.markersize": 4.5,
    "hatch.linewidth": 0.5,
}
_IDENTIFIER = re.compile(r"\w[\w.]*")
_NARROWEST_GAP = 0.052
_DECADE_IN = 1.2
"""Width of a factor of ten on a horizontal axis whose marks at 2 and 5 are named, too."""
_LABEL_SHARE = 0.13
"""Part of a panel that a bar's value takes; one that ends so close to its bound has it behind the bound."""
_NOTE_PER_IN = 14
"""Characters of a note in an inch."""
_BAR_IN, _PANEL_IN = 0.21, 0.72
COLUMN_IN = 3.35
"""Width of a column of a journal's page, 85 mm."""

WORDS = {
    "gpt2": "GPT-2 Medium", "gpt2-small": "GPT-2 Small", "qwen": "Qwen2.5-0.5B", "llama": "TinyLlama-1.1B",
    "llama-3.2-1b": "Llama-3.2-1B", "llama-3.1-8b": "Llama-3.1-8B", "qwen3-8b": "Qwen3-8B", "gemma": "Gemma-3-1B",
    "mixtral-8x7b": "Mixtral-8x7B", "qwen3-30b-a3b": "Qwen3-30B-A3B", "smollm2-135m": "SmolLM2-135M",
    "ttft": "TTFT", "u55c": "Alveo U55C", "u280": "Alveo U280", "v80": "Alveo V80", "vhk158": "VHK158",
    "u50": "Alveo U50", "f2": "AWS F2", "vck5000": "VCK5000",
    "kv260": "Kria KV260", "u250-memory": "U55C fabric, memory of a U250", "streamtensor": "StreamTensor",
    "allo": "Allo", "dfx": "DFX", "a100": "NVIDIA A100", "rtx2080ti": "NVIDIA RTX 2080 Ti",
    "queued_us": "in a queue", "single_low_us": "awaited, low", "back_to_back_us": "back to back",
    "single_high_us": "awaited, high", "lru": "least recently used", "lfu": "least frequently used",
    "belady": "knowing the future", "static": "the most frequent, fixed", "logic-pim": "all on Logic-PIM",
    "best": "best design", "spatial": "a unit per task", "latency": "Latency",
    "area": "Area, largest share of the budget", "tokens_per_j": "Tokens per joule", "cycles": "Cycles",
    "power": "Power", "board": "Board", "launch": "Launch", "precision": "Precision",
    "context": "Tokens in the cache", "batch": "Sequences of a batch", "step_tokens": "Tokens that a step checks",
    "acceptance": "Accepted share of drafted tokens", "board.hbm.bandwidth": "HBM bandwidth",
    "board.hbm.channels": "HBM pseudo-channels", "board.clock_mhz": "Clock of the kernels",
    "bits.weights": "Weights", "kv": "KV cache, bits:", "activations": "activations, bits:", "lut": "LUT",
    "dsp": "DSP", "ff": "FF", "bram18": "block RAM", "uram": "UltraRAM", "bits.activations": "Activations",
    "bits.kv": "Cache", "launch_per": "Launch per",
}  # fmt: skip
"""Names that people use, by those of columns, models and boards."""


def in_words(name: str) -> str:
    """A name as people say it; of one that is not known, underscores become spaces."""
    return WORDS.get(name) or (name.replace("_", " ") if _IDENTIFIER.fullmatch(name) else name)


@dataclass(frozen=True)
class Series:
    """Points of one line, in its order; ``markers`` are its own instead of the meaning's, some of them ``hollow``."""

    label: str
    points: Sequence[tuple[float, float | None]]
    meaning: Meaning = "simulated"
    joined: bool = True
    markers: Sequence[str] = ()
    hollow: Sequence[bool] = ()


@dataclass(frozen=True)
class Lines:
    """Series over a numeric axis; ``log``: axes in logarithms, as in ``xy``."""

    title: str
    x: str
    y: str
    series: Sequence[Series]
    log: str = ""
    ticks: Sequence[float] = ()

    height_in = 3.0

    def draw(self, axis: "Axes", *, legend: bool = False) -> None:
        """Draws them, each with its name at its end, or all of them in a legend."""
        for each, color in zip(self.series, self._colors(), strict=True):
            xs, ys = zip(*((x, float("nan") if y is None else y) for x, y in each.points), strict=True)
            dash = ("--" if each.meaning == "bound" else "-") if each.joined else ""
            marker = "" if each.markers else STYLES[each.meaning][1]
            axis.plot(xs, ys, marker=marker, linestyle=dash, color=color, linewidth=1 if dash == "--" else None)
            for x, y, own, hollow in zip(xs, ys, each.markers, each.hollow or [False] * len(xs), strict=False):
                axis.plot([x], [y], own, color=color, markerfacecolor="white" if hollow else color)
        for side in self.log:
            getattr(axis, f"set_{side}scale")("log")
            scale = getattr(axis, f"{side}axis")
            scale.set_major_formatter(lambda value, _: f"{value:,g}")
            # Of the marks between powers of ten, those at 2 and 5 are named, where there is room.
            named = ("2.00", "5.00") if side == "y" or _has_room_for_names(axis) else ()
            scale.set_minor_formatter(lambda value, _, named=named: f"{value:,g}" if f"{value:e}"[:4] in named else "")
            axis.tick_params(which="minor", labelsize=8)
        if self.ticks:
            axis.set_xticks(
                self.ticks, [f"{tick:,g}" for tick in self.ticks], rotation=40 if len(self.ticks) > 6 else 0
            )
            axis.set_xticks([], minor=True)
        axis.set(xlabel=self.x, ylabel=self.y)
        if legend:
            self._list(axis)
        else:
            self._name(axis)

    def _list(self, axis: "Axes") -> None:
        """A legend of the lines with names, and of what all bounds are."""
        from matplotlib.lines import Line2D

        named = [(each, color) for each, color in zip(self.series, self._colors(), strict=True) if each.label]
        handles = [
            Line2D([], [], color=color, marker=STYLES[each.meaning][1], label=each.label) for each, color in named
        ]
        if any(each.meaning == "bound" and not each.label for each in self.series):
            handles.append(Line2D([], [], color=STYLES["bound"][0], linestyle="--", linewidth=1, label="roofline"))
        axis.legend(handles=handles, fontsize=7, frameon=False, loc="best")

    def _colors(self) -> list[str]:
        """A shade of ours for each line of ours where there are many; a bound has that of the line which follows it."""
        count = sum(each.meaning == "simulated" for each in self.series)
        made, place = [], 0
        for each in self.series:
            is_shaded = count > 1 and (each.meaning == "simulated" or (each.meaning == "bound" and not each.label))
            made.append(_SHADES[place % len(_SHADES)] if is_shaded else STYLES[each.meaning][0])
            place += each.meaning == "simulated"
        return made

    def _name(self, axis: "Axes") -> None:
        """Names at the right end, moved apart where lines end close to each other."""
        axis.autoscale_view()  # matplotlib would do so later
        to_axes = axis.transData + axis.transAxes.inverted()
        ends = [
            (to_axes.transform(max(known))[1], each.label, color)
            for each, color in zip(self.series, self._colors(), strict=True)
            if each.label and (known := [(x, y) for x, y in each.points if y is not None])
        ]
        lowest = -1.0
        for y, label, color in sorted(ends):
            lowest = max(y, lowest + _NARROWEST_GAP)
            axis.text(1.02, lowest, label, transform=axis.transAxes, va="center", fontsize=8, color=color)


def _has_room_for_names(axis: "Axes") -> bool:
    """Whether a horizontal axis in logarithms is wide enough, before the layout, which changes little."""
    least, most = axis.get_xlim()
    figure = axis.get_figure(root=True)
    return figure is None or math.log10(most / least) * _DECADE_IN * figure.dpi < axis.get_window_extent().width


@dataclass(frozen=True)
class Bar:
    """A category's bar; ``fits`` is false for a design that does not fit its board, ``bound`` marks a limit on it."""

    label: str
    value: float | None
    meaning: Meaning = "simulated"
    fits: bool = True
    bound: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Bars:
    """A bar per category with its value at its end; ``at`` is a level to compare with."""

    title: str
    x: str
    bars: Sequence[Bar]
    at: float | None = None

    @property
    def height_in(self) -> float:
        """Height that all of the names have room in."""
        return _BAR_IN * len(self.bars) + _PANEL_IN

    def draw(self, axis: "Axes", *, legend: bool = False) -> None:
        """Draws them, the first at the top, each with its name beside it, so that a legend has nothing to add."""
        known = [each for bar in self.bars for each in (bar.value, bar.bound) if each is not None]
        for place, bar in enumerate(self.bars):
            color = STYLES[bar.meaning][0]
            if bar.value is None:
                axis.text(
                    0.01,
                    place,
                    f"{bar.text or 'no such design'}",
                    va="center",
                    fontsize=8,
                    color="#555555",
                    transform=axis.get_yaxis_transform(),
                )
                continue
            face, hatch = (color, "") if bar.fits else ("none", "////")
            axis.barh(place, bar.value, 0.72, facecolor=face, edgecolor=color, hatch=hatch, linewidth=0.8)
            end = bar.value
            if bar.bound is not None and 0 <= bar.bound - end < _LABEL_SHARE * max(known):
                end = bar.bound
            axis.annotate(
                bar.text or _short(bar.value), (end, place), (4, 0), textcoords="offset points", va="center", fontsize=8
            )
            if bar.bound is not None:
                axis.plot([bar.bound] * 2, [place - 0.38, place + 0.38], color=STYLES["bound"][0], linewidth=2)
        if self.at is not None:
            axis.axvline(self.at, color="#444444", linewidth=0.8)
        axis.set_yticks(range(len(self.bars)), [bar.label for bar in self.bars])
        axis.tick_params(axis="y", length=0, labelcolor="#222222")
        axis.grid(visible=False, axis="y")
        axis.margins(x=0.14)
        axis.set_ylim(len(self.bars) - 0.5, -0.5)
        axis.set_xlabel(self.x)


def _short(value: float) -> str:
    """Three digits, or all that stand before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


Panel = Lines | Bars


def draw(
    panels: Sequence[Panel],
    path: Path,
    title: str = "",
    *,
    columns: int = 1,
    note: str = "",
    width_in: float = 8.6,
    legend: bool = False,
) -> None:
    """Writes panels as one figure: an SVG, a PDF or a PNG, as the suffix of ``path`` says.

    Args:
        panels: panels in reading order.
        path: path of the file.
        title: title of the figure.
        columns: panels beside each other.
        note: line under the figure, for what marks mean.
        width_in: width in inches.
        legend: whether names of lines stand in a legend and not at their ends.
    """
    import matplotlib as mpl

    columns = min(columns, len(panels))
    with mpl.rc_context(_STYLE):
        tried = _arranged(panels, title, columns, note, width_in, [0.0] * len(panels), legend=legend)
        tried.draw_without_rendering()  # laid out twice, a figure is not the same
        begins = [min(0.0, _room(axis)) for axis in tried.axes[: len(panels)]]
        save_figure(_arranged(panels, title, columns, note, width_in, begins, legend=legend), path)


def _arranged(
    panels: Sequence[Panel],
    title: str,
    columns: int,
    note: str,
    width_in: float,
    begins: Sequence[float],
    *,
    legend: bool,
) -> "Figure":
    """A figure of panels; ``begins`` says where their titles begin, in widths of the panels."""
    rows = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    heights = [max(panel.height_in for panel in row) for row in rows]
    told = wrap(note, int(_NOTE_PER_IN * width_in))
    figure = new_figure(width_in, sum(heights) + 0.35 * bool(title) + 0.25 * len(told))
    grid = figure.subplots(len(rows), columns, height_ratios=heights, squeeze=False)
    for axis in grid.flat[len(panels) :]:
        axis.set_axis_off()
    for axis, panel, begin in zip(grid.flat, panels, begins, strict=False):
        panel.draw(axis, legend=legend)
        axis.set_title(panel.title, x=begin)
    if title:
        figure.suptitle(title, fontsize=10.5, x=0.01, ha="left")
    if told:
        figure.supxlabel("\n".join(told), fontsize=8, color="#555555", x=0.01, ha="left")
    return figure


def _room(axis: "Axes") -> float:
    """What a title leaves free of its panel, in widths of the axis; less than 0 if it is longer: the layout lets it."""
    written = axis.set_title(axis.get_title("left")).get_window_extent()
    panel = axis.get_tightbbox(for_layout_only=True)
    return (panel.x1 - written.x1) / axis.get_window_extent().width if panel else 0.0


def new_figure(width_in: float, height_in: float) -> "Figure":
    """An empty figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width_in, height_in), layout="constrained")


_DATES: dict[str, dict[str, Any]] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
"""What leaves the date out, by the kind of file."""


def save_figure(figure: "Figure", path: Path) -> None:
    """Writes it whole or not at all, with a fixed salt and without a date."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "sttest", "svg.fonttype": "none"}), replacing(path) as unfinished:
        figure.savefig(unfinished, format=path.suffix.removeprefix("."), dpi=120, metadata=_DATES.get(path.suffix))
