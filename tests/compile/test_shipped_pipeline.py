"""All shipped texts through all passes: valid after each, and the printed IR is a fixed point of reading."""

from __future__ import annotations

from pathlib import Path

import pytest

import sttest.frontend
from sttest.compile.dialects import df
from sttest.compile.ir.module_walk import all_of, set_target
from sttest.compile.opt import new_context, parse
from sttest.compile.options import CompileOptions
from sttest.compile.pipeline import all_passes
from sttest.frontend.shipped import SHIPPED_MODELS

TEXTS = sorted((Path(sttest.frontend.__file__).parent / "lowered").glob("*.mlir"))
SMALL = [path for path in TEXTS if path.stem.startswith("small-")]
REAL = [path for path in TEXTS if path not in SMALL]


def test_every_model_is_shipped_in_both_phases_and_with_a_head() -> None:
    assert (len(SMALL), len(REAL)) == (3 * len(SHIPPED_MODELS), 3 * len(SHIPPED_MODELS))


def _at_night_but_some(path: Path) -> object:
    """Decode blocks with a head are decode blocks with more behind them; two models have all that the others have."""
    is_part = path.with_name(f"{path.stem}-head.mlir").is_file()
    is_some = path.stem.startswith(("small-gpt2-prefill", "small-gemma-decode")) and not is_part
    return pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if is_some else [pytest.mark.nightly])


@pytest.mark.parametrize("path", [_at_night_but_some(path) for path in SMALL])
def test_every_pass_leaves_valid_ir_that_reads_back(path: Path) -> None:
    context = new_context()
    module = parse(path.read_text(), path.name, context)
    set_target(module, "u55c")
    for each in all_passes(CompileOptions()):
        each.apply(context, module)
        module.verify()
        text = str(module)
        assert str(parse(text, each.name)) == text, each.name


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.stem)
def test_real_sizes_fuse_into_one_kernel_of_streams(path: Path) -> None:
    context = new_context()
    module = parse(path.read_text(), path.name, context)
    set_target(module, "u55c")
    for each in all_passes(CompileOptions())[:-1]:
        each.apply(context, module)
    module.verify()
    text = str(module)
    assert str(parse(text, path.name)) == text
    (kernel,) = all_of(module, df.KernelOp)
    contractions = [task for task in all_of(kernel, df.TaskOp) if task.is_contraction]
    # Q, K, V, scores, values, output projection, and two or three feed-forward products.
    assert len(contractions) >= 8
    assert all(converter.buffer is not None for converter in all_of(kernel, df.ConverterOp))
    assert len({stream.sym_name.data for stream in all_of(kernel, df.StreamOp)}) == len(all_of(kernel, df.StreamOp))
