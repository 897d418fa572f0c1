"""Nano-batches give every sequence what the batch in one gives: in PyTorch, and in compiled designs to the bit."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from sttest.compile.compiler import CompiledDesign, compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.reference_graph import value_graph
from sttest.core.errors import InputError
from sttest.models.registry import model_config
from sttest.reference import run
from sttest.reference.memory import memory_images, read_results
from sttest.sim import simulate
from sttest.sim.graph import MemoryPort

torch = pytest.importorskip("torch")

from sttest.frontend.lowering import linalg_text, lower_isolated
from sttest.models.blocks import DecodeBlock
from sttest.models.weights import randomize
from sttest_systems.nano_batches.program import RESULTS, NanoBatches, check_parts, nano_program, of_part, split_inputs

pytestmark = pytest.mark.torch

BATCH, CONTEXT = 4, 32


def drawn(shape, dtype, random):
    """An argument of a design as it lies in memory: small integers, or numbers of about one; scales below a tenth."""
    if dtype.startswith("i"):
        most = 2 ** (int(dtype[1:]) - 1) - 1
        return random.integers(-most, most + 1, shape).astype(np.int8)
    if dtype == "f16":
        return (0.01 + 0.05 * random.random(shape)).astype(np.float16)
    return random.standard_normal(shape).astype(np.float32)


@cache
def design(name: str, parts: int, share: str = "weights", *, kept: bool = False) -> CompiledDesign:
    config = model_config(name)
    arguments = {"config": config, "context": CONTEXT, "batch": BATCH, "parts": parts, "kept": kept}
    text = lower_isolated(nano_program, arguments)
    return compile_text(text, name, "u55c", CompileOptions(share=share))  # type: ignore[arg-type]


def of_whole(name: str) -> str:
    """The argument of the batch's block that an argument of a part is, or is a slice of."""
    _, _, rest = name.partition("blocks.")
    if rest:
        return rest.partition(".")[2]
    head, _, tail = name.partition("_part")
    return head + tail.lstrip("0123456789")


@pytest.mark.parametrize("name", ["small-gpt2", "small-qwen"])
@pytest.mark.parametrize("parts", [1, 2])
def test_in_floating_point_they_are_slices_of_the_batch(name, parts):
    config = model_config(name)
    block = DecodeBlock(config).eval()
    randomize(block, seed=5)
    source = torch.Generator().manual_seed(6)
    shapes: dict[str, tuple[int, ...]] = {"x": (BATCH, config.hidden), "mask": (BATCH, CONTEXT)}
    shapes |= dict.fromkeys(("k_cache", "v_cache"), (BATCH, config.kv_heads, CONTEXT, config.head_dim))
    if config.rope_theta is not None:
        shapes["rope"] = (BATCH, 2, 2, config.head_dim // 2)
    inputs = {each: torch.randn(shape, generator=source) for each, shape in shapes.items()}
    module = NanoBatches(config, parts, kept=True).eval()
    module.blocks[0].load_state_dict(block.state_dict())
    with torch.no_grad():
        whole, split = block(**inputs), module(**split_inputs(inputs, parts))
    for number, expected in enumerate(whole):
        together = torch.cat([split[part * len(RESULTS) + number] for part in range(parts)])
        torch.testing.assert_close(together, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("small-gpt2", False),
        pytest.param("small-gpt2", True, marks=pytest.mark.nightly),
        pytest.param("small-qwen", False, marks=pytest.mark.nightly),
    ],
)
def test_compiled_they_are_the_batch_to_the_bit(name, kept):
    """Designs of W4A8 on the same memory: the batch in one, and in two parts."""
    whole_text = linalg_text(model_config(name), "decode", 1, CONTEXT, batch=BATCH)
    whole = value_graph(compile_text(whole_text, name, "u55c", CompileOptions(share="weights")).module, name)
    random = np.random.default_rng(7)
    memory = {each.name: drawn(each.shape, each.dtype, random) for each in whole.arguments}
    expected = read_results(whole, run(whole, memory_images(whole, memory)).results)
    split = value_graph(design(name, 2, kept=kept).module, name)
    given = {}
    for each in split.arguments:
        tensor = memory[of_whole(each.name)]
        part = int(each.name.partition("_part")[2][0]) if "_part" in each.name else None
        given[each.name] = tensor if part is None else tensor[part * 2 : part * 2 + 2]
    found = read_results(split, run(split, memory_images(split, given)).results)
    assert expected.keys() >= {"y"}
    for each, tensor in expected.items():
        stem = next((name for name in RESULTS if each.startswith(name)), each)
        parts = [found[each.replace(stem, of_part(stem, part), 1)] for part in range(2)]
        assert np.array_equal(np.concatenate(parts), tensor), each


@pytest.mark.parametrize("share", ["weights", pytest.param("all", marks=pytest.mark.nightly)])
def test_engines_agree_and_weights_are_read_once_per_part(share):
    found = {parts: design("small-gpt2", parts, share) for parts in (1, 2)}
    for each in found.values():
        runs = [simulate(each.graph, engine) for engine in ("maxplus", "simpy")]
        assert runs[0].cycles == runs[1].cycles
        assert runs[0].verdict == "done"
    assert weight_bytes(found[2]) == 2 * weight_bytes(found[1]) > 0


def weight_bytes(found: CompiledDesign) -> int:
    """What the ports of a design read of the weights of products."""
    ports = [
        each for each in found.graph.processes if isinstance(each, MemoryPort) and "proj_engine_weight" in each.name
    ]
    return sum(port.tokens * port.token_bytes for port in ports if not port.name.endswith("scale"))


@pytest.mark.parametrize(("batch", "parts"), [(4, 3), (4, 4), (2, 2), (4, 0)])
def test_parts_of_different_sizes_or_of_one_are_refused(batch, parts):
    with pytest.raises(InputError, match="nano-batches"):
        check_parts(model_config("small-gpt2"), batch, parts)


@pytest.mark.nightly
def test_emitted_code_gives_the_same_to_the_bit(tmp_path, sttest):
    arguments = {"config": model_config("small-gpt2"), "context": CONTEXT, "batch": BATCH, "parts": 2}
    text = tmp_path / "nano.mlir"
    text.write_text(lower_isolated(nano_program, arguments), encoding="utf-8")
    outcome = sttest("crosscheck", text, "--engines", "reference,csim,simpy,maxplus", "-o", tmp_path / "out")
    assert outcome.exit_code == 0, outcome.stderr
