"""Figures that only change when the picture does."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def new_figure(width_in: float, height_in: float) -> "Figure":
    """An empty figure of so many inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width_in, height_in), layout="constrained")


def save_figure(figure: "Figure", path: Path) -> None:
    """Writes it with a fixed salt and without a date."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "sttest"
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
