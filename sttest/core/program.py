"""Which program made a result: a hash over its own files, and the versions of what it stands on; its cache."""

import hashlib
import os
from functools import cache
from importlib.metadata import version
from pathlib import Path

__version__ = "0.1.0"
_ROOT = Path(__file__).parents[1]
_SUFFIXES = (".py", ".yaml", ".csv", ".mlir")
_NO_RESULT = ("cli", "testing")
_PACKAGES = ("numpy", "scipy", "numba", "xdsl", "simpy")


@cache
def program_hash() -> str:
    """Hash over sttest's own files, the command line left out: a stored result is only as good as its program."""
    digest = hashlib.sha256()
    for path in sorted(_ROOT.rglob("*")):
        place = path.relative_to(_ROOT)
        if path.suffix in _SUFFIXES and place.parts[0] not in _NO_RESULT:
            digest.update(place.as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def package_versions() -> dict[str, str]:
    """Versions of the packages that a simulated result depends on, by name."""
    return {package: version(package) for package in _PACKAGES}


def default_cache_dir() -> Path:
    """``$STTEST_CACHE``, or ``~/.cache/sttest``."""
    return Path(os.environ.get("STTEST_CACHE") or Path.home() / ".cache" / "sttest")
