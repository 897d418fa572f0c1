"""The command line: its verbs, what holds for all of them, and exit codes.

A verb's module is imported when the verb is called, so that ``sttest --help`` is quick.  Every exception becomes an
exit code, those of :mod:`sttest.core.errors`, and at most one line on stderr, a JSON object with ``--json``; 2 is
also for usage, 130 for Ctrl-C, 1 for a bug, whose traceback is shown under ``--debug`` or ``STTEST_DEBUG=1``.
"""

import errno
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from sttest.cli.completion import completing_verb, is_completing
from sttest.cli.help import VerbCommand, definitions, help_width
from sttest.cli.numbers import take_plain_numbers
from sttest.cli.streams import flush_output, prepare_streams
from sttest.cli.verbs import OTHERS, VERBS, all_verbs, load_verb, prints_table
from sttest.compile.options import renamed
from sttest.core.errors import DoesNotFitError, InputError, PassingError, SttestError, did_you_mean, note, note_renamed
from sttest.core.extensions import HOW_TO_INSTALL, has_systems
from sttest.core.interrupts import INTERRUPTED, raise_again
from sttest.core.json_text import to_json
from sttest.core.plain_files import why_no_current_folder
from sttest.core.program import __version__
from sttest.core.terminal import styled
from sttest.core.whole_run import whole_run

# Usage errors of typer's parser; it exports only their subclass BadParameter.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
# Names of the version before this one, which work for one release.
_RENAMED_VERBS = {"ladder": "crosscheck"}
_RENAMED_FLAGS = {"--knob": "--option"}
_VALUES = {"--engine": {"des": "simpy"}, "--backend": {"double": "emulator"}}
ISSUES_HINT = "please report it with the output of the same command under --debug"


class _Commands(Mapping[str, Any]):
    """The commands by name, each made when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        verb = typer.Typer(rich_markup_mode=None, add_completion=False)
        if is_completing():
            verb.command(name)(completing_verb(name))
            return typer.main.get_command(verb)
        function = load_verb(name)
        function = _with_forms(function, has_table=prints_table(function))
        verb.command(name, cls=VerbCommand)(function)
        command: Any = typer.main.get_command(verb)
        take_plain_numbers(command, function)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(all_verbs())

    def __len__(self) -> int:
        return len(all_verbs())

    def __contains__(self, name: object) -> bool:
        return name in VERBS or name in all_verbs()


Wide = Annotated[bool, typer.Option("--wide", help="On a terminal, too, all columns and lines.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print the table as CSV with all columns, and nothing else.")]


def _with_forms(verb: Callable[..., None], *, has_table: bool) -> Callable[..., None]:
    """A verb with the options that every verb has, which :meth:`Boundary.main` heeds."""
    signature = inspect.signature(verb, eval_str=True)
    forms: dict[str, Any] = {"csv": Csv, "wide": Wide} if has_table else {"wide": Wide}
    forms = {name: kind for name, kind in forms.items() if name not in signature.parameters}
    keyword = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(name, keyword, default=False, annotation=kind) for name, kind in forms.items()]

    @wraps(verb)
    def run(**given: Any) -> None:
        asked = {name: given.pop(name) for name in forms}
        if asked.get("csv") and given.get("as_json"):
            raise InputError("two-forms", "--csv and --json are two forms", where="--csv", hints=["leave one out"])
        verb(**given)

    parameters = [*signature.parameters.values(), *added]
    run.__signature__ = signature.replace(parameters=parameters)  # pyright: ignore[reportAttributeAccessIssue]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


class Boundary(TyperGroup):
    """The boundary of the command line: errors become messages and exit codes."""

    def main(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Parses, runs, and leaves the process with an exit code."""
        prepare_streams()
        given = list(sys.argv[1:] if args is None else args)
        extra["standalone_mode"] = False
        raise_again()
        try:
            given = _as_today(given)
            with whole_run(), styled(wide="--wide" in given, csv="--csv" in given, json="--json" in given) as style:
                code = super().main(given or ["--help"], prog_name or "sttest", **extra)
            if style.csv is not None and not style.csv.tables:
                note("no table was printed; --json has what the text says")
        except SystemExit:
            code = 0  # typer leaves by itself only where whoever read its output has gone
        except BaseException as error:
            code = _exit_code(error, given)
        unprinted = flush_output()
        if unprinted is not None and not code:
            code = _exit_code(unprinted, given)
        if code == INTERRUPTED:
            print("interrupted", file=sys.stderr)
        sys.exit(code if isinstance(code, int) else 0)


def _as_today(args: Sequence[str]) -> list[str]:
    """A command line with verbs, options and values of earlier versions called by their names of today."""
    flags, words = {**renamed(), **_RENAMED_FLAGS}, list[str]()
    verb = next((place for place, word in enumerate(args) if not word.startswith("-")), None)
    for place, word in enumerate(args):
        name, equals, value = word.partition("=")
        name = _todays(name, {**flags, **_RENAMED_VERBS} if place == verb else flags)
        if equals:
            words.append(f"{name}={_todays(value, _VALUES.get(name, {}))}")
        else:
            words.append(_todays(name, _VALUES.get(words[-1], {}) if words else {}))
    return words


