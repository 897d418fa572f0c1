"""What a design takes, kept from an earlier compile of the same: taking one apart is up to a third of a compile."""

from pathlib import Path

from pydantic import TypeAdapter

from sttest.compile.compiler import Design
from sttest.compile.resources.design import DesignResources, design_resources
from sttest.core.closure import program_hash
from sttest.core.kept import KeptFiles
from sttest.core.program import package_versions
from sttest.core.results import config_hash

_ADAPTER = TypeAdapter(DesignResources)


def kept_resources(design: Design, cache_dir: Path | None = None) -> DesignResources:
    """The same as :func:`sttest.compile.resources.design.design_resources`, from an earlier call where there was one.

    Args:
        design: a design with the text after its last pass; without one nothing is kept.
        cache_dir: where they are kept; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.

    Raises:
        InputError: see there.
    """
    text = design.stages[-1].text if design.stages else None
    if text is None:
        return design_resources(design)
    kept, name = KeptFiles("resources", cache_dir), f"{_key(design, text)}.json"
    found = kept.value(name, _ADAPTER)
    if found is None:
        found = design_resources(design)
        kept.keep_value(name, found, _ADAPTER)
    return found


def _key(design: Design, text: str) -> str:
    """Hash of all that they depend on; the timed graph follows from the text, the options and the board."""
    return config_hash(
        {
            "program": program_hash("sttest.compile.compiler", __name__), "packages": package_versions(), "text": text,
            "knobs": design.knobs, "board": design.board,
        }
    )  # fmt: skip
