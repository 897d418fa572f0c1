"""The stand-in for an xclbin: a file of `DesignSignature`."""

from __future__ import annotations

import uuid
from pathlib import Path

from sttest.boards.xrt.double.misuse import misuse
from sttest.boards.xrt.signature import KernelSignature, read_signature

_REAL_MAGIC = b"xclbin2\0"
_NAMESPACE = uuid.UUID("6f1a7c52-0f0b-5b7e-9d0e-2b1f6f4f8c11")


class Uuid:
    """``uuid``: made of a file's content, so that the same build has the same one."""

    def __init__(self, value: uuid.UUID) -> None:
        self.value = value

    def to_string(self) -> str:
        """Five groups of hexadecimal digits."""
        return str(self.value)


class XclbinKernel:
    """``xclbin.xclbinkernel``."""

    def __init__(self, signature: KernelSignature) -> None:
        self._signature = signature

    def get_name(self) -> str:
        """The kernel's name."""
        return self._signature.name

    def get_num_args(self) -> int:
        """Number of arguments."""
        return len(self._signature.arguments)


class Xclbin:
    """``xclbin(path)``.

    Raises:
        InputError: no such file, or not a signature.
        MisuseError: a real xclbin.
    """

    def __init__(self, path: str) -> None:
        if not isinstance(path, str):
            raise misuse("wrong-type", f"{type(path).__name__} where a str is expected", "xclbin")
        file = Path(path)
        if file.is_file() and _magic(file) == _REAL_MAGIC:
            raise misuse("real-xclbin", "a real xclbin", path, levers=["give the double the hls/signature.json"])
        self.design = read_signature(file)
        self.uuid = uuid.uuid5(_NAMESPACE, self.design.model_dump_json())

    def get_uuid(self) -> Uuid:
        """The name of this build."""
        return Uuid(self.uuid)

    def get_kernels(self) -> list[XclbinKernel]:
        """All kernels."""
        return [XclbinKernel(kernel) for kernel in self.design.kernels]


def _magic(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(_REAL_MAGIC))
