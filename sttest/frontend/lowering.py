"""PyTorch to linalg text: torch.export, torch-mlir, normalization, names.

torch-mlir may take the whole interpreter down, so callers go through
:mod:`sttest.frontend.lowering`.
"""

import errno
import hashlib
import importlib.util
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sttest.core.children import python_command
from sttest.core.errors import InputError, PassingError, SttestError, ToolMissingError
from sttest.core.kept import KeptFiles
from sttest.frontend.normalize import function_of, normalize
from sttest.models.cards import check_cards
from sttest.models.config import DecoderConfig
from sttest.models.program import Phase, SavedProgram, TorchProgram, block_program, check_head, check_shape

if TYPE_CHECKING:
    from torch import nn
    from torch.export import ExportedProgram
    from torch.fx import Node

__depends__ = ()


# --- Names in the text: of arguments and results, of the model, and of each kernel's PyTorch module


def annotate(module: Any, program: TorchProgram | SavedProgram, names: Sequence[str], kinds: Sequence[str]) -> None:
    """Attach ``sttest.*`` attributes to the function, ``sttest.source`` to each op that becomes a kernel, and to that
    of a user's own program ``sttest.place``, file and line.

    On the function: ``arg_names`` and ``arg_kinds`` (parameter, input or
    cache) by position, ``result_names``, and the program's own attributes, such
    as ``inputs_per_layer``, names of inputs of which each layer has its own.
    """
    function = function_of(module)
    facts: dict[str, Any] = {"arg_names": names, "arg_kinds": kinds, "result_names": program.results}
    facts |= program.attributes
    for name, value in facts.items():
        function.attributes[f"sttest.{name}"] = _attribute(module.context, value)
    for op in function.regions[0].blocks[0].operations:
        if op.operation.name.startswith("linalg.") or op.operation.name == "tensor.concat":
            op.attributes["sttest.source"] = _attribute(module.context, source_of(op))
            _say_place(op, _places(program), module.context)
            for region in op.operation.regions:
                for inner in region.blocks[0].operations:
                    if inner.operation.name == "math.powf":  # which the compiler may refuse
                        _say_place(inner, _places(program), module.context)


def _say_place(op: Any, places: Mapping[int, str], context: Any) -> None:
    found = re.search(r" at (\S+:\d+)", places.get(_number_of(op), ""))
    if found is not None:
        op.attributes["sttest.place"] = _attribute(context, found[1])


def _attribute(context: Any, value: str | int | Sequence[str]) -> Any:
    ir = import_module("torch_mlir.ir")

    with context:
        if isinstance(value, str):
            return ir.StringAttr.get(value)
        if isinstance(value, int):
            return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), value)
        return ir.ArrayAttr.get([ir.StringAttr.get(item) for item in value])


def source_of(op: Any) -> str:
    """Path of the module that an op came from; of the consumer where several were fused."""
    found = re.search(r'"([^"]+)"', str(op.location))
    return found.group(1) if found else "block"


def _number_of(op: Any) -> int:
    """Number of the node that an op came from; -1 where it is not known."""
    found = re.search(r'":(\d+)', str(op.location))
    return int(found.group(1)) if found else -1


_KINDS = {"PARAMETER": "parameter", "BUFFER": "parameter", "CONSTANT_TENSOR": "parameter", "USER_INPUT": "input"}
_ALLOWED_DIALECTS = ("arith", "builtin", "func", "linalg", "math")
_ALLOWED_TENSOR_OPS = ("tensor.cast", "tensor.collapse_shape", "tensor.concat", "tensor.empty", "tensor.expand_shape")
_FUNCTIONS = (
    *("absf", "ceil", "cos", "cosh", "erf", "exp", "exp2", "expm1", "floor", "fpowi", "log", "log10", "log1p", "log2"),
    *("powf", "roundeven", "rsqrt", "sin", "sinh", "sqrt", "tan", "tanh", "trunc"),
)
_NO_OPERATOR = ("arith.divsi", "arith.remf", "arith.remsi", "linalg.index")
"""Operations in a payload which nothing of the operator library stands for."""
_OF_TRUTH = ("arith.andi", "arith.ori", "arith.xori", "arith.shli", "arith.shrsi", "arith.shrui")
"""Operations that are known of truth values alone."""
_BETWEEN_TYPES = ("arith.constant", "arith.extf", "arith.truncf", "arith.cmpf")
"""Operations that may name double precision: a number is compared in the type that it was written in."""