def _todays(word: str, names: Mapping[str, str]) -> str:
    if word in names:
        note_renamed(word, names[word])
    return names.get(word, word)


def _exit_code(error: BaseException, args: Sequence[str]) -> int:
    """Tells of an error in one line and gives its exit code."""
    if isinstance(error, KeyboardInterrupt | typer.Abort):
        return INTERRUPTED
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return 0  # whoever read us has gone
    known = _as_sttest_error(error)
    if _debugging(args):
        traceback.print_exception(error, file=sys.stderr)
    if "--json" in args:
        line = to_json({"schema": "sttest.error/1", "error": known.to_dict(), "exit_code": known.exit_code})
    else:
        line = f"error: {_one_line(str(known))}"
    print(line, file=sys.stderr)
    return known.exit_code


def _one_line(text: str) -> str:
    """Lines of a diagnosis joined, without those that only point at a column (which is in its text)."""
    lines = (" ".join(line.split()) for line in text.splitlines())
    return " ".join(line for line in lines if line.strip("^~ "))


def _as_sttest_error(error: BaseException) -> SttestError:
    if isinstance(error, SttestError):
        return error
    if isinstance(error, _UsageError):
        return _usage_error(error)
    if isinstance(error, FileNotFoundError) and not error.filename and (gone := why_no_current_folder()) is not None:
        return gone
    if isinstance(error, OSError):
        hints = ["check that it may be read and written and that the disk has space"]
        return PassingError(
            "operating-system", error.strerror or str(error), where=str(error.filename or ""), hints=hints
        )
    if isinstance(error, UnicodeError):
        hints = ["use names and texts in UTF-8"]
        return InputError("bad-encoding", f"a name or a text is not UTF-8 ({error})", hints=hints)
    if isinstance(error, MemoryError):
        hints = ["run it where there is more", "make the design smaller", "see docs/reference/limits.md"]
        return DoesNotFitError("out-of-memory", "not enough memory on this machine", hints=hints)
    told = f"{type(error).__name__}: {error}".rstrip(": ")
    return SttestError("internal-error", f"this is a bug in sttest, {told}", hints=[ISSUES_HINT])


_IN_WORDS = (  # what the parser says, and how people say it
    ("Value error, ", ""),
    ("Input should be a valid integer, .*", "not a whole number"),
    ("Input should be a valid number, .*", "not a number"),
    ("Input should be greater than or equal to", "must be at least"),
    ("Input should be less than or equal to", "must be at most"),
)


def _usage_error(error: Any) -> InputError:
    """A parser's complaint, with the help of the verb as the way out."""
    command = error.ctx.command_path if error.ctx is not None else "sttest"
    told = error.format_message().rstrip(".")
    for pattern, words in _IN_WORDS:
        told = re.sub(pattern, words, told)
    told = re.sub(r"(?<=Missing argument )'(\w+)'", lambda found: found[1].upper(), told)
    hints = [f"see '{command} --help'"]
    if wrong := re.search(r"'([^']*)' is not one of ('.*')", told):
        near = did_you_mean(wrong[1], re.findall(r"'([^']*)'", wrong[2]))
        hints = [near, *hints] if near.startswith("did") else hints  # the choices are named already
    if told.startswith("No such command"):
        hints += [] if has_systems() else [f"more verbs are in {HOW_TO_INSTALL}"]
    return InputError("usage", told, where=command, hints=hints)


def _debugging(args: Sequence[str]) -> bool:
    return "--debug" in args or os.environ.get("STTEST_DEBUG", "") not in ("", "0")


class _Verbs(Boundary):
    """The root of the command line."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands: Any = _Commands()

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for verb in all_verbs().values():
            groups.setdefault(verb.heading or OTHERS, []).append((verb.name, verb.summary))
        for heading, verbs in groups.items():
            formatter.write("\n".join(["", f"{heading}:", *definitions(verbs, help_width(), names=10), ""]))


app = typer.Typer(
    name="sttest",
    cls=_Verbs,
    help="A simulation-first testbed for streaming dataflow accelerators that run LLMs.",
    epilog="Start with: sttest compile gpt2 --phase decode --context 64",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _print_version(asked: bool) -> None:
    if asked:
        print(f"sttest {__version__}")
        raise typer.Exit


@app.callback()
def common(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of errors (or STTEST_DEBUG=1).")] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """A simulation-first testbed for streaming dataflow accelerators that run LLMs.

    Exit codes: 0 done, 1 internal error, 2 bad input or usage, or the
    operating system refuses a file, 3 deadlock, 4 does not fit, 5 a tool is
    missing, 6 engines disagree.
    """
