"""Pragmas of Vitis HLS as calls that a compiler keeps, in text that the preprocessor has been through.

``clang -E -dD`` leaves pragmas, also those that ``_Pragma`` and macros make, and the definitions of macros: the calls
are compiled where these are known, so depths may be macros, constants, enumerators or template arguments.
"""

import re
from collections.abc import Callable, Mapping

_PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+hls[ \t]+((?:[^\\\n]|\\\r?\n|\\)*)", re.IGNORECASE | re.MULTILINE)
_NAME = re.compile(r"[a-z_]\w*", re.IGNORECASE)
_OPTION = re.compile(r"([a-z_]\w*)\s*=\s*", re.IGNORECASE)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BEFORE = re.compile(r"(?:\)|\belse|\bdo)\s*\Z")


def marked(text: str) -> str:
    """The text with its pragmas as calls, line for line.

    Args:
        text: C++ after the preprocessor.
    """
    made: list[str] = []
    last = 0
    for found in _PRAGMA.finditer(text):
        made.append(text[last : found.start()])
        call = _call(found[1])
        if call and _is_lone_statement(text, found.start()):
            # A loop without braces: what follows stays its body.
            call = f"if ({call.rstrip(';')}, false) ; else"
        made.append(call + "\n" * found[0].count("\n"))
        last = found.end()
    return "".join([*made, text[last:]])


def _is_lone_statement(text: str, place: int) -> bool:
    """Whether what stands at ``place`` is the one statement of a loop or a choice."""
    lines = text[max(0, place - 2000) : place].split("\n")
    code = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    return _BEFORE.search(_COMMENT.sub(" ", code)) is not None


def _call(pragma: str) -> str:
    """The call of a pragma; empty where it says nothing of streams and loops."""
    text = _COMMENT.sub(" ", pragma.replace("\\\r\n", " ").replace("\\\n", " ")).strip()
    name = _NAME.match(text)
    make = _CALLS.get(name[0].lower()) if name else None
    return make(_options(text[name.end() :])) if name and make else ""


def _options(text: str) -> dict[str, str]:
    """Options by name in lower case; one without a value is an empty text."""
    found = [*_OPTION.finditer(text)]
    options: dict[str, str] = {}
    ends = [*(each.start() for each in found[1:]), len(text)][: len(found)]
    for word in text[: found[0].start() if found else len(text)].split():
        options[word.lower()] = ""
    for each, end in zip(found, ends, strict=True):
        value, flags = _value(text[each.end() : end].strip())
        options[each[1].lower()] = value
        options |= dict.fromkeys(flags, "")
    return options


def _value(text: str) -> tuple[str, list[str]]:
    """A value, which may have blanks in brackets or around operators, and flags after it."""
    *rest, last = text.rsplit(None, 1) if " " in text or "\t" in text else ("", text)
    if rest and rest[0] and re.fullmatch(r"[a-z_]+", last) and last in _FLAGS:
        value, flags = _value(rest[0].strip())
        return value, [*flags, last]
    return text, []


_FLAGS = ("off", "rewind", "fixed", "float", "region", "skip_exit_check", "recursive")


def _stream(options: Mapping[str, str]) -> str:
    depth = options.get("depth") or "0"
    kind = (options.get("type") or ("pipo" if "off" in options else "")).lower()
    names = [each.strip() for each in options.get("variable", "").split(",")]
    calls = (f'::sttest::stream_of({each}, "{each}", (long)({depth}), "{kind}");' for each in names if each)
    return " ".join(calls)


def _dataflow(_options: Mapping[str, str]) -> str:
    return "::sttest::Dataflow sttest_dataflow_region;"


def _pipeline(options: Mapping[str, str]) -> str:
    return f"::sttest_pipeline((long)({'-1' if 'off' in options else options.get('ii') or '0'}));"


def _unroll(options: Mapping[str, str]) -> str:
    return f"::sttest_unroll((long)({options.get('factor') or '0'}));"


def _flatten(options: Mapping[str, str]) -> str:
    return f"::sttest_flatten({int('off' not in options)});"


def _tripcount(options: Mapping[str, str]) -> str:
    return f"::sttest_tripcount((long)({options.get('max') or options.get('avg') or '0'}));"


_CALLS: dict[str, Callable[[Mapping[str, str]], str]] = {
    "stream": _stream, "dataflow": _dataflow, "pipeline": _pipeline, "unroll": _unroll, "loop_flatten": _flatten,
    "loop_tripcount": _tripcount,
}  # fmt: skip
