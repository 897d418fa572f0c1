"""Walking a module: its target, its functions, and the ops of one kind inside an op."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.utils.exceptions import ParseError, VerifyException

from sttest.boards.board import FpgaBoard
from sttest.boards.load import board_names, load_board, require_hbm, target_board
from sttest.compile.dialects import df
from sttest.core.errors import DoesNotFitError, InputError
from sttest.core.validation import validated

OpT = TypeVar("OpT", bound=Operation)


def all_of(root: Operation, kind: type[OpT]) -> list[OpT]:
    """Every op of that kind inside ``root``, in program order; the list stays valid while ops are replaced."""
    found: list[OpT] = [root] if isinstance(root, kind) else []
    _collect(root, kind, _are_a(kind), found)
    return found


def _collect(op: Operation, kind: type[OpT], known: dict[type[Operation], bool], found: list[OpT]) -> None:
    # Compilations walk modules hundreds of times: iterators and `isinstance` would take a tenth of them.
    for region in op.regions:
        for block in region.blocks:
            inner = block.first_op
            while inner is not None:
                of = type(inner)
                is_one = known.get(of)
                if is_one is None:
                    is_one = known[of] = issubclass(of, kind)
                if is_one:
                    found.append(inner)  # pyright: ignore[reportArgumentType]
                if inner.regions:
                    _collect(inner, kind, known, found)
                inner = inner.next_op


@cache
def _are_a(_kind: type[Operation]) -> dict[type[Operation], bool]:
    """Whether types of ops are of a kind, as far as that was asked."""
    return {}


TARGET = "sttest.target"
"""Attribute of a module: the board that passes time and place it for."""


def set_target(module: ModuleOp, board: str | FpgaBoard) -> None:
    """Says which board a module is compiled for: a shipped one by its name, the content of any other one.

    Args:
        module: any module.
        board: name of a shipped board, path of a file, or the board itself.

    Raises:
        InputError: there is no such board with HBM.
    """
    found = target_board(board)
    is_shipped = found.name in board_names() and load_board(found.name) == found
    said = found.name if is_shipped else found.model_dump_json(exclude_none=True)
    module.attributes[TARGET] = df.TargetAttr(StringAttr(said))


def target_of(module: ModuleOp, where: str) -> FpgaBoard:
    """The board that a module is compiled for.

    Args:
        module: module with a target attribute.
        where: name of the pass that needs it.

    Raises:
        InputError: the module has no target, or one that is no board with HBM.
    """
    target = module.attributes.get(TARGET)
    if not isinstance(target, df.TargetAttr):
        raise InputError(
            "no-target",
            "the module does not say which board it is for",
            where=where,
            hints=["give --board u55c", f'write module attributes {{{TARGET} = #df.target<"u55c">}}'],
        )
    said = target.board.data
    return require_hbm(validated(FpgaBoard, json.loads(said), TARGET) if said.startswith("{") else load_board(said))


def functions(module: ModuleOp) -> list[func.FuncOp]:
    """The functions that have a body.

    Raises:
        InputError: a body has several blocks, or does not end in ``func.return``.
    """
    found = [function for function in all_of(module, func.FuncOp) if function.body.blocks]
    for function in found:
        if len(function.body.blocks) > 1:
            raise InputError(
                "control-flow",
                f"the body has {len(function.body.blocks)} blocks, only straight-line code streams",
                where=f"func.func @{function.sym_name.data}",
                hints=["unroll the control flow before export"],
            )
        returned(function)
    return found


def refuse_other_cards(module: ModuleOp, cards: int) -> None:
    """Refuses a text that says it is for another number of cards; a text that says nothing is for one.

    Raises:
        InputError: ``other-cards``.
    """
    for function in functions(module):
        said = function.attributes.get("sttest.cards")
        found = said.value.data if isinstance(said, IntegerAttr) else 1
        if found != cards:
            raise InputError(
                "other-cards",
                "a text is compiled for the cards that it was lowered for",
                where="cards (--cards)",
                demand=cards,
                bound=found,
                unit="cards",
                hints=[f"compile it with --cards {found}"],
            )


def card_count(kernel: df.KernelOp) -> int:
    """The cards that a kernel's nodes are on."""
    return 1 + max((node.card_number for node in all_of(kernel, df.NodeOp)), default=0)


def returned(function: func.FuncOp) -> func.ReturnOp:
    """The op that returns the function's results.

    Raises:
        InputError: the body does not end in ``func.return``.
    """
    last = function.body.block.last_op
    if not isinstance(last, func.ReturnOp):
        raise InputError(
            "no-return", "the body does not end in func.return", where=f"func.func @{function.sym_name.data}"
        )
    return last


# --- Checks of pass options that come from a command line


def require_positive(pass_name: str, **options: int) -> None:
    """Refuses options below 1.

    Raises:
        InputError: names the first such option.
    """
    for name, value in options.items():
        if value < 1:
            raise InputError(
                "bad-option",
                f"{name.replace('_', '-')} must be at least 1",
                where=pass_name,
                demand=value,
                bound=1,
                hints=[f"set {name.replace('_', '-')} to 1 or more"],
            )


# --- Errors for passes that are applied in an order that leaves them without what they need


def run_first(current: str, missing: str, needed: str) -> InputError:
    """The error of pass ``current`` that misses what pass ``needed`` writes."""
    return InputError("pass-order", missing, where=current, hints=[f"run {needed} first"])


def require_dmas(current: str, kernel: df.KernelOp) -> None:
    """Refuses a kernel that still takes streams from outside, where DMAs belong.

    Raises:
        InputError: the kernel has a stream for an argument.
    """
    if any(isinstance(port.type, df.ITensorType) for port in kernel.body.block.args):
        raise run_first(current, f"kernel '{kernel.sym_name.data}' takes streams from outside", "materialize-dma")