def lower(program: TorchProgram | SavedProgram, report: Callable[[str], None] = lambda stage: None) -> str:
    """The program as linalg on tensors, in MLIR's generic form, parameters as arguments.

    Args:
        program: what to lower.
        report: told the name of each stage as it starts.

    Raises:
        InputError: the program needs an op that no streaming loop nest can express.
    """
    report("torch.export")
    exported = export(program)
    names, kinds = _open_parameters(exported, program.caches)
    if isinstance(program, SavedProgram):
        names, kinds = list(program.names), list(program.kinds)
    _locate_by_module(exported)
    report("torch-mlir")
    module = to_linalg(exported)
    report("normalization")
    module.context.emit_error_diagnostics = False  # the error has them, with the place in our words
    try:
        normalize(module)
    except import_module("torch_mlir.ir").MLIRError as error:
        raise _not_normalized(error, program) from error
    _check_ops(module, _places(program))
    annotate(module, program, names, kinds)
    return module.operation.get_asm(print_generic_op_form=True)


def export(program: TorchProgram | SavedProgram) -> "ExportedProgram":
    """The program as a graph of ATen ops that torch-mlir knows."""
    import torch

    if isinstance(program, SavedProgram):
        return torch.export.load(program.path)
    from torch_mlir.extras.fx_decomp_util import get_decomposition_table

    # Clones, because inputs that are one tensor would become one argument.
    inputs = {name: tensor.clone() for name, tensor in program.inputs.items()}
    exported = torch.export.export(program.module, (), inputs, strict=False)
    return exported.run_decompositions(get_decomposition_table())


def to_linalg(exported: "ExportedProgram") -> Any:
    """The graph as an MLIR module, straight from torch-mlir."""
    from torch_mlir import fx
    from torch_mlir.dialects import torch as torch_dialect
    from torch_mlir.extras.fx_importer import FxImporter

    context = import_module("torch_mlir.ir").Context()
    context.allow_unregistered_dialects = True
    torch_dialect.register_dialect(context)
    return fx.export_and_import(
        exported,
        output_type="linalg-on-tensors",
        decomposition_table={},
        experimental_support_mutation=True,
        fx_importer=FxImporter(context=context),
    )


