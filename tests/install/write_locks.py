"""Writes locks/: the packages that `make install LOCKED=1` installs, by version and hash, as the index has them today.

    python tests/install/write_locks.py

``requirements.txt`` is for every Python that sttest supports.  It has neither torch nor what only torch's CUDA build
needs: these stand in ``torch-cuda.txt``.  The build for processors alone lies on PyTorch's own index; the hashes of its
wheels are written into ``torch-cpu.txt`` by hand.
"""

import re
import subprocess
import sys
import tomllib

from bare import ROOT

LOCKS = ROOT / "locks"
EXTRAS = ("frontend", "rtl", "dev")
"""What `make install` installs."""
ONLY_FOR_CUDA = re.compile(r"^(?:torch|triton|nvidia-[\w-]+|cuda-[\w-]+)==")
HEAD = "# Written by `make lock`; `make install LOCKED=1` installs it.\n"


def entries(text: str) -> list[str]:
    """The requirements of a lock, each with its hashes.

    >>> entries("a==1 \\\\\\n    --hash=sha256:0\\nb==2 \\\\\\n    --hash=sha256:1\\n")
    ['a==1 \\\\\\n    --hash=sha256:0\\n', 'b==2 \\\\\\n    --hash=sha256:1\\n']
    """
    return [found[0] for found in re.finditer(r"^[\w.-]+==.*\n(?:    .*\n)*", text, re.M)]


def resolved(requirements: str, *options: str) -> str:
    """What uv chooses for all Pythons from the oldest one on, with hashes.

    Raises:
        CalledProcessError: nothing fits; uv says what.
    """
    oldest = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["requires-python"]
    command = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--no-emit-index-url",
        "--python-version",
        oldest.removeprefix(">="),
        *options,
        "-",
    ]
    return subprocess.run(command, input=requirements, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main() -> None:
    """Writes the files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    builders = "\n".join(project["build-system"]["requires"])
    extras = [word for extra in EXTRAS for word in ("--extra", extra)]
    found = entries(resolved(builders, "pyproject.toml", *extras))
    apart = [each for each in found if ONLY_FOR_CUDA.match(each)]
    LOCKS.mkdir(exist_ok=True)
    (LOCKS / "requirements.txt").write_text(HEAD + "".join(each for each in found if each not in apart))
    (LOCKS / "torch-cuda.txt").write_text(HEAD + "".join(apart))


if __name__ == "__main__":
    main()
