"""Write the shipped texts anew: ``python -m sttest.models.ship``."""

from __future__ import annotations

from pathlib import Path

from sttest.models.isolated import lower_isolated
from sttest.models.program import block_program
from sttest.models.registry import get_config
from sttest.models.registry import small as reduced
from sttest.models.shipped import SHIPPED_SHAPES, file_name, shipped


def ship(folder: Path) -> None:
    """Lower every model in both phases, decode with and without the head, small and at full size, into ``folder``."""
    for name, phase, small in shipped():
        config = reduced(get_config(name)) if small else get_config(name)
        tokens, context = SHIPPED_SHAPES[small][phase]
        for head in (False, True) if phase == "decode" else (False,):
            arguments = {"config": config, "phase": phase, "tokens": tokens, "context": context, "head": head}
            path = folder / file_name(config.name, phase, tokens, context, head=head)
            path.write_text(lower_isolated(block_program, arguments), encoding="utf-8")


if __name__ == "__main__":
    ship(Path(__file__).parent / "lowered")
