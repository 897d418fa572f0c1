"""The folders of headers that a kernel is compiled against: integer types of our own or Xilinx's, and all else."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.resources import as_file
from importlib.resources import files as resources
from pathlib import Path

from sttest.core.errors import InputError

__depends__ = ("sttest/targets/csim/include/*", "sttest/targets/csim/ap_types/*")

AP_TYPES_VARIABLE = "STTEST_AP_TYPES"
"""The environment variable that names the folder where no option does."""
AP_TYPES_REPOSITORY = "https://github.com/Xilinx/HLS_arbitrary_Precision_Types"
"""Xilinx's integer and fixed-point types, Apache-2.0."""
GET_AP_TYPES = f"git clone {AP_TYPES_REPOSITORY}"
_INTEGERS = "ap_int.h"
_PARTS = ("ap_*.h", "etc/ap_*.h")


def ap_types_folder(given: Path) -> Path:
    """The folder that holds ``ap_int.h``: a clone of Xilinx's repository, or its ``include``.

    Raises:
        InputError: neither has it.
    """
    for folder in (given, given / "include"):
        if (folder / _INTEGERS).is_file():
            return folder
    raise InputError(
        "no-ap-types",
        f"no {_INTEGERS} there, nor in its include",
        where=str(given),
        hints=[f"'{GET_AP_TYPES}' and name that folder"],
    )


@dataclass(frozen=True)
class HeaderFolders:
    """What ``#include`` searches."""

    streams: Path  # hls_stream.h and all else but the integer types, always of our own
    integers: Path  # ap_int.h

    @property
    def options(self) -> tuple[str, ...]:
        """The compiler's options; what Xilinx's folder may have beside the integers comes second."""
        return "-isystem", str(self.streams), "-isystem", str(self.integers)

    @property
    def files(self) -> list[Path]:
        """Every header that a kernel can depend on."""
        return [
            *sorted(self.streams.glob("*.h")),
            *(each for part in _PARTS for each in sorted(self.integers.glob(part))),
        ]


@contextmanager
def header_folders(ap_types: Path | None = None) -> Iterator[HeaderFolders]:
    """The folders of headers.

    Args:
        ap_types: folder of other integer types than our own; see :func:`ap_types_folder`.

    Raises:
        InputError: it has none.
    """
    own = resources("sttest.targets.csim")
    with ExitStack() as stack:
        streams = stack.enter_context(as_file(own.joinpath("include")))
        integers = stack.enter_context(as_file(own.joinpath("ap_types")))
        yield HeaderFolders(streams, integers if ap_types is None else ap_types_folder(ap_types))
