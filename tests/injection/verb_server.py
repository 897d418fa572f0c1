"""Runs commands of sttest in forks of one process that has imported what they need, under the preloaded shim.

A line of JSON per command: ``cwd``, ``args``, ``cache``, ``told`` (a file that gets all that is printed).  The answer
is the exit code, below 0 for a signal.  A command ``warm`` tells which modules it imported; they are imported here.
"""

import contextlib
import gc
import importlib
import json
import os
import sys
import warnings


def main() -> None:
    """Serves until standard input ends."""
    for line in sys.stdin:
        asked = json.loads(line)
        modules = f"{asked['told']}.modules"
        child = os.fork()
        if child == 0:
            _run(asked, modules)
        _, status = os.waitpid(child, 0)
        if asked.get("warm"):
            _import(modules)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(asked: dict[str, object], modules: str) -> None:
    code = 1
    try:
        told = os.open(str(asked["told"]), os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, target in ((0, nothing), (1, told), (2, told)):
            os.dup2(target, number)
        os.chdir(str(asked["cwd"]))
        os.environ["STTEST_CACHE"] = str(asked["cache"])
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", buffering=1, closefd=False)  # noqa: SIM115
        sys.argv = ["sttest", *asked["args"]]  # pyright: ignore[reportGeneralTypeIssues]
        from sttest.cli import main as command

        try:
            command()
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        if asked.get("warm"):
            with open(modules, "w", encoding="utf-8") as file:  # noqa: PTH123
                json.dump([*sys.modules], file)
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
    finally:
        os._exit(code)


def _import(modules: str) -> None:
    with open(modules, encoding="utf-8") as file:  # noqa: PTH123
        names = json.load(file)
    with warnings.catch_warnings(action="ignore"):
        for name in names:
            if name.partition(".")[0] not in ("torch", "torch_mlir", "__main__", "transformers"):
                with contextlib.suppress(ImportError):
                    importlib.import_module(name)
    gc.collect()
    gc.freeze()


main()
