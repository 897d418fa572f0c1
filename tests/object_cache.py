"""Compiles for Verilator's makefiles: what is the same in every build is compiled once.

That are the files of its run-time library, and the library's header in all others.  The makefiles put what the variable
OBJCACHE says before each command: ``python object_cache.py FOLDER g++ OPTION... -c -o OBJECT SOURCE``, where FOLDER may
be followed by options that come last, and so prevail.
"""

import shutil
import subprocess
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

_HEADER = "verilated.h"
_DECISIVE = ("-DVM_", "-DVL_", "-O", "-f", "-g", "-m", "-std")
"""Beginnings of options that decide what is compiled of the library."""


def main(cache: Path, *words: str) -> int:
    """Does what the command says, and returns what it returns."""
    start = next(place for place, word in enumerate(words) if not word.startswith("-"))
    *compile_, _, target, source = words[start:]
    compile_ += words[:start]
    library = _library(compile_)
    if library is None:
        return subprocess.call((*compile_, "-o", target, source))
    decisive = (compile_[0], *(each for each in compile_ if each.startswith(_DECISIVE)))
    decisive += (f"-I{library}", f"-I{library / 'vltstd'}", "-w")
    if Path(source).parent == library:
        shutil.copyfile(_once(cache, (*decisive, "-c", source), "library.o"), target)
        return 0
    early = _once(cache, (*decisive, "-x", "c++-header", str(library / _HEADER)), f"{_HEADER}.gch").with_suffix("")
    if not early.exists():  # what is read where GCC finds that options differ
        early.write_text(f'#include "{library / _HEADER}"\n')
    return subprocess.call((*compile_, "-include", str(early), "-o", target, source))


def _library(options: list[str]) -> Path | None:
    """The folder of Verilator's run-time library."""
    folders = (Path(each[2:]) for each in options if each.startswith("-I"))
    return next((each for each in folders if (each / _HEADER).is_file()), None)


def _once(cache: Path, command: tuple[str, ...], name: str) -> Path:
    """What a command compiles, of the cache."""
    folder = cache / sha256("\0".join(command).encode()).hexdigest()[:16]
    if not folder.is_dir():
        made = Path(tempfile.mkdtemp(dir=cache))
        subprocess.run((*command, "-o", str(made / name)), check=True)
        try:
            made.rename(folder)
        except OSError:  # another build was quicker
            shutil.rmtree(made)
    return folder / name


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), *sys.argv[2:]))
