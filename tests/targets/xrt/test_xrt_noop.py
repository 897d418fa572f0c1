"""What the contract says of buffers, asked of XRT itself where its library is installed; no card is needed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SOURCE = Path(__file__).parent / "xrt_noop_host.cpp"
INSTALL = "apt-get install libxrt-dev uuid-dev g++"
FINDINGS = {
    "moved": "yes",
    "size": "4096",
    "map_on_page": "yes",
    "part_starts_at": "128",
    "part_address": "128",
    "refuses_write_past_end": "yes",
    "refuses_read_past_end": "yes",
    "refuses_part_past_end": "yes",
    "refuses_part_at_odd_offset": "no",  # XRT does not mind; the port would, which is why the emulator does
    "refuses_unaligned_host_memory": "yes",
}


def installed_xrt() -> tuple[Path, Path] | None:
    """Folders of headers and libraries: of AMD's package, or of Debian's."""
    roots = [Path(os.environ.get("XILINX_XRT", "/opt/xilinx/xrt"))]
    places = [(root / "include", root / "lib") for root in roots]
    places += [(Path("/usr/include/xrt"), library) for library in Path("/usr/lib").glob("*-linux-gnu")]
    found = (
        (include, library)
        for include, library in places
        if (include / "xrt" / "xrt_bo.h").is_file() and (library / "libxrt_coreutil.so").exists()
    )
    return next(found, None)


def test_buffers_of_the_real_library(tmp_path):
    found = installed_xrt()
    if found is None or shutil.which("g++") is None:
        pytest.skip(f"XRT's library or g++ is not installed: {INSTALL}")
    include, library = found
    host = tmp_path / "host"
    flags = [f"-I{include}", f"-L{library}", f"-Wl,-rpath,{library}", "-lxrt_coreutil", "-luuid", "-pthread"]
    subprocess.run(["g++", "-std=c++17", "-o", str(host), str(SOURCE), *flags], check=True, timeout=240)
    # Debian spreads XRT over the system; XRT looks for its shims below one folder.
    (tmp_path / "xrt" / "lib").mkdir(parents=True)
    for shim in library.glob("libxrt_*.so*"):
        (tmp_path / "xrt" / "lib" / shim.name).symlink_to(shim)
    environment = os.environ | {
        "XILINX_XRT": str(tmp_path / "xrt"),
        "XCL_EMULATION_MODE": "noop",
        "LD_LIBRARY_PATH": str(library),
    }
    done = subprocess.run([str(host)], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines() if line.split(" ")[0] in FINDINGS)
    assert told == FINDINGS
