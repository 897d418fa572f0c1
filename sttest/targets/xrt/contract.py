"""What sttest uses of pyxrt, the Python binding of XRT, as types.

Taken from github.com/Xilinx/XRT at tag 202410.2.17.319, the release that goes with Vitis 2024.1.  References
such as ``pyxrt.cpp:269`` are lines of ``src/python/pybind11/src/pyxrt.cpp`` there, ``xrt_kernel.cpp`` and
``xrt_bo.cpp`` are in ``src/runtime_src/core/common/api``, headers in ``src/runtime_src/core/include``.

The binding names no parameter and has no default: arguments are by position, all of them.  Python errors are
TypeError for an argument of the wrong type, IndexError for ``std::out_of_range``, RuntimeError for the rest.
It never releases the interpreter lock: in a `Run.wait` no other Python thread runs, a watchdog's neither.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np

    Bytes: TypeAlias = bytes | bytearray | memoryview | np.ndarray[Any, Any]

XRT_RELEASE = "202410.2.17.319"
PAGE_BYTES = 4096
"""Host copies start on a page (xrt_bo.cpp:90, 1095: ``get_alignment`` is the page size); addresses on a card too."""
BANK_MASK = 0xFFFF
"""Bits of a group id that name the memory bank (xrt_mem.h:60); the eight above it name the xclbin's slot."""
SURFACE = (
    "bo",
    "device",
    "enumerate_devices",
    "ert_cmd_state",
    "kernel",
    "run",
    "uuid",
    "xclBOSyncDirection",
    "xclbin",
    "xrt_info_device",
)
"""The names of the module that sttest uses."""


class EnumMember(Protocol):
    """A member of one of the binding's enumerations; no int: a number in its place is a TypeError."""

    @property
    def value(self) -> int:
        """The number in the C header."""
        ...


class SyncDirections(Protocol):
    """``xclBOSyncDirection`` (pyxrt.cpp:47, deprecated/xrt.h:178); not exported to the module.

    Two more, for AI engines, are not used.
    """

    @property
    def XCL_BO_SYNC_BO_TO_DEVICE(self) -> EnumMember:  # noqa: N802
        """0: host copy to card."""
        ...

    @property
    def XCL_BO_SYNC_BO_FROM_DEVICE(self) -> EnumMember:  # noqa: N802
        """1: card to host copy."""
        ...


class CommandStates(Protocol):
    """``ert_cmd_state`` (pyxrt.cpp:53, ert.h:510); not exported to the module.

    ``ERT_CMD_STATE_RUNNING`` (3) is not bound: a state that is seen at the wrong moment has a value and no name.
    """

    @property
    def ERT_CMD_STATE_NEW(self) -> EnumMember:  # noqa: N802
        """1: not started."""
        ...

    @property
    def ERT_CMD_STATE_SUBMITTED(self) -> EnumMember:  # noqa: N802
        """7: started, not done."""
        ...

    @property
    def ERT_CMD_STATE_COMPLETED(self) -> EnumMember:  # noqa: N802
        """4: done."""
        ...

    @property
    def ERT_CMD_STATE_ERROR(self) -> EnumMember:  # noqa: N802
        """5: ended without success."""
        ...

    @property
    def ERT_CMD_STATE_ABORT(self) -> EnumMember:  # noqa: N802
        """6: ended by somebody else, as by a reset of the card."""
        ...

    @property
    def ERT_CMD_STATE_TIMEOUT(self) -> EnumMember:  # noqa: N802
        """8: what `Run.wait` returns when its time is over; the run goes on."""
        ...


class InfoKeys(Protocol):
    """``xrt_info_device`` (pyxrt.cpp:65); these are the ones used."""

    @property
    def bdf(self) -> EnumMember:
        """Place on PCIe, as ``0000:81:00.1``."""
        ...

    @property
    def name(self) -> EnumMember:
        """Platform, as ``xilinx_u55c_gen3x16_xdma_base_3``."""
        ...

    @property
    def electrical(self) -> EnumMember:
        """JSON object: ``power_consumption_watts``, ``power_consumption_max_watts``, ``power_rails``."""
        ...

    @property
    def thermal(self) -> EnumMember:
        """JSON object: ``thermals``, each ``location_id``, ``description``, ``temp_C``, ``is_present``."""
        ...


class BoFlags(Protocol):
    """``bo.flags`` (pyxrt.cpp:260, xrt_bo.h:104); exported into ``bo`` as well, as in ``bo.normal``."""

    @property
    def normal(self) -> EnumMember:
        """Host copy and card copy; no other kind is used."""
        ...


class Uuid(Protocol):
    """``uuid`` (pyxrt.cpp:106): names an xclbin."""

    def to_string(self) -> str:
        """Five groups of hexadecimal digits."""
        ...


class XclbinKernel(Protocol):
    """``xclbin.xclbinkernel`` (pyxrt.cpp:310)."""

    def get_name(self) -> str:
        """The kernel's name, without its instances."""
        ...

    def get_num_args(self) -> int:
        """Number of arguments."""
        ...


class Xclbin(Protocol):
    """``xclbin(path)`` (pyxrt.cpp:298): a design's file, read without a card."""

    def get_uuid(self) -> Uuid:
        """The name of this build."""
        ...

    def get_kernels(self) -> Any:
        """A sequence of `XclbinKernel`."""
        ...


