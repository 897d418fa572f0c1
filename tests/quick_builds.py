"""What C++ of the suite is built with: no optimizer, for it runs for seconds, and headers that are compiled once."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from sttest.targets.csim import build
from sttest.targets.csim.headers import HeaderFolders, header_folders

UNOPTIMIZED = "-O0"


def object_cache(cache: Path, *options: str) -> str:
    """The value of OBJCACHE, which Verilator's makefiles put before the compiler.

    Args:
        cache: folder of what is compiled once.
        options: compiler's options that come last.
    """
    script = Path(__file__).with_name("object_cache.py")
    return shlex.join((sys.executable, "-ISB", str(script), str(cache), *options))


def unoptimized() -> tuple[str, ...]:
    """The compiler's options of a C simulation without an optimizer, whose time is most of a build."""
    return tuple(UNOPTIMIZED if flag == "-O2" else flag for flag in build.FLAGS)


class PrecompiledHeaders:
    """Takes the place of `header_folders` for builds of kernels: the header that begins each of them is compiled once.

    Args:
        cache: folder of copies of the headers, one for each set of options.
    """

    def __init__(self, cache: Path) -> None:
        self._cache, self._compiler = cache, shutil.which(build.COMPILER)

    @contextmanager
    def __call__(self, ap_types: Path | None = None) -> Iterator[HeaderFolders]:
        with header_folders(ap_types) as headers:
            yield headers if self._compiler is None else replace(headers, streams=self._copy(headers))

    def _copy(self, headers: HeaderFolders) -> Path:
        folder = self._cache / f"headers-{sha256(' '.join(build.FLAGS).encode()).hexdigest()[:16]}"
        if not folder.is_dir():
            made = Path(tempfile.mkdtemp(dir=self._cache))
            shutil.copytree(headers.streams, made, dirs_exist_ok=True)
            header = made / build._PROCESSES
            command = (self._compiler, *build.FLAGS, "-w", "-x", "c++-header", header, "-o", f"{header}.gch")
            subprocess.run(command, check=True)
            try:
                made.rename(folder)
            except OSError:  # the other process was quicker
                shutil.rmtree(made)
        return folder
