"""An empty environment, as a new user has one: a venv and a HOME of its own, nothing of ours in its variables.

What it keeps of this process is how pip reaches an index: its settings, proxies and certificates.
"""

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ("sttest", "pyproject.toml", "README.md", "LICENSE")
"""All that the wheel is made of."""
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
LIMIT_S = 1800
_NETWORK = ("PIP_", "SSL_CERT_", "REQUESTS_CA_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY")
_OURS = ("PIP_CACHE_DIR", "PIP_USER", "PIP_TARGET", "PIP_PREFIX")


@dataclass(frozen=True)
class Finished:
    """A command that ended, or was ended at its time limit (exit code 124)."""

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    """On the clock."""
    cpu_seconds: float
    """Of all processes that the command started, user and system."""

    @property
    def last_line(self) -> str:
        """The last line that it wrote on stderr, or else on stdout."""
        return next(iter((self.stderr.strip() or self.stdout.strip()).splitlines()[-1:]), "")


@dataclass(frozen=True)
class BareEnvironment:
    """A venv with a HOME beside it; made by :meth:`create`."""

    folder: Path
    venv: Path

    @classmethod
    def beside(cls, folder: Path) -> "BareEnvironment":
        """The environment of a folder; its venv does not have to be there yet."""
        (folder / "home").mkdir(parents=True, exist_ok=True)
        return cls(folder, folder / "venv")

    def variables(self, **extra: str) -> dict[str, str]:
        """All variables that a command sees."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if name.upper().startswith(_NETWORK) and name.upper() not in _OURS
        }
        path = f"{self.venv / 'bin'}:{SYSTEM_PATH}"
        return {**kept, "PATH": path, "HOME": str(self.folder / "home"), "LANG": "C.UTF-8", **extra}

    def run(self, line: str, cwd: Path, limit_s: float = LIMIT_S, **extra: str) -> Finished:
        """Runs a line of bash; it and all that it started is ended at the limit."""
        began, spent = time.monotonic(), _children_s()
        process = subprocess.Popen(
            ["bash", "-c", line],
            cwd=cwd,
            env=self.variables(**extra),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(timeout=limit_s)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            code = 124
        return Finished(code, stdout, stderr, time.monotonic() - began, _children_s() - spent)

    def there(self, tool: str) -> bool:
        """Whether a command of that name is found."""
        return shutil.which(tool, path=self.variables()["PATH"]) is not None


def _children_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def copy_sources(folder: Path) -> Path:
    """A copy of what the wheel is made of: setuptools would take along what an earlier build left in ``build/``."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *SOURCES],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    return folder


def build_wheel(folder: Path) -> Path:
    """The wheel of this tree, changes that are not committed included.

    Raises:
        RuntimeError: pip's last line where it can't be built.
    """
    source = copy_sources(folder / "source")
    environment = BareEnvironment.beside(folder)
    done = environment.run(f"{sys.executable} -m pip wheel --no-deps --wheel-dir {folder} {source}", folder)
    if done.exit_code:
        raise RuntimeError(done.last_line)
    (wheel,) = folder.glob("*.whl")
    return wheel
