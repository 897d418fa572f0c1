"""What a design takes, kept from an earlier compile of the same: taking one apart is up to a third of a compile."""

from contextlib import suppress
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from sttest.compile.compiler import Design
from sttest.compile.resources.design import DesignResources, design_resources
from sttest.core.closure import program_hash
from sttest.core.errors import InputError
from sttest.core.files import read_text, write_text
from sttest.core.program import default_cache_dir, package_versions
from sttest.core.results import config_hash

MAX_BYTES = 16 << 20
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
    path = (cache_dir or default_cache_dir()) / "resources" / f"{_key(design, text)}.json"
    with suppress(InputError, ValidationError):  # not there, or not whole
        return _ADAPTER.validate_json(read_text(path, most_bytes=MAX_BYTES))
    found = design_resources(design)
    with suppress(OSError):  # a cache that can't be written is no reason to fail
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path, _ADAPTER.dump_json(found).decode())
    return found


def _key(design: Design, text: str) -> str:
    """Hash of all that they depend on; the timed graph follows from the text, the options and the board."""
    return config_hash(
        {
            "program": program_hash("sttest.compile.compiler", __name__), "packages": package_versions(), "text": text,
            "knobs": design.knobs, "board": design.board,
        }
    )  # fmt: skip