def _open_parameters(exported: "ExportedProgram", caches: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """Make parameters ordinary arguments; gives names and kinds of all arguments in their order."""
    from torch.export.graph_signature import InputKind

    names: list[str] = []
    kinds: list[str] = []
    for spec in exported.graph_signature.input_specs:
        name = spec.target or spec.arg.name
        names.append(name)
        kinds.append("cache" if name in caches else _KINDS[spec.kind.name])
        spec.kind = InputKind.USER_INPUT
    return names, kinds


def _locate_by_module(exported: "ExportedProgram") -> None:
    """Give each node the path of its module and its number as its location, which survives the lowering."""
    for number, node in enumerate(exported.graph.nodes):
        stack: dict[str, tuple[str, Any]] = node.meta.get("nn_module_stack") or {}
        path = next(reversed(stack.values()))[0] if stack else ""
        path = f"layer{path}" if path[:1].isdigit() else path
        node.meta["stack_trace"] = f'File "{path or "block"}", line {number},'


def _places(program: TorchProgram | SavedProgram) -> Mapping[int, str]:
    return program.places if isinstance(program, SavedProgram) else {}


def _not_normalized(error: Any, program: TorchProgram | SavedProgram) -> InputError:
    """What to say where a rewriting of loop nests breaks; what MLIR says of it means nothing to a user."""
    numbers = (re.search(r'":(\d+)', str(each.location)) for each in error.error_diagnostics)
    found = (_places(program).get(int(number[1])) for number in numbers if number)
    return InputError(
        "unsupported-op",
        "its loop nest cannot be rewritten as one that streams",
        where=next(filter(None, found), str(program.attributes.get("place", "module"))),
        hints=["write that operation in others", "keep it on the host"],
    )


def _check_ops(module: Any, places: Mapping[int, str]) -> None:
    ir = import_module("torch_mlir.ir")
    foreign: list[tuple[Any, str]] = []

    def look(op: Any) -> Any:
        dialect, _, name = op.name.partition(".")
        if dialect not in _ALLOWED_DIALECTS and op.name not in _ALLOWED_TENSOR_OPS:
            foreign.append((op, "is no loop nest over whole tensors"))
        elif op.name in _NO_OPERATOR or (dialect == "math" and name not in _FUNCTIONS):
            foreign.append((op, "no operator of the library stands for"))
        elif dialect in ("arith", "math") or op.name == "linalg.generic":
            foreign.extend((op, why) for why in _strange_types(op))
        return ir.WalkResult.ADVANCE

    module.operation.walk(look)
    if foreign:
        op, why = foreign[0]
        raise InputError(
            "unsupported-op",
            f"lowering leaves {op.name}, which {why}",
            where=places.get(_number_of(op), f"module {source_of(op)}"),
            hints=_TYPE_HINTS.get(
                why, ["write the module without the operation that needs it", "compute that on the host"]
            ),
        )


_TYPE_HINTS = {
    "gives integers of 64 bits": ["call float() before a sum of truth values or integers, and on tensors of positions"],
    "compares integers": ["call float() on both sides"],
    "computes in another type than float32": ["stay in float32: call float() on its operands"],
    "works on bits of integers": ["compute that on the host and give its result as an input"],
}


def _strange_types(op: Any) -> Iterator[str]:
    """Why an operation's types are none that a stream carries or an operator computes in."""
    types = [str(value.type) for value in (*op.operands, *op.results)]
    if op.name == "arith.cmpi" and types[0] != "i1":
        yield "compares integers"
    elif op.name == "linalg.generic":
        if any(each.endswith("xi64>") for each in types):
            yield "gives integers of 64 bits"
    elif op.name in _OF_TRUTH and types[-1] != "i1":
        yield "works on bits of integers"
    elif "bf16" in types or ("f64" in types and op.name not in _BETWEEN_TYPES):
        yield "computes in another type than float32"


# --- The process in which lowering runs: ``python -m sttest.frontend.lowering``


def main() -> int:
    """Serve one request; 0 if it went well."""
    builder, calls, probing = pickle.load(sys.stdin.buffer)
    try:
        for output, arguments in calls.items():
            program: TorchProgram | SavedProgram = builder(**arguments)
            if probing:
                _probe(program)
            else:
                Path(output).write_text(lower(program, lambda stage: _say("stage", stage)), encoding="utf-8")
    except SttestError as error:
        _say("error", json.dumps(error.to_dict()))
        return error.exit_code
    except OSError as error:
        if error.errno not in _OF_THE_DISK:
            raise
        _say("passing", os.strerror(error.errno))
        return PassingError.exit_code
    except Exception as error:
        message = str(error).strip() or "no message"
        _say("failed", f"{type(error).__name__}: {message.splitlines()[0]}")
        raise
    return 0


_OF_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EIO)


def _say(event: str, text: str) -> None:
    print(event, text, flush=True)


def _probe(program: TorchProgram | SavedProgram) -> None:
    import torch

    for number, node in enumerate(export(program).graph.nodes):
        if node.op != "call_function" or not isinstance(node.target, torch._ops.OpOverload):
            continue
        operands = [n.meta["val"] for n in node.all_input_nodes]
        shown = ", ".join(f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}" for t in operands)
        _say("op", f"{_places(program).get(number) or node.target} on {shown}")
        tensors = tuple(torch.empty(t.shape, dtype=t.dtype, device="meta") for t in operands)
        to_linalg(torch.export.export(_one_op(node), tensors, strict=False))


