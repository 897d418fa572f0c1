"""The choices of earlier compiles: which recipe of a block's ladder was taken, and how its design fits.

To find a design takes several compiles, and to predict what it takes of its board as long as one.  Both follow from the
text, the board, the options and this program, under whose hash they are kept beside the lowered texts.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from sttest.compile.compiler import StagedCompiler
from sttest.compile.options import CompileOptions
from sttest.compile.resources.fit import Fit
from sttest.core.closure import program_hash
from sttest.core.errors import InputError
from sttest.core.files import read_object, write_json
from sttest.core.program import default_cache_dir, package_versions
from sttest.core.results import config_hash
from sttest.explore.recipes import Block
from sttest.models.quant.scheme import load_scheme

SCHEMA = "sttest.choice/1"


class Remembered(BaseModel):
    """A recipe that was taken."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    recipe: str
    fit: Fit
    tried: int  # designs that were compiled to find it


def place(compiler: StagedCompiler, asked: CompileOptions, block: Block | None, maker: str) -> Path:
    """Where a choice is kept, under a hash of all that it follows from.

    Args:
        compiler: compiler of the text.
        asked: options that hold over those of the recipes.
        block: what the text is a block of.
        maker: module that chooses.
    """
    key: dict[str, Any] = {
        "program": program_hash(maker), "packages": package_versions(), "compiled": compiler.inputs, "block": block,
        "asked": asked.model_dump(exclude={"precision"}), "given": sorted(asked.given),
        "scheme": load_scheme(asked.precision),  # it may be a file
    }  # fmt: skip
    return default_cache_dir() / "choices" / f"{config_hash(key)}.json"


def recall(path: Path) -> Remembered | None:
    """What was kept there; None if nothing was, or not whole."""
    with suppress(InputError, ValidationError):
        return Remembered.model_validate(read_object(path, SCHEMA))
    return None


def keep(path: Path, choice: Remembered) -> None:
    """Keeps it; a cache that can't be written is no reason to fail."""
    with suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_json(path, {"schema": SCHEMA, **choice.model_dump(mode="json")})
