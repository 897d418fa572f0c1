"""What an archive of `sttest pack` says of itself: its Makefile and its README."""

from sttest.boards.board import Board, FpgaBoard
from sttest.package import ModelPackage

_MAKEFILE = """\
# {design}: make check, make build (Vitis), make run (a card), make emulator (neither).
PYTHON ?= python3
BACKEND ?= device
TARGET ?= hw
LAUNCHES ?= 20
.PHONY: run check build emulator

run: check
\t$(PYTHON) -m sttest.targets.device.packed . --backend $(BACKEND) --launches $(LAUNCHES)

emulator:
\t$(MAKE) run BACKEND=emulator LAUNCHES=2

check:
\tsha256sum --check --quiet SHA256SUMS

build: check
\t$(MAKE) -C hls TARGET=$(TARGET)
"""

_README = """\
# {design}

One decoder block of {model} ({phase}) as a kernel for a {title}, with its parameters, seeded inputs and the results
that it must give, byte by byte.

1. `python3 -m venv venv && . venv/bin/activate && pip install sttest` (version {version})
2. `make check`: every file is as it was packed.
3. `make emulator`: the host program and the C++ agree, on a simulated XRT; needs g++.
4. `source .../Vitis/{vitis}/settings64.sh` and `make build TARGET=hw_emu`, then `source /opt/xilinx/xrt/setup.sh` and
   `make run BACKEND=hw_emu LAUNCHES=1`: hardware emulation.
5. `make build` (hours), then `make run`: the card. Results are in `results-device`: latency on the host's clock, board
   power and energy, and whether all bytes are right.

`hls/link.cfg` connects each argument to an HBM bank of the platform {platform}; `hls/signature.json` says the same to
the host. What makes a kernel hang is ended after a minute (`--timeout-launch`) and named.
"""


def makefile(package: ModelPackage) -> str:
    """The archive's Makefile."""
    return _MAKEFILE.format(design=package.name)


def readme(package: ModelPackage, board: Board, version: str) -> str:
    """What to do with it."""
    assert isinstance(board, FpgaBoard)
    return _README.format(
        design=package.name,
        model=package.config.public_name,
        phase=package.phase,
        title=board.title,
        version=version,
        vitis=board.toolchain.vitis,
        platform=board.toolchain.platform,
    )