def _one_op(node: "Node") -> "nn.Module":
    """A module that runs only ``node``, its tensor operands as arguments."""
    import torch
    from torch.fx import Node as FxNode

    tree_map_only = import_module("torch.utils._pytree").tree_map_only

    class OneOp(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            given = dict(zip(node.all_input_nodes, tensors, strict=True))
            args, kwargs = tree_map_only(FxNode, given.__getitem__, (node.args, dict(node.kwargs)))
            return node.target(*args, **kwargs)  # pyright: ignore[reportCallIssue] - checked by the caller

    return OneOp()


if __name__ == "__main__":
    sys.exit(main())


# --- Lowering in a process of its own, and what to say when that dies


Builder = Callable[..., TorchProgram | SavedProgram]


def lower_isolated(builder: Builder, arguments: Mapping[str, Any]) -> str:
    """Linalg text of the program that ``builder(**arguments)`` makes; a crash of torch-mlir stays in its process.

    Args:
        builder: a function at the top level of a module, so that another process can import it.
        arguments: what to call it with.

    Raises:
        ToolMissingError: PyTorch or torch-mlir is not installed.
        InputError: the program cannot be lowered; the message names the op where it can be found.
    """
    return lower_together(builder, [arguments])[0]


def lower_together(builder: Builder, calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """As :func:`lower_isolated`, several in one process, which spends seconds on loading PyTorch and torch-mlir.

    Args:
        builder: as there.
        calls: arguments of each call.

    Raises:
        SttestError: as there.
    """
    require_frontend()
    with tempfile.TemporaryDirectory(prefix="sttest-") as folder:
        outputs = {str(Path(folder) / f"{number}.mlir"): arguments for number, arguments in enumerate(calls)}
        run = _run(builder, outputs, probing=False)
        if run.returncode == 0:
            return [Path(output).read_text(encoding="utf-8") for output in outputs]
    if len(calls) > 1:  # one at a time, the one that fails says so
        return [lower_isolated(builder, arguments) for arguments in calls]
    raise _diagnosis(builder, calls[0], run)


def require_frontend() -> None:
    """Refuse to go on without the front end.

    Raises:
        ToolMissingError: naming what is missing and how to get it.
    """
    missing = [name for name in ("torch", "torch_mlir") if importlib.util.find_spec(name) is None]
    if missing:
        raise ToolMissingError(
            "frontend-missing",
            f"lowering a model needs {' and '.join(missing)}",
            where="front end",
            hints=["pip install 'sttest[frontend]'", "start from a shipped text, sttest.frontend.shipped.lowered_text"],
        )


def _run(
    builder: Builder, calls: Mapping[str, Mapping[str, Any]], *, probing: bool
) -> subprocess.CompletedProcess[bytes]:
    """
    Args:
        builder: makes each program.
        calls: what to call it with, by the path that gets its text.
        probing: lower each op of it alone instead.
    """
    request = pickle.dumps((builder, {output: dict(arguments) for output, arguments in calls.items()}, probing))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    command = python_command(["-W", "ignore", "-m", "sttest.frontend.lowering"], ends_with_us=True)
    return subprocess.run(command, input=request, capture_output=True, env=environment, check=False)


def _diagnosis(builder: Builder, arguments: Mapping[str, Any], run: subprocess.CompletedProcess[bytes]) -> SttestError:
    told = _last(run, "error")
    if told:
        facts = json.loads(told)
        return InputError(facts["code"], facts["what"], where=facts["where"], hints=facts["hints"])
    if trouble := _last(run, "passing"):
        return PassingError("operating-system", trouble, where="front end", hints=["check that the disk has space"])
    if -run.returncode in _FROM_OUTSIDE:
        hints = ["run it again", "run it where there is more memory"]
        return PassingError("lowering-killed", _how_it_died(run), where="front end", hints=hints)
    stage = _last(run, "stage")
    if stage in ("", "torch.export"):
        return _failure("PyTorch cannot export the module", _how_it_died(run), "torch.export")
    probe = _run(builder, {os.devnull: arguments}, probing=True)
    culprit = _last(probe, "op") if probe.returncode else ""
    return _failure("the module cannot be lowered to linalg", _how_it_died(run), culprit or stage)


_FROM_OUTSIDE = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
"""What ends a process that would have gone on; the system sends the first where memory runs out."""


def _failure(what: str, how: str, where: str) -> InputError:
    hints = ["write that operation in others that lower", "keep it on the host"]
    return InputError("lowering-failed", f"{what}: {how}", where=where, hints=hints)


def _last(run: subprocess.CompletedProcess[bytes], event: str) -> str:
    """Text of the last ``event`` that the process told of."""
    lines = run.stdout.decode(errors="replace").splitlines()
    return next((line.removeprefix(f"{event} ") for line in reversed(lines) if line.startswith(f"{event} ")), "")


def _how_it_died(run: subprocess.CompletedProcess[bytes]) -> str:
    if run.returncode < 0:
        return f"the lowering process was ended by {signal.Signals(-run.returncode).name}"
    diagnostics = (line.partition("error: ")[2] for line in run.stderr.decode(errors="replace").splitlines())
    told = next(filter(None, diagnostics), "").partition(": %")[0]  # without the op in full
    return told or _last(run, "failed") or f"exit code {run.returncode}"


# --- The linalg text of one decoder block, kept once it has been made


LINALG = "linalg"
"""Kind of the texts that are kept."""


@dataclass(frozen=True)
class BlockRequest:
    """A decoder block as :func:`linalg_text` takes it, with the same arguments."""

    config: DecoderConfig
    phase: Phase
    tokens: int
    context: int = 0
    head: bool = False
    batch: int = 1
    cards: int = 1

    def check(self) -> None:
        """
        Raises:
            InputError: a shape that the model does not have.
        """
        check_shape(self.config, self.phase, self.tokens, self.context, self.batch)
        check_cards(self.config, self.cards, head=self.head)
        if self.head:
            check_head(self.phase)

    @property
    def arguments(self) -> dict[str, Any]:
        """What :func:`~sttest.models.program.block_program` is called with."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def linalg_text(
    config: DecoderConfig,
    phase: Phase,
    tokens: int,
    context: int = 0,
    *,
    head: bool = False,
    batch: int = 1,
    cards: int = 1,
    cache_dir: Path | None = None,
) -> str:
    """One decoder block as linalg text in MLIR's generic form.

    Its function has the parameters, then the inputs as arguments, named by the
    attributes that :func:`sttest.frontend.lowering.annotate` describes.

    Args:
        config: the model.
        phase: ``prefill`` of ``tokens`` tokens, or ``decode`` of 1 token after ``context`` cached ones.
        tokens: tokens of a sequence that enter the block.
        context: tokens in the cache; 0 in a prefill.
        head: with what follows the last block; in decode.
        batch: sequences.
        cards: cards that share the block.
        cache_dir: where texts are kept; by default ``$STTEST_CACHE``, else ``~/.cache/sttest``.

    Raises:
        InputError: a shape that the model does not have, or a failed lowering.
        ToolMissingError: PyTorch or torch-mlir is not installed.
    """
    return linalg_texts([BlockRequest(config, phase, tokens, context, head, batch, cards)], cache_dir)[0]


def linalg_texts(asked: Sequence[BlockRequest], cache_dir: Path | None = None) -> list[str]:
    """As :func:`linalg_text`, of many blocks; those that are not kept yet are lowered in one process.

    Raises:
        SttestError: as there.
    """
    for request in asked:
        request.check()
    require_frontend()
    kept = KeptFiles(LINALG, cache_dir)
    names = {request: f"{_key(request)}.mlir" for request in asked}
    texts = {request: text for request, name in names.items() if (text := kept.text(name)) is not None}
    missing = [request for request in names if request not in texts]
    if missing:
        texts |= zip(missing, lower_together(block_program, [each.arguments for each in missing]), strict=True)
        for request in missing:
            kept.keep(names[request], texts[request])
    return [texts[request] for request in asked]


def _key(request: BlockRequest) -> str:
    """Hash of all that the text depends on: the request, the versions of the tools, the front end and the models."""
    asked = sorted(request.arguments.items(), key=lambda item: item[0]), version("torch"), version("torch-mlir")
    digest = hashlib.sha256(repr(asked).encode())
    here = Path(__file__).parent
    for source in sorted((*here.glob("*.py"), *(here.parent / "models").glob("*.py"))):
        digest.update(source.read_bytes())
    return f"{request.config.name}-{request.phase}-{digest.hexdigest()[:24]}"
