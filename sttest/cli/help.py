"""Help as plain text: what a verb does, examples, and its options under headings.

A terminal gets at most a page.  Of a verb with many options, the page has the first groups in full and of the others
the names; ``--wide``, a pipe and a file get all of it.
"""

import inspect
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from typer.core import TyperCommand

from sttest.core import terminal
from sttest.core.terminal import MOST_LINES, is_short

Record = tuple[str, str]
_OTHER = "Options"
GROUPS = {  # headings in order, and the options below them; the first has all that have no other
    _OTHER: (),
    "Workload": (
        "--phase", "--tokens", "--context", "--batch", "--board", "--precision", "--head", "--layers-of", "--layers",
        "--generate", "--parameters", "--small",
    ),
    "Resources": ("--budget", "--check-resources", "--flow", "--c-max-bytes", "--groups", "--require-quantized"),
    "Weights": ("--rank", "--weights", "--checkpoint", "--reference"),
    "Lanes and tiles": (
        "--tile-size", "--task-tile", "--task-order", "--gemv-lanes", "--overall-unroll", "--first-lanes",
        "--most-lanes", "--lanes-from", "--flatten-bottleneck-loops",
    ),
    "Functional units": ("--share", "--product-units", "--own-unit", "--fabric", "--cascade"),
    "FIFOs and streams": ("--vector-bits", "--strategy", "--sizing"),
    "Memory": (
        "--beat-bits", "--prefetch-kib", "--buffer-rereads-kib", "--channels", "--tier", "--cache-page",
        "--uneven-percent", "--slices-per-channel", "--seldom-bursts",
    ),
    "Attention": ("--attention", "--attention-maximum", "--attention-chunk"),
    "Several cards": ("--cards", "--links", "--link-credits"),
    "Requests": ("--trace", "--rate", "--requests", "--prompt-tokens", "--output-tokens"),
    "Waveforms": ("--wave", "--around", "--window"),
    "Running": (
        "--jobs", "--scheduler", "--seed", "--storage", "--resume", "--timeout", "--timeout-compile", "--timeout-link",
        "--timeout-emconfig", "--timeout-csynth", "--timeout-launch", "--timeout-open", "--max-clocks", "--ap-types",
        "--any-version", "--dry-run",
    ),
    "Output": (
        "--work-dir", "--out", "--output", "--trace", "--perfetto", "--plot", "--streams", "--print-after-all",
        "--operations", "--list", "--time-passes", "--json", "--csv", "--wide", "--help",
    ),
}  # fmt: skip
_MODEL_VERBS = ("compile", "crosscheck", "explore")
VERBS_OF = {
    "Workload": (*_MODEL_VERBS, "serve"),
    "Resources": ("compile", "explore"),
    "Weights": ("compile", "crosscheck", "emulate", "evaluate", "quantize", "pack", "run"),
    **dict.fromkeys(("Lanes and tiles", "Functional units"), ("compile",)),
    "FIFOs and streams": ("compile",),
    **dict.fromkeys(("Memory", "Attention", "Several cards"), ("compile", "crosscheck")),
    "Requests": ("serve",),
    "Waveforms": ("emulate",),
}
"""The verbs that have a heading, of those that not all have: elsewhere, an option of the same name is another one."""
_EXAMPLES = 4
"""Examples on a page that has no room for everything."""
_NAMES = 28
_TOGETHER = "\0"
"""What stands in place of a space at which no line is to end."""
_TYPES = {"int": "N", "int range": "N", "float": "X", "float range": "X", "path": "PATH", "str": "TEXT"}


class VerbCommand(TyperCommand):
    """A verb, whose help is grouped."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Writes the help: all of it, or what a page has room for."""
        page, width = HelpPage.of(self, ctx), help_width()
        lines, named = page.lines(width), 0
        while is_short() and len(lines) > MOST_LINES and named < len(page.groups):
            named += 1
            lines = page.lines(width, named)
        formatter.write("\n".join([*lines, ""]))


def help_width() -> int:
    """Columns of help: those of 80, or of a terminal that has fewer."""
    return min(terminal.style.columns or 80, 80) - 2


