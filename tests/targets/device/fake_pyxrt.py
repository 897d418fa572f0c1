"""Stands in for pyxrt where there is none: XRT's double as a module, with the noise that XRT makes."""

from __future__ import annotations

import os
from pathlib import Path

from sttest.boards.load import load_board, require_hbm
from sttest.targets.xrt.emulator import EmulatedXrt, KernelLaunch, PythonKernels

print("[XRT] WARNING: this goes to standard output")
if "FAKE_PYXRT_MODE_FILE" in os.environ:
    Path(os.environ["FAKE_PYXRT_MODE_FILE"]).write_text(os.environ.get("XCL_EMULATION_MODE", "none"))
Path("summary.csv").write_text(
    "Compute Unit Utilization\nKernel,Number Of Calls,Minimum Time (ms),Average Time (ms),Maximum Time (ms),"
    "Clock Frequency (MHz),\nreverse,30,0.01,0.02,0.03,250,\n\n"
)


def _reverse(launch: KernelLaunch) -> float:
    data = bytes(launch.buffers["x"])
    words = [data[start : start + 64] for start in range(0, len(data), 64)]
    launch.buffers["y"][:] = b"".join(reversed(words))
    return 20.0


class uuid:
    pass


_DOUBLE = EmulatedXrt(require_hbm(load_board("u55c")), PythonKernels({"reverse": _reverse}))
bo, device, kernel, run, xclbin = _DOUBLE.bo, _DOUBLE.device, _DOUBLE.kernel, _DOUBLE.run, _DOUBLE.xclbin
enumerate_devices, ert_cmd_state = _DOUBLE.enumerate_devices, _DOUBLE.ert_cmd_state
xclBOSyncDirection, xrt_info_device = _DOUBLE.xclBOSyncDirection, _DOUBLE.xrt_info_device
