"""A function of a Python file that the user names, as in ``FILE.py:FUNCTION``; the file is run."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sttest.core.errors import InputError, did_you_mean
from sttest.core.plain_files import why_no_file


def python_function(reference: str, folder: Path = Path()) -> Callable[..., Any]:
    """The function.

    Args:
        reference: file and function; relative paths start from the folder.
        folder: see there.

    Raises:
        InputError: no such file or function, or the file fails.
    """
    file, _, name = reference.rpartition(":")
    path = folder / file
    if not file.endswith(".py") or not path.is_file():
        what = f"'{file}': {why_no_file(path) if file.endswith('.py') else 'no Python file'}"
        raise InputError("no-file", what, where=reference, hints=["give FILE.py:FUNCTION"])
    module_name = f"sttest_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(module_name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses of the file look themselves up
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        what = f"the file failed: {type(error).__name__}: {error}"
        raise InputError("file-failed", what, where=reference, hints=["run the file with python"]) from error
    found = getattr(module, name, None)
    if not callable(found):
        known = [key for key, value in vars(module).items() if callable(value) and not key.startswith("_")]
        hints = [did_you_mean(name, known)] if known else ["define it"]
        raise InputError("no-function", f"the file has no function '{name}'", where=reference, hints=hints)
    return found