@dataclass(frozen=True)
class HelpPage:
    """What the help of a verb says."""

    usage: str  # what stands behind "Usage: "
    paragraphs: Sequence[str]  # paragraphs of the description
    examples: Sequence[str]  # a command each
    groups: dict[str, list[Record]]  # options or arguments with what they are, by heading

    @classmethod
    def of(cls, command: TyperCommand, ctx: Any) -> "HelpPage":
        """That of a verb."""
        groups: dict[str, list[Record]] = {"Arguments": [], **{heading: [] for heading in GROUPS}}
        arguments = list[str]()
        for each in command.get_params(ctx):
            if each.param_type_name == "argument":
                arguments.append(_argument_name(each))
                groups["Arguments"].append((_argument_name(each), _meaning(each, ctx)))
            else:
                groups[_heading(each, ctx.info_name)].append((_option_name(each, ctx), _meaning(each, ctx)))
        told = inspect.cleandoc(command.help or "").split("\n\n")
        start = next((place for place, text in enumerate(told) if text in ("Example:", "Examples:")), len(told))
        # A verb with few options needs no headings but that of its output.
        few = sum(map(len, groups.values())) <= 12
        for heading in [*GROUPS][1:-1] if few else ():
            groups[_OTHER] += groups.pop(heading)
        return cls(
            " ".join([ctx.command_path, "[OPTIONS]", *arguments]),
            [" ".join(text.split()) for text in told[:start]],
            [" ".join(text.split()) for text in told[start + 1 :]],
            {heading: found for heading, found in groups.items() if found},
        )

    def lines(self, width: int, named: int = 0) -> list[str]:
        """The page.

        Args:
            width: columns.
            named: number of groups, from the last, of which only the names are said.
        """
        lines = _wrapped(self.usage, width, "Usage: ", " " * 9)
        for text in self.paragraphs:
            lines += ["", *_wrapped(text, width, "  ", "  ")]
        examples = self.examples[:_EXAMPLES] if named else self.examples
        if examples:
            lines += ["", "  Examples:" if len(self.examples) > 1 else "  Example:"]
        for command in examples:
            lines += _command_lines(command, width)
        groups = list(self.groups.items())
        for heading, records in groups[: len(groups) - named]:
            lines += ["", f"{heading}:", *definitions(records, width)]
        if not named:
            return lines
        names = [(f"{heading}:", "  ".join(_flag(name) for name, _ in found)) for heading, found in groups[-named:]]
        left = len(self.examples) - len(examples)
        more = (
            f"--help --wide explains these, and has {left} more examples." if left else "--help --wide explains these."
        )
        return [*lines, "", "More options:", *definitions(names, width), "", f"  {more}"]


def _heading(option: Any, verb: str) -> str:
    names = {*option.opts, *option.secondary_opts}
    of_verb = (heading for heading in GROUPS if verb in VERBS_OF.get(heading, (verb,)))
    return next((heading for heading in of_verb if names & {*GROUPS[heading]}), _OTHER)


def _option_name(option: Any, ctx: Any) -> str:
    names = ", ".join(sorted([*option.opts, *option.secondary_opts], key=lambda name: name.startswith("--")))
    if option.is_flag:
        return names
    shown = (option.display_type_rich(ctx=ctx) or "").strip("<>").removeprefix("list[")
    shown = shown.removesuffix("]") if option.metavar is None else option.metavar
    return f"{names} {_TYPES.get(shown.lower(), shown)}"


def _argument_name(argument: Any) -> str:
    name = (argument.metavar or argument.name.upper()).strip("[]")
    name = f"{name}..." if argument.nargs == -1 else name
    return name if argument.required else f"[{name}]"


def _meaning(param: Any, ctx: Any) -> str:
    """What it is, with default and bounds in words."""
    _, text = param.get_help_record(ctx) or ("", param.help or "")
    text, bracket, rest = text.partition("  [")
    facts = [] if not bracket else rest.removesuffix("]").split("; ")
    said = [_fact_text(fact).replace(" ", _TOGETHER) for fact in facts if fact != "required"]
    return re.sub(r"\]\.? \[", ", ", f"{text} [{', '.join(said)}]") if said else text


def _fact_text(fact: str) -> str:
    """A bound as people say it.

    >>> [_fact_text(fact) for fact in ("x>=1", "1<=x<=64", "default: 16")]
    ['at least 1', '1 to 64', 'default: 16']
    """
    low, sign, high = fact.partition("<=x<=")
    if sign:
        return f"{low} to {high}"
    return f"at least {fact.removeprefix('x>=')}" if fact.startswith("x>=") else fact


def _flag(name: str) -> str:
    """The long name of an option alone."""
    return next((part for part in name.replace(",", " ").split() if part.startswith("--")), name)


def _command_lines(command: str, width: int) -> list[str]:
    """A command, to be copied, in lines that a shell joins."""
    lines = _wrapped(re.sub(r"( -[-\w]+) (?=[^- ])", rf"\1{_TOGETHER}", command), width - 2, "    ", " " * 8)
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]


def definitions(records: Iterable[Record], width: int, names: int | None = None) -> list[str]:
    """Names, and beside or below each what it is; ``names`` is the room for names, else as much as they need."""
    records = list(records)
    room = (names or min(_NAMES, max(len(name) for name, _ in records))) + 2
    lines = list[str]()
    for name, text in records:
        if len(name) > room - 2:
            lines += _wrapped(name, width, "  ", "      ")
            lines += _wrapped(text, width, " " * (room + 2), " " * (room + 2)) if text else []
        else:
            lines += _wrapped(text, width, f"  {name:<{room}}", " " * (room + 2)) if text else [f"  {name}"]
    return lines


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    lines = wrap(
        text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False, break_long_words=False
    )
    return [line.replace(_TOGETHER, " ") for line in lines]
