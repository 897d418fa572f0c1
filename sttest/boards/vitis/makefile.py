"""``hls/Makefile``: the steps of a build by hand."""

from __future__ import annotations

import shlex

from sttest.boards.vitis.steps import Plan, Target

_TEXT = """\
# {title}
# make TARGET=hw_emu    hardware emulation     make TARGET=hw    bitstream (hours)
# Needs Vitis {vitis} with the platform {platform}: source settings64.sh first.
TARGET ?= hw_emu
BUILD := build-$(TARGET)
ifeq ($(filter $(TARGET),hw_emu hw),)
$(error TARGET is hw_emu or hw)
endif

.PHONY: all clean
.DELETE_ON_ERROR:
all: $(BUILD)/{kernel}.xclbin {emulation}

$(BUILD)/{kernel}.xo: kernel.cpp
\tmkdir -p $(BUILD)
\tcd $(BUILD) && {compile}

$(BUILD)/{kernel}.xclbin: $(BUILD)/{kernel}.xo link.cfg
\tcd $(BUILD) && {link}

$(BUILD)/emconfig.json:
\tmkdir -p $(BUILD)
\tcd $(BUILD) && {emconfig}

clean:
\trm -rf build-hw_emu build-hw
"""


def makefile_text(plan: Plan, title: str) -> str:
    """The file's text; `Plan` has the commands, here with the target left open."""
    return _TEXT.format(
        title=title,
        vitis=plan.tools.vitis,
        platform=plan.tools.platform,
        kernel=plan.kernel,
        emulation="$(if $(filter hw_emu,$(TARGET)),$(BUILD)/emconfig.json)",
        compile=_open(plan.compile_command("../kernel.cpp"), plan.target),
        link=_open(plan.link_command("../link.cfg"), plan.target),
        emconfig=shlex.join(plan.emconfig_command()),
    )


def _open(command: tuple[str, ...], target: Target) -> str:
    words = ["$(TARGET)" if word == target else shlex.quote(word) for word in command]
    return " ".join(words)
