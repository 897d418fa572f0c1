"""The adder's signature on disk, and benches of it."""

from pathlib import Path

import numpy as np
import pytest
from adder_design import BYTES, COUNT, DESIGN, LIBRARY, Bench, u55c

from sttest.core.kernel_signature import write_signature
from sttest.targets.xrt.emulator import EmulatedXrt, FaultyKernels


@pytest.fixture
def file(tmp_path) -> Path:
    path = tmp_path / "signature.json"
    write_signature(DESIGN, path)
    return path


@pytest.fixture
def bench_of(file):
    """Makes a bench whose launches go wrong as told."""

    def make(faults=None, passing=lambda _seconds: None) -> Bench:
        xrt = EmulatedXrt(u55c(), FaultyKernels(LIBRARY, faults or {}), passing=passing)
        device = xrt.device(0)
        uuid = device.load_xclbin(str(file))
        kernel = xrt.kernel(device, uuid, "add")
        a, b, c = (xrt.bo(device, BYTES, xrt.bo.normal, kernel.group_id(index)) for index in range(3))
        for number, buffer in enumerate((a, b)):
            buffer.write(np.arange(COUNT, dtype=np.int32) + number, 0)
            buffer.sync(xrt.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE, BYTES, 0)
        return Bench(xrt, device, uuid, kernel, a, b, c)

    return make


@pytest.fixture
def bench(bench_of) -> Bench:
    return bench_of()
