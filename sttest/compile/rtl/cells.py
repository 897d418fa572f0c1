"""Modules that a process has instances of where it is meant for synthesis: pipelines of payloads, products in DSPs.

What is synthesized once and counted often is a part of its own: the text of a process names it by its ports only.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from sttest.boards.resources import MemoryKind
from sttest.compile.rtl.expressions import Expression, Signal, joined
from sttest.compile.rtl.payload import PayloadFunction, payload_module
from sttest.compile.rtl.tree import Instance, Port, body_text, module_text


@dataclass(frozen=True)
class CellModule:
    """A module that others have instances of; with clock ``clk`` and clock enable ``ce``."""

    name: str  # a name after its content: parts of the same name are the same
    inputs: tuple[tuple[str, int], ...]  # names and bits
    outputs: tuple[tuple[str, int], ...]  # names and bits
    text: str  # the module, and those inside it that are nobody else's
    uses: tuple[str, ...] = ()  # files of the library that it needs
    cycles: int = 0  # cycles from inputs to outputs
    operations: tuple[tuple[str, int], ...] = ()  # operators of fp32 with their numbers
    products: tuple[int, int, int, int] | None = None  # lanes, bits of a product, results and chain of its sums

    @property
    def black_box(self) -> str:
        """The module without what is inside."""
        ports = ["input clk", "input ce"]
        ports += [f"input [{bits - 1}:0] {name}" for name, bits in self.inputs]
        ports += [f"output [{bits - 1}:0] {name}" for name, bits in self.outputs]
        return f"(* blackbox *)\nmodule {self.name}({', '.join(ports)});\nendmodule\n"

    def instance(self, name: str, wires: Sequence[Expression]) -> Instance:
        """An instance that advances with the stage of its process.

        Args:
            name: name of the instance.
            wires: wires of its inputs, then of its outputs.
        """
        ports = [port for port, _ in (*self.inputs, *self.outputs)]
        every = [("clk", Signal("clk")), ("ce", Signal("advance")), *zip(ports, wires, strict=True)]
        return Instance(self.name, name, tuple(every))


@dataclass
class Cells:
    """Makes parts."""

    kept_in: Path | None = None  # folder with pipelines that were made before
    kinds: Mapping[str, MemoryKind] = field(default_factory=dict)  # kinds of memories, by their names in reports
    _payloads: dict[tuple[str, int], CellModule] = field(default_factory=dict)

    def kind_of(self, memory: str) -> MemoryKind:
        """The kind of a memory; in LUTs where nothing else is known."""
        return self.kinds.get(memory, "lutram")

    def payload(self, function: PayloadFunction, stages: int) -> CellModule:
        """A payload as a pipeline of so many stages."""
        key = function.text, stages
        if key not in self._payloads:
            ports = ((port.name, port.bits) for port in (*function.inputs, *function.outputs))
            name = f"lane_{_digest(function.text, stages, *ports)}"
            text = self._pipeline(function, name, stages)
            inputs, outputs = (
                tuple((port.name, port.bits) for port in each) for each in (function.inputs, function.outputs)
            )
            self._payloads[key] = CellModule(
                name, inputs, outputs, text, cycles=stages, operations=tuple(sorted(function.operations.items()))
            )
        return self._payloads[key]

    def _pipeline(self, function: PayloadFunction, name: str, stages: int) -> str:
        return payload_module(function, name, stages, self.kept_in).text


class CountedCells(Cells):
    """Parts without the text of their pipelines, for whoever only counts them: XLS is not asked."""

    def _pipeline(self, function: PayloadFunction, name: str, stages: int) -> str:
        return ""


def products_part(
    lanes: int, shared_bits: int, other_bits: int, results: int, cycles: int, chain: int = 2
) -> CellModule:
    """Sums of products of integers, in DSPs or LUTs: of one result, or of two that share a factor in every lane.

    Factors of a chain's third product come a cycle after those of the first two, each further one a cycle later.

    Args:
        lanes: products of a sum.
        shared_bits: width of the factor that both results share.
        other_bits: width of the other factor.
        results: 1 or 2.
        cycles: from the first factors to the sums.
        chain: products in a row down the cascade of DSPs; 0 for products in LUTs.
    """
    sum_bits = shared_bits + other_bits + (lanes - 1).bit_length()
    inputs = [("shared", lanes * shared_bits)] + [(f"other{n}", lanes * other_bits) for n in range(results)]
    outputs = [(f"sum{n}", sum_bits) for n in range(results)]
    name = f"products_{results}x{lanes}_{other_bits}x{shared_bits}_{chain}_{cycles}"
    ports = [Port("input", "clk"), Port("input", "ce")]
    ports += [Port("input", port, bits) for port, bits in inputs]
    ports += [Port("output", port, bits) for port, bits in outputs]
    given = {"LANES": lanes, "SHARED": shared_bits, "OTHER": other_bits, "RESULTS": results, "CYCLES": cycles}
    given |= {"CHAIN": max(chain, 1), "FABRIC": int(not chain)}
    both = [joined(Signal(f"{stem}{n}") for n in reversed(range(results))) for stem in ("other", "sum")]
    own = [(each, Signal(each)) for each in ("clk", "ce", "shared")]
    sums = Instance("dot_products", "products", (*own, ("other", both[0]), ("sums", both[1])), tuple(given.items()))
    text = module_text(name, ports, body_text([sums]))
    products = lanes, shared_bits + other_bits, results, chain
    return CellModule(name, tuple(inputs), tuple(outputs), text, ("primitives", "dot_products"), cycles, (), products)


def shortest_products(lanes: int, chain: int) -> int:
    """Cycles that sums of so many products take at least: a product, those in the DSPs behind it, a tree."""
    chain = min(chain, lanes)
    return 3 + chain - 1 + (-(-lanes // chain) - 1).bit_length()


def _digest(*facts: object) -> str:
    return sha256(repr(facts).encode()).hexdigest()[:12]
