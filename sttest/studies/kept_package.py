"""The package of an earlier compile: who asks for the same again gets it back, byte for byte, without a compile.

What a package follows from is hashed: the text of the block, the board, the options, what their files hold and this
program.  A module in Python is compiled each time, for to learn its text takes as long as the rest, and so is a design
with own kernels, whose C++ is its user's, or with passes of extensions.
"""

import os
import zlib
from base64 import b64decode, b64encode
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, StringConstraints

from sttest.core.closure import tree_hash
from sttest.core.files import replacing_folder
from sttest.core.kept import KeptFiles
from sttest.core.program import package_versions
from sttest.core.results import config_hash
from sttest.frontend.module_source import is_module_reference
from sttest.package import check_target
from sttest.sim.graph import MAX_ACCESSES_VARIABLE
from sttest.studies.workload import CompileRequest, Step

_KIND = "packages"
_MOST_BYTES = 64 * 2**20
"""Bytes of a package that is kept; IR and C++ become an eighth when they are packed."""
# Each part begins with a letter or digit: none leads out of the folder.
_Name = Annotated[str, StringConstraints(pattern=r"^(?:\w[\w.+-]*/)*\w[\w.+-]*$")]


class KeptPackage(BaseModel):
    """The files of a package, and what its compile printed."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: dict[_Name, str]
    summary: dict[str, Any]

    @classmethod
    def of(cls, folder: Path, summary: dict[str, Any]) -> "KeptPackage":
        """What is to be kept of a package that was just written."""
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        texts = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
        return cls(files=texts, summary=summary)

    def write(self, folder: Path) -> None:
        """Writes the package whole, as its compile did.

        Raises:
            InputError: see :func:`sttest.package.check_target`.
        """
        folder = folder.resolve()
        check_target(folder)
        with replacing_folder(folder) as staging:
            for name, text in self.files.items():
                (staging / name).parent.mkdir(parents=True, exist_ok=True)
                (staging / name).write_text(text, encoding="utf-8")


def place(request: CompileRequest, more: object, step: Step) -> str | None:
    """The name under which a package is kept, a hash of all that it follows from; None for one that is not kept.

    Args:
        request: what is compiled.
        more: what else it follows from.
        step: callback that gets the name of what takes time.

    Raises:
        SttestError: see :meth:`CompileRequest.design`.
    """
    if is_module_reference(request.model) or request.options.kernels is not None or request.options.passes:
        return None
    key = {
        "program": tree_hash(), "packages": package_versions(), "request": request.facts(step),
        "more": more, "limit": os.environ.get(MAX_ACCESSES_VARIABLE, ""),
    }  # fmt: skip
    return config_hash(key)


def recall(name: str, cache: Path | None = None) -> KeptPackage | None:
    """The package that the user's cache, or another, keeps under a name; None if none, or not what was kept."""
    packed = KeptFiles(_KIND, cache).text(name)
    if packed is None:
        return None
    try:
        return KeptPackage.model_validate_json(zlib.decompress(b64decode(packed)))
    except (ValueError, zlib.error):
        return None


def keep(name: str, package: KeptPackage, cache: Path | None = None) -> None:
    """Keeps it in the user's cache, or in another; one that can't be written is no reason to fail."""
    text = package.model_dump_json().encode()
    if len(text) <= _MOST_BYTES:
        KeptFiles(_KIND, cache).keep(name, b64encode(zlib.compress(text, 1)).decode())


def keep_only(names: Collection[str], cache: Path) -> int:
    """Deletes what a cache keeps under other names, as of an earlier program; how many packages are left."""
    folder = KeptFiles(_KIND, cache).folder
    found = {path.name: path for path in folder.iterdir()} if folder.is_dir() else {}
    for name in found.keys() - names:
        found[name].unlink()
    return len(found.keys() & names)
