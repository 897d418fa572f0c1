"""The formats of sttest that ``sttest import`` and ``sttest check`` read."""

from sttest.core.extensions import Offer

OFFERS = tuple(
    Offer("formats", name, f"sttest.importers.formats:{name.upper()}")
    for name in ("streamhls", "hls", "solution", "finn", "tapa", "lightningsim", "aie", "allo")
)
