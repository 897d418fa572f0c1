"""Words of memory ports: tensors one after the other, layer by layer, as loops, as bursts, and in SystemVerilog."""

import subprocess
from importlib.resources import files

import numpy as np
import pytest
from fifo_bench import needs_verilator

import sttest.compile.rtl as rtl
from sttest.compile.rtl.dma import PortTensor, PortTensors, port_words
from sttest.compile.rtl.walks import Bursts, Route, Walk
from sttest.core.errors import InputError
from sttest.reference.graph import Load, MemoryLayout, ReferenceStream, Store
from sttest.reference.memory import pack


def tensor(name: str, rows: int, size: int, repeats: int = 1, *, writes: bool = False) -> PortTensor:
    """Rows of so many int8, a token each, in words of 8; streamed several times."""
    stream = ReferenceStream(name, "i8", (1, size), (repeats, rows), (1, 1), ((0, 1), (0, 0)), (0, 0), 2)
    layout = MemoryLayout((rows, 1), (1, max(1, size // 8)), (1, min(8, size)), 64)
    return PortTensor(
        Store(f"store_{name}", name, layout) if writes else Load(f"load_{name}", name, name, layout), stream
    )


def words_by_hand(tensors: PortTensors, per_token: int) -> list[int]:
    """Bytes of every token, found in an image in which every token's elements are its row."""
    found = []
    for layer in range(tensors.repeats):
        start = layer * tensors.stride
        for each in tensors.row:
            rows, size = each.node.layout.shape
            numbered = np.repeat(np.arange(rows, dtype=np.int8)[:, None], size, axis=1)
            image = pack(numbered, each.node.layout, each.stream).view(np.int8)
            for _ in range(each.stream.trips[0]):
                for row in range(rows):
                    place = int(np.flatnonzero(image[: rows * size] == row)[0])
                    found += [start + place // 8 + word for word in range(per_token)]
            start += len(image) // 8
    return found


def test_several_tensors_of_several_layers_are_one_run():
    tensors = PortTensors((tensor("a", 4, 8), tensor("b", 6, 8)), 3, True, (tensor("c", 5, 8),))
    words = port_words(tensors)
    assert tensors.tokens == 3 * 10 + 5
    assert words.words == Route((Walk(0, (35,), (1,)),))
    assert words.parts is None
    bursts = Bursts.of(words.words, 16, 8)
    assert (bursts.route, bursts.unit) == (Route((Walk(0, (3,), (1,)),)), 16)
    assert (bursts.full, bursts.rest) == ((16,), (3,))


def test_what_is_read_again_has_a_leg_of_its_own():
    tensors = PortTensors(
        (tensor("a", 2, 16, repeats=3), tensor("b", 5, 16)), 2, True, (tensor("c", 3, 16, repeats=2),)
    )
    words = port_words(tensors)
    # 4 words three times, 10 once; the next layer lies 14 further on, and 6 words twice behind both.
    row = [*range(4), *range(4), *range(4), *range(4, 14)]
    assert words.words.numbers.tolist() == [*row, *(14 + word for word in row), *range(28, 34), *range(28, 34)]
    assert words.words.row == (Walk(0, (3, 4), (0, 1)), Walk(4, (10,), (1,)))
    assert (words.words.repeats, words.words.stride) == (2, 14)
    assert words.words.behind == (Walk(28, (2, 6), (0, 1)),)
    assert words.words.numbers.tolist() == words_by_hand(PortTensors(tensors.row, 2, True), 2) + [
        28 + n % 6 for n in range(12)
    ]


def test_a_tensor_of_all_layers_is_read_by_each():
    words = port_words(PortTensors((tensor("mask", 3, 8),), 4))
    assert words.words == Route((Walk(0, (4, 3), (0, 1)),))


def test_parts_of_words_that_no_token_is():
    """Three halves of a word per layer: the fourth is padding."""
    words = port_words(PortTensors((tensor("k", 3, 4, writes=True),), 2, True))
    assert words.parts == Route((Walk(0, (2, 3), (4, 1)),))
    assert words.words == Route((Walk(0, (4,), (1,)),))
    assert (words.tokens_per_word, words.used_parts) == (2, 2)
    assert port_words(PortTensors((tensor("k", 4, 4),), 2, True)).parts is None


def test_tensors_that_lie_in_words_in_different_ways_are_refused():
    with pytest.raises(InputError, match="in different ways") as refused:
        port_words(PortTensors((tensor("a", 4, 8), tensor("b", 4, 4))))
    assert refused.value.code == "no-rtl"


def test_bursts_are_short_where_a_page_would_be_crossed():
    # Runs of 48 words, 56 words apart: the second would begin 8 words before a page of 64 ends.
    route = Route((Walk(0, (3, 48), (56, 1)),))
    bursts = Bursts.of(route, 64, 64)
    assert bursts.most == 8
    assert Bursts.of(Route((Walk(0, (3, 48), (64, 1)),)), 64, 64).most == 48


def random_route(source: np.random.Generator) -> tuple[Route, list[int]]:
    """A route, and its numbers as they were put together."""

    def some(start: int) -> list[int]:
        walk = [start + n for n in range(int(source.integers(1, 70)))]
        for _ in range(source.integers(0, 3)):
            stride = int(source.choice([0, 3, 64, len(walk)]))
            walk = [n + step * stride for step in range(source.integers(1, 4)) for n in walk]
        return walk

    row = [some(int(start)) for start in source.choice([0, 5, 64, 100], source.integers(1, 4))]
    behind = [some(int(start)) for start in source.choice([300, 512], source.integers(0, 3))]
    repeats, stride = int(source.integers(1, 5)), int(source.choice([0, 64, 77]))
    numbers = [n + step * stride for step in range(repeats) for walk in row for n in walk]
    numbers += [n for walk in behind for n in walk]
    route = Route.of([np.array(walk) for walk in row], repeats, stride, [np.array(walk) for walk in behind])
    assert route is not None
    return route, numbers


ROUTES = [random_route(np.random.default_rng(seed)) for seed in range(24)]


def test_routes_are_what_was_put_together():
    assert all(route.numbers.tolist() == numbers for route, numbers in ROUTES)
    assert max(len(route.legs) for route, _ in ROUTES) > 3
    assert any(route.repeats > 1 for route, _ in ROUTES)


_BENCH = """module bench;
  logic clk = 0, reset = 1;
  int cycle = 0;
  always #1 clk = ~clk;
  always_ff @(posedge clk) begin
    cycle <= cycle + 1;
    if (cycle == 3) reset <= 0;
    if (cycle == 20000) $finish;
  end
{walks}endmodule
"""
_WALK = """  logic v{n};
  logic [63:0] a{n};
  logic [8:0] w{n};
  logic [31:0] p{n};
  burst_walk #({given}) walk_{n} (
    .clk, .reset, .base(64'h1_0000_3000), .valid(v{n}), .address(a{n}), .words(w{n}), .take(v{n} & ~reset & cycle[0])
  );
  logic l{n};
  logic d{n} = 0;
  address_walk #({counted}) count_{n} (
    .clk, .reset, .step(~reset & ~d{n}), .at(p{n}[BITS_{n}-1:0]), .next(), .leg(), .inner_ends(), .last(l{n})
  );
  localparam int BITS_{n} = {bits};
  assign p{n}[31:BITS_{n}] = '0;
  always_ff @(posedge clk) if (~reset) begin
    if (v{n} & cycle[0]) $display("burst {n} %0d %0d", a{n}, w{n});
    if (~d{n}) $display("number {n} %0d", p{n});
    if (l{n}) d{n} <= 1;
  end
"""


@pytest.mark.nightly
@pytest.mark.slow
@needs_verilator
def test_the_hardware_walks_the_same_words(tmp_path):
    """Bursts of the module, spread out, are the words in order, and none crosses 4 KiB."""
    walks = []
    for n, (route, _) in enumerate(ROUTES):
        given, counted = (
            {**each, **more}
            for each, more in (
                (Bursts.of(route, 64 >> n % 3, 64).parameters, {"WORD_BYTES": "64"}),
                (route.parameters, {}),
            )
        )
        texts = (", ".join(f".{name}({value})" for name, value in each.items()) for each in (given, counted))
        walks.append(_WALK.format(n=n, given=next(texts), counted=next(texts), bits=counted["BITS"]))
    (tmp_path / "bench.sv").write_text(_BENCH.format(walks="".join(walks)))
    source = files(rtl) / "hdl" / "address_walk.sv"
    subprocess.run(
        [
            "verilator",
            "--binary",
            "--timing",
            "-Wno-fatal",
            "-Wno-lint",
            "--top-module",
            "bench",
            "--Mdir",
            "obj",
            "bench.sv",
            str(source),
        ],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    told = subprocess.run([tmp_path / "obj" / "Vbench"], check=True, capture_output=True, text=True).stdout.splitlines()
    words: dict[int, list[int]] = {n: [] for n in range(len(ROUTES))}
    numbers: dict[int, list[int]] = {n: [] for n in range(len(ROUTES))}
    for what, n, first, *count in (line.split() for line in told if line.startswith(("burst", "number"))):
        if what == "number":
            numbers[int(n)].append(int(first))
            continue
        place = int(first) - 0x1_0000_3000
        assert place % 4096 + int(count[0]) * 64 <= 4096
        words[int(n)] += range(place // 64, place // 64 + int(count[0]))
    for n, (_, wanted) in enumerate(ROUTES):
        assert words[n] == wanted, n
        assert numbers[n] == wanted, n
