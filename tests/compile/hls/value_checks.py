"""Emitted C++ run by the C simulation, held against the reference engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from small_kernels import Made, random_tensors

from sttest.reference import memory_images, run
from sttest.targets.csim import build_kernel, run_kernel
from sttest.targets.vitis.rules import check_kernel


def assert_same_values(kernel: Made, folder: Path, tensors: dict[str, np.ndarray] | None = None) -> None:
    """No warnings, no broken rules, and the bytes that the reference engine leaves in memory."""
    assert check_kernel(kernel.emitted.text) == []
    executable = build_kernel(kernel.files(folder / "package"), folder / "work")
    assert executable.warnings == ""
    images = memory_images(kernel.values, tensors or random_tensors(kernel.values, seed=1))
    wanted = run(kernel.values, images).results
    memories = kernel.emitted.memories
    given = {each.name: np.frombuffer(images[each.label], np.uint8) for each in memories if not each.writes}
    found = run_kernel(executable, given)
    assert found.verdict == "done"
    for each in memories:
        if each.writes:
            left = np.frombuffer(wanted[each.label], np.uint8)
            assert np.array_equal(left, found.results[each.name]), each.name