# --- What is required of a module that the engines take: one kernel, its nodes joined by streams


def only_kernel(module: ModuleOp, here: str, name: str) -> df.KernelOp:
    """The one kernel of a design at the stream level.

    Args:
        module: module of the design.
        here: name of the caller, for error messages.
        name: name of the design.

    Raises:
        DoesNotFitError: the design has several kernels.
        InputError: the module is not at the stream level.
    """
    kernels = all_of(module, df.KernelOp)
    if not kernels:
        raise run_first(here, "the module has no kernel", "linalg-to-kernels")
    if len(kernels) > 1:
        raise DoesNotFitError(
            "several-groups",
            "the design does not fuse into one FPGA kernel, and only single kernels are simulated",
            where=name,
            demand=len(kernels),
            bound=1,
            unit="groups",
            hints=[
                "add --groups",
                "raise --c-max-bytes, which may exceed the board",
                "shorten the sequence",
                "lower --tile-size",
            ],
        )
    for node in all_of(kernels[0], df.NodeOp):
        if any(isinstance(value.type, df.ITensorType) for value in (*node.operands, *node.results)):
            raise run_first(here, f"{node.name} is not at the stream level", "lower-to-streams")
    return kernels[0]


def stream_of(port: SSAValue, here: str) -> df.StreamOp:
    """The FIFO behind a port of a node.

    Raises:
        InputError: the port is no stream.
    """
    owner = port.owner
    if not isinstance(owner, df.StreamOp):
        raise run_first(here, f"a node is fed by {port.type}, not by a df.stream", "lower-to-streams")
    return owner


# --- The order of the ops in a block: definitions before uses, else as they were


def sort_topologically(block: Block) -> None:
    """Moves ops behind those whose results they read; ops that are in order keep their places."""
    ops = list(block.ops)
    placed: dict[Operation, None] = {}
    for op in ops:
        _place(op, block, placed)
    if list(placed) == ops:
        return
    for op in ops:
        op.detach()
    block.add_ops(placed)


def _place(op: Operation, block: Block, placed: dict[Operation, None]) -> None:
    """Places an op behind its producers; the stack is explicit, for chains are as long as models are deep."""
    stack = [op]
    while stack:
        current = stack[-1]
        producers = [operand.owner for operand in current.operands if isinstance(operand.owner, Operation)]
        missing = [each for each in producers if each not in placed and each.parent_block() is block]
        if missing:
            stack += missing
            continue
        stack.pop()
        placed[current] = None


# --- Errors in IR text as one InputError: where, which op, which rule, and the source line with a caret


# Characters of a source line that are shown on each side of the caret.
_SHOWN = 80
_UNREGISTERED = re.compile(r"Operation (\S+) is not registered")


def parse_error(error: ParseError, text: str, where: str) -> InputError:
    """What xDSL's parser found, at its place in the text."""
    position = error.span.start
    unknown = _UNREGISTERED.fullmatch(error.msg.strip())
    if unknown:
        # xDSL stops behind the name of an op that it does not know.
        position = max(text.rfind(unknown.group(1), 0, position), 0)
        if unknown.group(1).startswith("linalg."):
            return _bad_ir(error.msg, text, where, position, [how_to_generalize([unknown.group(1)])])
    return _bad_ir(error.msg, text, where, position)


def how_to_generalize(names: Iterable[str]) -> str:
    """A hint: the command that writes named operations of linalg as loop nests."""
    return f"turn {', '.join(names)} into linalg.generic with 'mlir-opt --linalg-generalize-named-ops FILE.mlir'"


def rule_error(error: VerifyException, text: str, where: str, module: ModuleOp | None = None) -> InputError:
    """What a verifier refused; with the module at the op that breaks the rule."""
    op = broken_op(module) if module is not None and module.parent is None else None
    rule = _rule(error, op)
    position = _position(op, module, text) if op is not None and module is not None else None
    return _bad_ir(rule, text, where, position)


def broken_op(module: ModuleOp) -> Operation | None:
    """The first op that does not verify, innermost first."""
    for op in reversed(list(module.walk())):
        try:
            op.verify(verify_nested_ops=False)
        except VerifyException:
            return op
    return None


def _rule(error: VerifyException, op: Operation | None) -> str:
    """The rule, led by the op's name unless the rule says it."""
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    rule = " ".join(lines)
    return rule if op is None or op.name in rule else f"{op.name}: {rule}"


def _position(op: Operation, module: ModuleOp, text: str) -> int | None:
    """Where the op's name stands: in text and module ops come in the same order; None where they cannot be matched."""
    same = [other for other in module.walk() if other.name == op.name]
    found = list(re.finditer(rf'(?<![\w.!#@"])"?{re.escape(op.name)}"?(?![\w.])', _without_comments(text)))
    return found[same.index(op)].start() if len(found) == len(same) else None


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*", lambda comment: " " * len(comment.group()), text)


def _bad_ir(rule: str, text: str, where: str, position: int | None, hints: Sequence[str] = ()) -> InputError:
    if position is None:
        return InputError("bad-ir", f"not valid IR: {rule}", where=where)
    start = text.rfind("\n", 0, position) + 1
    line, column = text[start:].split("\n", 1)[0], position - start
    place = f"{where}:{text.count(chr(10), 0, position) + 1}:{column + 1}"
    return InputError("bad-ir", f"not valid IR: {rule}\n{_excerpt(line, column)}", where=place, hints=hints)


def _excerpt(line: str, column: int) -> str:
    """The line around the column, and a caret below it."""
    first = max(0, column - _SHOWN)
    shown = line[first : column + _SHOWN].replace("\t", " ")
    return f"  {shown}\n  {' ' * (column - first)}^"
