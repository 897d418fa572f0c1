"""The choices of earlier compiles: which recipe of a block's ladder was taken, and how its design fits.

To find a design takes several compiles, and to predict what it takes of its board as long as one.  Both follow from the
text, the board, the options and this program, under whose hash they are kept beside the lowered texts.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict, TypeAdapter

from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit
from sttest.core.closure import tree_hash
from sttest.core.kept import KeptFiles
from sttest.core.program import package_versions
from sttest.core.results import config_hash
from sttest.explore.recipes import Block
from sttest.models.quant.scheme import load_scheme


class Remembered(BaseModel):
    """A recipe that was taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: str
    fit: Fit
    tried: int  # designs that were compiled to find it


def place(compiler: StagedCompiler, asked: CompileOptions, block: Block | None) -> str:
    """The name under which a choice is kept, a hash of all that it follows from.

    Args:
        compiler: compiler of the text.
        asked: options that hold over those of the recipes.
        block: what the text is a block of.
    """
    key: dict[str, Any] = {
        "program": tree_hash(), "packages": package_versions(), "compiled": compiler.inputs, "block": block,
        "asked": asked.model_dump(exclude={"precision"}), "given": sorted(asked.given),
        "scheme": load_scheme(asked.precision),  # it may be a file
    }  # fmt: skip
    return f"{config_hash(key)}.json"


_REMEMBERED = TypeAdapter(Remembered)


def recall(name: str) -> Remembered | None:
    """What was kept under a name; None if nothing was, or it is not what was kept."""
    return KeptFiles("choices").value(name, _REMEMBERED)


def keep(name: str, choice: Remembered) -> None:
    """Keeps it; a cache that can't be written is no reason to fail."""
    KeptFiles("choices").keep_value(name, choice, _REMEMBERED)
