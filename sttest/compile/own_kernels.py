"""Own kernels: what a YAML file says of C++ functions that take the place of tasks' payloads.

The texts go into the module, so that a package needs no file of the user's to be emitted again.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, StringAttr
from xdsl.ir import Operation

from sttest.core.errors import InputError
from sttest.core.files import read_text, read_yaml
from sttest.core.python_file import python_function
from sttest.core.results import Kind
from sttest.core.validation import validated
from sttest.reference.own_kernels import define_own_kernel

CPP, SYSTEMVERILOG = "sttest.own_cpp", "sttest.own_systemverilog"
"""Attributes of a module: texts by the name of the function that is in them."""
MAX_TEXT_BYTES = 1024 * 1024
_Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,63}$")]
_Count = Annotated[int, Field(ge=0, le=10**7)]


class OwnKernel(BaseModel):
    """A C++ function in place of a task's payload, with what one instance takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    task: Annotated[str, Field(min_length=1, max_length=200)]  # task whose payload it replaces
    function: _Name
    cpp: str  # file, as seen from the YAML file
    systemverilog: str | None = None  # file with a function of 32-bit vectors, for values in clocked hardware
    python: str  # ``FILE.py:FUNCTION`` of numpy arrays, for its values
    latency: Annotated[int, Field(ge=1, le=10_000)]  # cycles from operands to result
    interval: Annotated[int, Field(ge=1, le=10_000)] = 1  # cycles between two calls of one instance
    dsp: _Count = 0
    ff: _Count = 0
    lut: _Count = 0
    source: Annotated[str, Field(min_length=1)]  # place where the figures are from
    kind: Kind


class _File(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    kernels: Annotated[tuple[OwnKernel, ...], Field(min_length=1, max_length=1000, strict=False)]


def read_own_kernels(path: Path) -> tuple[OwnKernel, ...]:
    """The kernels of a YAML file.

    Raises:
        InputError: it can't be read, has other keys or values, or two kernels for a task.
    """
    kernels = validated(_File, read_yaml(path), str(path)).kernels
    tasks = [each.task for each in kernels]
    for task in tasks:
        if tasks.count(task) > 1:
            raise InputError("two-kernels", f"the task '{task}' has two kernels", where=str(path), hints=["name one"])
    return kernels


def cpp_text(kernel: OwnKernel, folder: Path, arguments: int) -> str:
    """The C++ of a kernel.

    Args:
        kernel: the kernel.
        folder: folder of the YAML file.
        arguments: those that the task gives.

    Raises:
        InputError: no such file, or no function of that name with so many arguments in it.
    """
    path = folder / kernel.cpp
    text = read_text(path, most_bytes=MAX_TEXT_BYTES)
    found = re.search(rf"\bfloat\s+{kernel.function}\s*\(([^)]*)\)\s*\{{", text)
    wanted = ", ".join(["float"] * arguments)
    if found is None:
        raise InputError(
            "no-function",
            f"the file defines no function '{kernel.function}' that gives a float",
            where=str(path),
            hints=[f"define float {kernel.function}({wanted})"],
        )
    if (count := len([each for each in found.group(1).split(",") if each.strip()])) != arguments:
        raise InputError(
            "other-arguments",
            f"'{kernel.function}' takes {count}, and the task '{kernel.task}' gives {arguments}",
            where=str(path),
            hints=[f"define float {kernel.function}({wanted})"],
        )
    return text


def systemverilog_text(kernel: OwnKernel, folder: Path) -> str | None:
    """The SystemVerilog of a kernel; None where it has none.

    Raises:
        InputError: no such file, or no function of that name in it.
    """
    if kernel.systemverilog is None:
        return None
    path = folder / kernel.systemverilog
    text = read_text(path, most_bytes=MAX_TEXT_BYTES)
    if re.search(rf"\bfunction\s+automatic\b[^;]*\b{kernel.function}\s*\(", text) is None:
        raise InputError(
            "no-function",
            f"the file has no function automatic '{kernel.function}'",
            where=str(path),
            hints=[f"write function automatic logic [31:0] {kernel.function}(input logic [31:0] x)"],
        )
    return text


def keep_texts(module: ModuleOp, attribute: str, texts: Mapping[str, str]) -> None:
    """Keeps texts by the name of their function in an attribute of a module."""
    module.attributes[attribute] = DictionaryAttr({name: StringAttr(text) for name, text in texts.items()})


def kept_texts(op: Operation, attribute: str) -> dict[str, str]:
    """Texts by the name of their function, of the module that an op is in."""
    root = op.get_toplevel_object()
    kept = root.attributes.get(attribute) if isinstance(root, ModuleOp) else None
    texts = kept.data if isinstance(kept, DictionaryAttr) else {}
    return {name: text.data for name, text in texts.items() if isinstance(text, StringAttr)}


def define_values(path: Path) -> None:
    """Runs the Python files that a YAML file of own kernels names, for their values.

    Raises:
        InputError: see :func:`read_own_kernels`; a file or a function is not there, or a file fails.
    """
    for kernel in read_own_kernels(path):
        define_own_kernel(kernel.function, python_function(kernel.python, path.parent))