class Device(Protocol):
    """``device(index)`` or ``device("0000:81:00.1")`` (pyxrt.cpp:125, xrt_device.h:164, 181)."""

    def load_xclbin(self, xclbin: Any, /) -> Uuid:
        """Configures the card with a path or an `Xclbin` (pyxrt.cpp:131, 134); buffers made before are lost."""
        ...

    def get_xclbin_uuid(self) -> Uuid:
        """What the card is configured with (pyxrt.cpp:140); all zeros if nothing."""
        ...

    def get_info(self, key: Any, /) -> str:
        """A property or sensor reading (pyxrt.cpp:141), always text: booleans are ``0`` and ``1``.

        Numbers inside JSON are text too (sensor.cpp: boost's property trees), ``N/A`` where there is no reading.
        """
        ...


class Bo(Protocol):
    """A buffer: ``bo(device, size, flags, group)`` or, a part of another, ``bo(parent, size, offset)``.

    pyxrt.cpp:269-270, xrt_bo.h:197, 395.  Sizes and offsets are bytes.  ``group`` is `Kernel.group_id` of the
    argument that it is for.  It is freed with the last reference; nothing closes it earlier.  Buffers over memory
    of the caller's (``userptr``, which must be on a page) are not bound.
    """

    def size(self) -> int:
        """Bytes."""
        ...

    def address(self) -> int:
        """The address on the card."""
        ...

    def write(self, data: "Bytes", seek: int, /) -> None:
        """Copies all of ``data`` into the host copy, ``seek`` bytes in; error past its end (xrt_bo.cpp:338)."""
        ...

    def read(self, size: int, skip: int, /) -> "np.ndarray[Any, Any]":
        """A copy of ``size`` bytes of the host copy from byte ``skip``, as int8 (pyxrt.cpp:275)."""
        ...

    def map(self) -> memoryview:
        """The host copy itself, as writable bytes (pyxrt.cpp:287).

        The view does not keep the buffer alive: used after it, it is freed memory.
        """
        ...

    def sync(self, direction: Any, size: int = ..., offset: int = ..., /) -> None:
        """Copies between host copy and card copy: all, or ``size`` bytes from ``offset`` (pyxrt.cpp:281, 284).

        Give both or none; size comes first.
        """
        ...


class KernelRun(Protocol):
    """``run(kernel)`` (pyxrt.cpp:189): one execution, which can be started again when it is done.

    ``abort`` of the C++ class is not bound: a kernel that hangs is got rid of by a reset of the card only.
    """

    def set_arg(self, index: int, value: Any, /) -> None:
        """Sets a buffer, or an integer that fits 32 bits with sign (pyxrt.cpp:195, 198: ``int``).

        The integer fills the low four bytes of the argument (xrt_kernel.cpp:1869); what is wider keeps the rest.
        """
        ...

    def start(self) -> None:
        """Starts it; RuntimeError if it runs already (xrt_kernel.cpp:857)."""
        ...

    def wait(self, timeout_ms: int = ..., /) -> Any:
        """Blocks until the end, or for some milliseconds; 0 and nothing are for ever (pyxrt.cpp:201, 204).

        Returns the state, `CommandStates.ERT_CMD_STATE_TIMEOUT` when the time is over (xrt_kernel.cpp:2476).
        Where other runs keep ending within the timeout, it may return later than that (xrt_kernel.h:241).
        """
        ...

    def state(self) -> Any:
        """The state now (pyxrt.cpp:207)."""
        ...


class Kernel(Protocol):
    """``kernel(device, uuid, name)`` (pyxrt.cpp:220): all instances of a name, or one as in ``add:{add_1}``."""

    def __call__(self, *arguments: Any) -> KernelRun:
        """Sets all arguments in order and starts (pyxrt.cpp:229); only buffers and integers are taken.

        Whatever the binding cannot set (a float, an integer of more than 32 bits, one argument too many) it leaves
        out without a word, and starts with what is set.
        """
        ...

    def group_id(self, index: int, /) -> int:
        """The memory bank of an argument's buffer (pyxrt.cpp:250, xrt_kernel.cpp:1690).

        Bits of `BANK_MASK` are an index into the xclbin's memories: that of the bank, or of a group of banks where
        the argument is connected to several.
        """
        ...


class PyXrt(Protocol):
    """The module."""

    @property
    def xclBOSyncDirection(self) -> SyncDirections:  # noqa: N802
        """The directions that `Bo.sync` takes."""
        ...

    @property
    def ert_cmd_state(self) -> CommandStates:
        """What `Run.wait` and `Run.state` return."""
        ...

    @property
    def xrt_info_device(self) -> InfoKeys:
        """The keys that `Device.get_info` takes."""
        ...

    @property
    def enumerate_devices(self) -> Callable[[], int]:
        """Number of cards (pyxrt.cpp:98)."""
        ...

    @property
    def device(self) -> Callable[[Any], Device]:
        """Opens a card, by index or place."""
        ...

    @property
    def xclbin(self) -> Callable[[str], Xclbin]:
        """Reads a file."""
        ...

    @property
    def kernel(self) -> Callable[[Any, Any, str], Kernel]:
        """Opens a kernel of the design that is loaded."""
        ...

    @property
    def run(self) -> Callable[[Any], KernelRun]:
        """Prepares an execution."""
        ...

    @property
    def bo(self) -> "BoClass":
        """Allocates a buffer."""
        ...


class BoClass(Protocol):
    """``bo`` as a class: its constructors and its flags."""

    @property
    def flags(self) -> BoFlags:
        """Kinds of buffers."""
        ...

    @property
    def normal(self) -> EnumMember:
        """``flags.normal``."""
        ...

    def __call__(self, *arguments: Any) -> Bo:
        """``(device, size, flags, group)`` or ``(parent, size, offset)``."""
        ...
