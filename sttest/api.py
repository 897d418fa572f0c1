"""The public interface: compile a model, simulate it, size its FIFOs, ask what-if (docs/reference/python-api.md).

Everything here is reached as ``import sttest as st``; tables are pandas DataFrames.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from sttest.boards.board import FpgaBoard
from sttest.boards.load import load_board, quantities, require_hbm
from sttest.compile.compiler import CompiledDesign
from sttest.compile.options import CompileOptions
from sttest.compile.passes.size_fifos import SizeFifos
from sttest.compile.pipeline import streaming_passes
from sttest.compile.reports import kernel_table, resource_table
from sttest.compile.resources.design import design_resources
from sttest.compile.resources.fit import Fit, fit_of
from sttest.core.errors import InputError
from sttest.core.validation import validated
from sttest.explore.choice import Chosen, read_choice
from sttest.frontend.module_source import ModuleSource
from sttest.models.program import Phase
from sttest.models.registry import SMALL, is_known
from sttest.package import DesignPackage
from sttest.package.compiled import read_design, write_package
from sttest.studies.runs import Depths, Engine, Graph, whole_depths
from sttest.studies.sizing import Program
from sttest.studies.whatif.settings import BOARD, changed_board, full_key
from sttest.studies.whatif.study import Value
from sttest.studies.whatif.variants import options_with, variants
from sttest.studies.workload import CompileRequest

if TYPE_CHECKING:
    from torch import nn

__all__ = ["Board", "CompileOptions", "Design", "compile", "load_design"]


@dataclass(frozen=True, repr=False)
class Board:
    """An FPGA card that designs can be compiled for; every quantity has a value, a unit and a source.

    Attributes:
        description: data sheet of the card.

    Examples:
        >>> import sttest as st
        >>> st.Board.load("u55c")
        Board('u55c', 250 MHz, 460 GB/s)
    """

    description: FpgaBoard

    @classmethod
    def load(cls, name_or_path: str | Path) -> "Board":
        """Reads a board that comes with sttest, or one of a YAML file.

        Args:
            name_or_path: name such as ``u55c``, or path of a YAML file.

        Raises:
            InputError: there is no such board, or kernels can't be fed from its memory.
        """
        return cls(require_hbm(load_board(name_or_path)))

    def with_(self, **values: float) -> "Board":
        """A board with other values of some quantities, and ``-changed`` after its name.

        Args:
            **values: values by path, in the units of the board; ``hbm.bandwidth`` is the peak of all channels in
                GB/s, ``hbm.channels`` counts pseudo-channels.

        Raises:
            InputError: there is no such quantity, or it can't have that value.

        Examples:
            >>> import sttest as st
            >>> board = st.Board.load("u55c").with_(**{"hbm.bandwidth": 115, "clock_mhz": 300})
            >>> board
            Board('u55c-changed', 300 MHz, 115 GB/s)
        """
        keys = {key: full_key(key) for key in values}
        for key, full in keys.items():
            if not full.startswith(BOARD):
                hints = ["name one of the table Board.quantities"]
                raise InputError("unknown-key", f"'{key}' is no quantity of a board", where=self.name, hints=hints)
        changed = changed_board(self.description, {keys[key]: Value(value=number) for key, number in values.items()})
        return Board(changed).named(f"{self.name.removesuffix('-changed')}-changed")

    def named(self, name: str) -> "Board":
        """The board under another name.

        Args:
            name: new name, of letters, digits, dots, dashes and underscores.

        Raises:
            InputError: the name has other characters.

        Examples:
            >>> import sttest as st
            >>> st.Board.load("u55c").with_(clock_mhz=100).named("slow")
            Board('slow', 100 MHz, 460 GB/s)
        """
        data = self.description.model_dump(mode="json", exclude_none=True) | {"name": name}
        return Board(validated(FpgaBoard, data, "board"))

    @property
    def name(self) -> str:
        """Name of the board."""
        return self.description.name

    @property
    def clock_mhz(self) -> float:
        """Clock of the kernels."""
        return self.description.clock_mhz.value

    @property
    def bandwidth_gb_per_s(self) -> float:
        """Peak bandwidth of the external memory, all channels together."""
        return self.description.peak_bandwidth_gb_per_s

    @property
    def quantities(self) -> pd.DataFrame:
        """Every quantity by its path: value, unit, kind and source.

        Examples:
            >>> import sttest as st
            >>> clock = st.Board.load("u55c").quantities.loc["clock_mhz"]
            >>> float(clock.value), clock.unit
            (250.0, 'MHz')
        """
        rows = [(path, each.value, each.unit, each.kind, each.source) for path, each in quantities(self.description)]
        return pd.DataFrame(rows, columns=["quantity", "value", "unit", "kind", "source"]).set_index("quantity")

    def __repr__(self) -> str:
        return f"Board({self.name!r}, {self.clock_mhz:g} MHz, {self.bandwidth_gb_per_s:g} GB/s)"


@dataclass(frozen=True, repr=False)
class Design(Graph):
    """A compiled design: a graph that can be simulated, with its IR, its options and what it takes of the board.

    Attributes:
        graph: timed graph, as engines take it.
        compiled: the compiler's result, with the IR.
        request: the compile request; None where it is not known.
        chosen: origin of the design, and whether it fits; None where it was not compiled here.

    Examples:
        >>> import sttest as st
        >>> design = st.compile("small-gpt2", phase="decode", context=32)
        >>> design
        Design('small-gpt2-decode-c32-u55c', 151 processes, 223 FIFOs)
        >>> design.options.tile_size, design.board.name
        (16, 'u55c')
    """

    compiled: CompiledDesign
    request: CompileRequest | None = None
    chosen: Chosen | None = None

    @classmethod
    def load(cls, path: str | Path) -> "Design":
        """Reads a design package; see :func:`sttest.load_design`."""
        return load_design(path)

    @property
    def options(self) -> CompileOptions:
        """Options that the design was compiled with."""
        return self.compiled.options

    @property
    def board(self) -> Board:
        """Board that the design was compiled for."""
        return Board(self.compiled.board)

    @property
    def fit(self) -> Fit:
        """Whether the design fits its board's budget, as predicted: all SLRs together, each process, and each SLR.

        Examples:
            >>> import sttest as st
            >>> st.compile("small-gpt2", phase="decode", context=32).fit.fits
            True
            >>> st.compile("small-gpt2", phase="decode", context=32, design="default").fit.to_text()
            'no 113 % LUT'
        """
        return fit_of(self.compiled) if self.chosen is None else self.chosen.fit

    @property
    def kernels(self) -> pd.DataFrame:
        """One row per task: loops, tile, lanes, initiation interval, latency, and cycles at its own speed.

        Examples:
            >>> import sttest as st
            >>> kernels = st.compile("small-gpt2", phase="decode", context=32).kernels
            >>> kernels.own_cycles.idxmax(), int(kernels.own_cycles.max())
            ('attn_scores_rescale', 16)
        """
        return kernel_table(self.compiled).frame().set_index("kernel")

    @property
    def resources(self) -> pd.DataFrame:
        """What the design takes, by process and FIFO, with the total, the board's budget, and the share of it.

        The last row, ``share``, is the total over the budget of the whole board; above 1 it does not fit.

        Examples:
            >>> import sttest as st
            >>> resources = st.compile("small-gpt2", phase="decode", context=32).resources
            >>> bool((resources.loc["share", ["dsp", "bram18", "uram"]] < 1).all())
            True
        """
        table = resource_table(design_resources(self.compiled), self.compiled).frame()
        rows = table.kind.isin(["total", "budget"])
        names = table.process.where(~rows, table.kind.where(table.process == "all", table.process))
        table = table.assign(process=names).set_index("process")
        amounts = table.drop(columns=["kind", "memory_ports"]).astype(float)
        share = pd.DataFrame({"kind": "share", **(amounts.loc["total"] / amounts.loc["budget"]).to_dict()}, ["share"])
        return pd.concat([table, share]).rename_axis("process")

    def with_depths(self, depths: Depths) -> "Design":
        """The design with other depths for the FIFOs named, in its IR, too.

        Args:
            depths: depth in tokens by the name of the FIFO.

        Raises:
            InputError: a FIFO is not there, or a depth is not possible.

        Examples:
            >>> import sttest as st
            >>> design = st.compile("small-gpt2", phase="decode", context=32)
            >>> sizes = design.size_fifos()
            >>> smaller = design.with_depths(sizes.depth_after)
            >>> bool(smaller.fifos.depth.sum() < design.fifos.depth.sum())
            True
        """
        compiled = self.compiled.with_depths(whole_depths(depths))
        return Design(compiled.graph, compiled, self.request)  # whose memories are others, so that it fits or not anew

    def _program(self) -> Program:
        return self._compiled_depths

    def _compiled_depths(self, strategy: str) -> dict[str, int]:
        """Depths that the compiler gives the design, whatever it has now: it knows which tasks share a unit."""
        sizing = next(each for each in streaming_passes(self.compiled.options) if isinstance(each, SizeFifos))
        sized = replace(sizing, strategy=strategy).size(self.compiled.module.clone())
        return {fifo.name: fifo.depth for fifo in sized.graph(self.compiled.name).fifos}

    def whatif(
        self, axes: Mapping[str, Sequence[str | int | float]], *, recompile: bool = False, engine: Engine = "maxplus"
    ) -> pd.DataFrame:
        """Simulates every combination of some settings.

        By default the design stays as it is, its depths included, and only the memory that it runs with changes:
        ``hbm.bandwidth`` (peak of all channels, GB/s), ``memory.hbm.sustained_gb_per_s_per_channel``,
        ``memory.hbm.kernel_read_ns``, or what a ``launch`` costs (µs).  With ``recompile`` each combination is a
        design of its own, and settings may also be any quantity of the board (``clock_mhz``), any option of the
        compiler (``tile_size``), ``precision``, ``context``, ``tokens``, ``model`` or ``board``.

        Args:
            axes: values to try, by setting.
            recompile: whether each combination is compiled anew.
            engine: engine that computes the times.

        Returns:
            One row per combination: the settings; `cycles` and `ms` of one launch of the design; `tokens_per_s` of all
            layers with what their launches cost; `fits`, whether the design is within its budget as predicted, with
            the resource that is `fullest` and its share; `gain_...`, how much faster a tenth more of bandwidth, ports,
            lanes, latency, launch or clock makes it, as parts, and which is `helped_most_by`; `refusal`, why there are
            no numbers.  The speed is missing where a design's model is not known, or its launches are not all alike.

        Raises:
            InputError: there is no such setting or value, or it needs `recompile`.

        Examples:
            >>> import sttest as st
            >>> design = st.compile("small-gpt2", phase="decode", context=32)
            >>> table = design.whatif({"hbm.bandwidth": [1, 460]})
            >>> list(table.helped_most_by)
            ['bandwidth', 'launch']
            >>> list(design.whatif({"context": [32, 64]}, recompile=True).fits)
            [True, True]
        """
        return variants(self.compiled, self.request, axes, engine=engine, recompile=recompile)

    def save(self, path: str | Path) -> Path:
        """Writes the design as a package: a folder with IR, timed graph, values, C++ and reports.

        Args:
            path: folder; a package that is there is replaced.

        Returns:
            The folder.

        Raises:
            InputError: the folder holds something else, or can't be written.

        Examples:
            >>> import sttest as st
            >>> folder = st.compile("small-gpt2", phase="decode", context=32).save("build/example")
            >>> sorted(path.name for path in folder.iterdir())[:3]
            ['hls', 'ir', 'manifest.json']
        """
        fit, which = (None, None) if self.chosen is None else (self.chosen.fit, self.chosen.facts)
        return write_package(self.compiled, path, fit=fit, which=which).folder


def compile(  # noqa: A001
    model: "str | Path | nn.Module",
    *,
    example_inputs: Any = None,
    phase: Phase | None = None,
    tokens: int | None = None,
    context: int | None = None,
    batch: int | None = None,
    head: bool = False,
    board: str | Path | Board = "u55c",
    design: str = "best",
    options: CompileOptions | None = None,
    **changes: Any,
) -> Design:
    """Compiles one decoder block of a model, a PyTorch module, or linalg text, to a design with sized FIFOs.

    Args:
        model: name of a model, path of a ``.mlir`` file, ``FILE.py:FUNCTION`` that makes a module and its inputs, or
            the module itself (docs/your-model/own-module.md).
        example_inputs: inputs of a module, which decide the shapes: a tensor, a tuple by position, or a dict by name.
        phase: ``prefill`` or ``decode``; of a file, its text decides.
        tokens: tokens of a sequence that enter; 1 in a decode by default.
        context: tokens in the cache of a sequence.
        batch: sequences, each with its own cache; 1 by default.
        head: whether what follows the last layer is compiled, too.
        board: name, path of a YAML file, or board.
        design: ``best``, the fastest design that is known or found and fits the board; ``default``, the documented
            defaults of all options; or the path of a YAML file with options.
        options: options of the compiler; those that are set hold over those of the design.  Whoever sets one of lanes
            (``gemv_lanes``, ``overall_unroll``, ``first_lanes``, ``most_lanes``) decides the design.
        **changes: single options, over those.

    Raises:
        InputError: bad input.
        DoesNotFitError: more of a resource than the board has.
        ToolMissingError: the block has to be lowered from PyTorch, which is not installed.

    Examples:
        >>> import sttest as st
        >>> design = st.compile("small-gpt2", phase="decode", context=32)
        >>> design.fit.fits, design.simulate().cycles
        (True, 1189)
        >>> design = st.compile("small-gpt2", phase="decode", context=32, design="default")
        >>> design.fit.fits, design.simulate().cycles
        (False, 1232)
    """
    card = board.description if isinstance(board, Board) else str(board)
    chosen = options_with(options or CompileOptions(), changes)
    source = None if isinstance(model, str | Path) else ModuleSource.of(model, example_inputs)
    if source is None and example_inputs is not None:
        hints = ["leave out example_inputs", "give the module itself"]
        raise InputError("inputs-of-a-model", "example_inputs are for a module", where=str(model), hints=hints)
    name = str(model) if source is None else source.name
    request = CompileRequest(
        name, phase, tokens, context, card, chosen, head, module=source, batch=batch, choice=read_choice(design)
    )
    found = request.chosen()
    return Design(found.design.graph, found.design, request, found)


def load_design(path: str | Path) -> Design:
    """Reads the design of a package folder.

    Args:
        path: folder that :meth:`Design.save` or ``sttest compile`` wrote.

    Raises:
        InputError: there is no whole package.

    Examples:
        >>> import sttest as st
        >>> folder = st.compile("small-gpt2", phase="decode", context=32).save("build/example")
        >>> st.load_design(folder).simulate().cycles
        1189
    """
    compiled = read_design(DesignPackage.read(path))
    return Design(compiled.graph, compiled, _request_of(compiled))


def _request_of(design: CompiledDesign) -> CompileRequest | None:
    """What a package's design was compiled from, if that was a model."""
    facts = design.workload
    model, phase = str(facts.get("model", "")), facts.get("phase")
    if facts.get("config") is not None or not is_known(model.removeprefix(SMALL)) or "asked_tokens" not in facts:
        return None
    asked: Literal["prefill", "decode"] = "prefill" if phase == "prefill" else "decode"
    tokens, context, batch = int(facts["asked_tokens"]), int(facts["asked_context"]), int(facts.get("batch", 1))
    return CompileRequest(
        model, asked, tokens, context, design.board, design.options, "head_columns" in facts, batch=batch
    )
