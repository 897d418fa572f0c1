"""Fused groups stand behind what they read, however little memory there is."""

from __future__ import annotations

import pytest
from linalg_programs import random_program
from test_shipped_pipeline import SMALL
from xdsl.ir import Operation

from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, functions
from sttest.compile.opt import new_context, parse
from sttest.compile.passes.fuse_kernels import FuseKernels
from sttest.compile.passes.linalg_to_kernels import LinalgToKernels
from sttest.core.errors import SttestError

TEXTS = {path.stem: path.read_text() for path in SMALL} | {str(seed): random_program(seed) for seed in range(10)}


@pytest.mark.parametrize("c_max_bytes", [10_000, pytest.param(20_000, marks=pytest.mark.nightly), 40_000])
@pytest.mark.parametrize("name", TEXTS)
def test_definitions_come_before_uses(name: str, c_max_bytes: int) -> None:
    context = new_context()
    module = parse(TEXTS[name], name, context)
    try:
        LinalgToKernels(8).apply(context, module)
        FuseKernels(c_max_bytes).apply(context, module)
    except SttestError as refused:
        assert refused.code in ("tile-too-large", "kernel-exceeds-c-max")  # noqa: PT017
        return
    module.verify()
    assert all_of(module, df.KernelOp)
    for function in functions(module):
        seen: set[Operation] = set()
        for op in function.body.block.ops:
            producers = {operand.owner for operand in op.operands if isinstance(operand.owner, Operation)}
            assert producers <= seen
            seen.add(op)
