"""A PyTorch module of the user's as something to compile: its text, its parameters, and itself as the reference."""

import hashlib
import importlib.util
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sttest.core.errors import InputError, SttestError
from sttest.core.kept import KeptFiles
from sttest.core.plain_files import why_no_file
from sttest.frontend.lowering import LINALG, lower_isolated, require_frontend
from sttest.models.program import SavedProgram

if TYPE_CHECKING:
    from torch import nn

    from sttest.frontend.module_graph import ModuleGraph
    from sttest.frontend.operations import SourceLine

__depends__ = ()


def is_module_reference(model: str) -> bool:
    """Whether the argument names a function of a Python file.

    >>> is_module_reference("my.py:make"), is_module_reference("my.mlir"), is_module_reference("gpt2")
    (True, False, False)
    """
    path, _, name = model.rpartition(":")
    return path.endswith(".py") and name.isidentifier()


@dataclass(frozen=True)
class ModuleSource:
    """A module with example inputs, which say the shapes; it is taken as in evaluation.

    Attributes:
        module: the module, in float32.
        arguments, keywords: what it is called with.
        name: for the package.
        where: how errors name it.
    """

    module: "nn.Module"
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = field(default_factory=dict)
    name: str = "module"
    where: str = "module"

    @classmethod
    def load(cls, reference: str) -> "ModuleSource":
        """Runs the function ``FILE.py:NAME``, which gives a module and its example inputs.

        Raises:
            InputError: no such file or function, it fails, or gives something else.
            ToolMissingError: PyTorch or torch-mlir is not installed.
        """
        require_frontend()
        path, _, function = reference.rpartition(":")
        made = _called(Path(path), function, reference)
        if not isinstance(made, tuple) or len(made) != 2:
            given = f"{len(made)} items" if isinstance(made, tuple) else type(made).__name__
            raise InputError(
                "not-a-module",
                f"{function}() gives {given}, not a module and its inputs",
                where=reference,
                hints=[f"end {function} with: return module, (x,); several inputs are one tuple"],
            )
        return cls.of(*made, name=Path(path).stem, where=reference)

    @classmethod
    def of(
        cls, module: Any, example_inputs: Any, *, name: str | None = None, where: str | None = None
    ) -> "ModuleSource":
        """A module, and example inputs: a tensor, a tuple by position, or a dict by name.

        Raises:
            InputError: it is no `torch.nn.Module`, or there are no inputs.
            ToolMissingError: PyTorch or torch-mlir is not installed.
        """
        require_frontend()
        from torch import Tensor, nn

        name = name or type(module).__name__.lower()
        where = where or type(module).__name__
        if not isinstance(module, nn.Module):
            hints = ["give a torch.nn.Module", "wrap the function in a module's forward"]
            raise InputError("not-a-module", f"{type(module).__name__} is no torch.nn.Module", where=where, hints=hints)
        if isinstance(example_inputs, Mapping):
            return cls(module, (), dict(example_inputs), name, where)
        given = (example_inputs,) if isinstance(example_inputs, Tensor) else example_inputs
        if not isinstance(given, tuple | list) or not given:
            hints = ["give example_inputs=(x,) or example_inputs={'x': x}"]
            raise InputError("no-inputs", "example inputs are a tensor, a tuple or a dict", where=where, hints=hints)
        return cls(module, tuple(given), {}, name, where)

    def text(self, cache_dir: Path | None = None) -> str:
        """Linalg text in MLIR's generic form, with the names and kinds of arguments and results; kept by content.

        Args:
            cache_dir: where texts are kept; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.

        Raises:
            InputError: the module can't be lowered; names operation, file and line.
        """
        graph = self._graph
        kept, name = KeptFiles(LINALG, cache_dir), f"module-{_key(graph)}.mlir"
        text = kept.text(name)
        if text is None:
            text = _lowered(graph, self.module)
            kept.keep(name, text)
        return text

    def operations(self) -> "list[SourceLine]":
        """The operations of the module by the lines that they come from, and how each is done.

        Raises:
            InputError: the module can't be exported, or has no results of its own.
        """
        from sttest.frontend.operations import SourceLine, source_lines

        with warnings.catch_warnings(), _evaluating(self.module):
            warnings.simplefilter("ignore")
            found = source_lines(self.module, self.arguments, dict(self.keywords))
        if any(line.state == "refused" for line in found):
            return found
        try:
            self.text()
        except InputError as error:  # what only the lowering finds
            place, hint = (error.where or "").rpartition(" at ")[2], "; ".join(error.hints)
            return [*found, SourceLine(place, "", (error.what,), "refused", hint)]
        return found

    def parameters(self) -> dict[str, np.ndarray]:
        """Values of the parameters, by their names in the text."""
        return {name: tensor.detach().cpu().contiguous().numpy() for name, tensor in self._graph.parameters().items()}

    def inputs(self) -> dict[str, np.ndarray]:
        """The example inputs, by their names in the text."""
        tensors = [leaf for leaf in self._leaves if _is_tensor(leaf)]
        return {name: leaf.detach().cpu().numpy() for name, leaf in zip(self._input_names, tensors, strict=True)}

    def run(self, inputs: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """The module itself on inputs by name, in float32; results by their names in the text."""
        import torch
        from torch.utils import _pytree as pytree

        tensors = iter([torch.from_numpy(np.array(inputs[name])) for name in self._input_names])
        leaves = [next(tensors) if _is_tensor(leaf) else leaf for leaf in self._leaves]
        arguments, keywords = pytree.tree_unflatten(leaves, self._structure)
        with torch.no_grad(), _evaluating(self.module):
            found = pytree.tree_leaves(self.module(*arguments, **keywords))
        return dict(zip(self._graph.results, (t.numpy() for t in found if _is_tensor(t)), strict=True))

    @cached_property
    def _graph(self) -> "ModuleGraph":
        from sttest.frontend.module_graph import module_graph

        with warnings.catch_warnings(), _evaluating(self.module):
            warnings.simplefilter("ignore")  # of PyTorch about itself
            return module_graph(self.module, self.arguments, dict(self.keywords))

    @cached_property
    def _flat(self) -> tuple[list[Any], Any]:
        from torch.utils import _pytree as pytree

        return pytree.tree_flatten((self.arguments, dict(self.keywords)))

    @property
    def _leaves(self) -> list[Any]:
        return self._flat[0]

    @property
    def _structure(self) -> Any:
        return self._flat[1]

    @property
    def _input_names(self) -> list[str]:
        graph = self._graph
        return [name for name, kind in zip(graph.names, graph.kinds, strict=True) if kind == "input"]


def saved_program(**facts: Any) -> SavedProgram:
    """The program that a lowering process reads; at the top level, so that it can be named there."""
    return SavedProgram(**facts)


def _lowered(graph: "ModuleGraph", module: "nn.Module") -> str:
    import torch

    from sttest.frontend.refusals import forward_of, place_of

    places = {i: place_of(node) for i, node in enumerate(graph.exported.graph.nodes) if node.op == "call_function"}
    with tempfile.TemporaryDirectory(prefix="sttest-") as folder:
        path = Path(folder) / "module.pt2"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.export.save(graph.exported, path)
        facts: dict[str, Any] = {
            "names": tuple(graph.names),
            "kinds": tuple(graph.kinds),
            "results": tuple(graph.results),
            # results are results, whatever they are called
            "attributes": {"result_kinds": ("result",) * len(graph.results), "place": forward_of(module)},
        }
        return lower_isolated(saved_program, {"path": str(path), "places": places, **facts})


def _key(graph: "ModuleGraph") -> str:
    """Hash of all that the text depends on: the graph, its names, the versions of the tools, and the code here."""
    from sttest.frontend.refusals import place_of

    digest = hashlib.sha256(repr((version("torch"), version("torch-mlir"))).encode())
    digest.update(repr((graph.names, graph.kinds, graph.results)).encode())
    for node in graph.exported.graph.nodes:
        value = node.meta.get("val")
        shape = (tuple(value.shape), str(value.dtype)) if _is_tensor(value) else None
        digest.update(repr((node.name, str(node.target), node.args, node.kwargs, place_of(node), shape)).encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:32]


def _is_tensor(value: Any) -> bool:
    from torch import Tensor

    return isinstance(value, Tensor)


@contextmanager
def _evaluating(module: "nn.Module") -> Iterator[None]:
    """Evaluation mode, put back afterwards."""
    training = [each for each in module.modules() if each.training]
    for each in training:
        each.training = False
    try:
        yield
    finally:
        for each in training:
            each.training = True


def _called(path: Path, function: str, reference: str) -> Any:
    """What a function of a file gives."""
    if not path.is_file():
        what = f"{path}: {why_no_file(path)}"
        raise InputError("no-file", what, where=reference, hints=["give FILE.py:FUNCTION"])
    name = f"sttest_user_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    user = importlib.util.module_from_spec(spec)
    sys.modules[name] = user  # dataclasses and pickles of the file look themselves up
    sys.path.insert(0, str(path.resolve().parent))
    try:
        spec.loader.exec_module(user)
        make: Callable[[], Any] | None = getattr(user, function, None)
        if not callable(make):
            names = [key for key, value in vars(user).items() if callable(value) and not key.startswith("_")]
            raise InputError(
                "no-function",
                f"the file has no function '{function}'",
                where=reference,
                hints=[f"name one of {', '.join(names[:8])}" if names else "define one"],
            )
        return make()
    except SttestError:
        raise
    except (Exception, SystemExit) as error:
        raise InputError(
            "file-failed",
            f"{type(error).__name__}: {error}",
            where=f"{reference}{_line_of(error, path)}",
            hints=["run the file with python"],
        ) from error
    finally:
        sys.path.remove(str(path.resolve().parent))


def _line_of(error: BaseException, path: Path) -> str:
    lines, trace = [], error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(path):
            lines.append(trace.tb_lineno)
        trace = trace.tb_next
    return f" line {lines[-1]}" if lines else ""
