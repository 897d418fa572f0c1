"""What FIFOAdvisor (arXiv 2510.20981) published of ten designs of Stream-HLS, and its rule for block memories."""

from dataclasses import dataclass
from pathlib import Path

from sttest.core.files import read_csv

_TABLE = Path(__file__).parent / "data" / "streamhls" / "fifoadvisor.csv"


@dataclass(frozen=True)
class PublishedSizing:
    """Of a design under LightningSim."""

    design: str  # its folder in the artifact
    all_two_cycles: int | None  # with all FIFOs 2 deep; None where it deadlocks
    no_loss_blocks: int  # the fewest blocks of 18 Kib found that lose no cycle

    @property
    def name(self) -> str:
        """As its graph is called."""
        return "_".join(self.design.lower().split("/")[-3:])


PUBLISHED = [
    PublishedSizing(row["design"], int(row["all_2_cycles"] or 0) or None, int(row["no_loss_blocks"]))
    for row in read_csv(_TABLE)
]


def blocks_of_lightningsim(depth: int, bits: int, impl: str = "") -> int:
    """FIFOAdvisor counts as LightningSim does: up to two tokens are free, then widths of 18 bits down to one."""
    count = 0
    for words, width in ((1024, 18), (2048, 9), (4096, 4), (8192, 2), (16384, 1)):
        if depth <= 2:
            break
        count, bits = count + bits // width * -(-depth // words), bits % width
        if depth <= words:
            return count + (bits > 0)
    return count
