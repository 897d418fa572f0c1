"""What the text of a module says: which modules it loads, which files it declares, and a hash of what it does."""

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from typing import cast

from pydantic import TypeAdapter

from sttest.core.errors import InputError
from sttest.core.kept import KeptFiles
from sttest.core.program import default_cache_dir

DECLARED = "__depends__"
PACKAGES = ("sttest", "experiments")
"""Packages whose files are looked for at all: those of others have versions."""
_BY_NAME = ("import_module", "__import__", "run_module", "run_path")
_LOOKS_FOR_FILES = ("importlib.resources", "importlib.metadata.entry_points", "jinja2.PackageLoader", "pkgutil")
_LOADING = (ast.Import, ast.ImportFrom, ast.Call, ast.Name, ast.List, ast.Tuple)
_UNTOLD = ("ctx", "type_comment")
_MOST_KEPT = 5000
"""Modules that the cache knows: a few versions of each."""

__depends__ = ()  # it reads itself, to name the cache


@dataclass(frozen=True)
class Module:
    """What the text of a module says.

    Attributes:
        digest: hash of its syntax, comments, docstrings and declaration left out.
        imports: names of modules and of what is taken out of them; relative ones begin with dots.
        by_name: modules that are loaded by a name that stands there.
        declared: ``__depends__``; None without.
        unsaid: what is loaded by a name that does not stand there, for the message; empty if nothing is.
    """

    digest: str
    imports: tuple[str, ...]
    by_name: tuple[str, ...]
    declared: tuple[str, ...] | None
    unsaid: str


def read_module(content: bytes, file: str) -> Module:
    """What the text of a module says.

    Raises:
        InputError: it is no Python.
    """
    try:
        reader = _Reader(ast.parse(content))
    except (SyntaxError, ValueError) as error:
        raise InputError("bad-module", f"is no Python: {error}", where=file) from error
    digest = hashlib.sha256("".join(reader.told).encode()).hexdigest()
    imports, by_name = (tuple(dict.fromkeys(names)) for names in (reader.imports, reader.by_name))
    return Module(digest, imports, by_name, reader.declared, reader.unsaid)


class _Reader:
    """One walk over the syntax of a module.

    What is hashed is the same under every Python: fields that are empty are left out, since later versions add some, so
    is what only says how a constant was written, and texts are escaped.
    """

    def __init__(self, module: ast.Module) -> None:
        self.told: list[str] = []
        self.imports: list[str] = []
        self.by_name: list[str] = []
        self.declared: tuple[str, ...] | None = None
        self.unsaid = ""
        self._tell([each for each in module.body if not self._declares(each)], is_type=False)

    def _declares(self, statement: ast.stmt) -> bool:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)]) if name == DECLARED:
                self.declared = tuple(map(str, ast.literal_eval(statement.value)))
                return True
            case _:
                return False

    def _tell(self, value: object, *, is_type: bool) -> None:
        """Writes a node, a list of nodes or a plain value.

        Args:
            value: field of a node.
            is_type: whether it is under ``if TYPE_CHECKING``, where nothing is imported.
        """
        if isinstance(value, ast.AST):
            self._tell_node(value, is_type=is_type)
        elif isinstance(value, list):
            self.told.append("[")
            for each in cast("list[object]", value):
                if not _is_text_alone(each):
                    self._tell(each, is_type=is_type)
            self.told.append("]")
        else:
            self.told.append(f"{type(value).__name__} {value!a},")

    def _tell_node(self, node: ast.AST, *, is_type: bool) -> None:
        kind = type(node)
        if kind in _LOADING and not is_type:
            self._look(node)
        self.told.append(f"{kind.__name__}(")
        if isinstance(node, ast.Constant):
            self._tell(node.value, is_type=is_type)
        else:
            for name in kind._fields:
                value = getattr(node, name, None)
                if value is None or value == [] or name in _UNTOLD:
                    continue
                if isinstance(node, ast.JoinedStr):
                    value = _joined(node.values)
                self.told.append(f"{name}=")
                self._tell(value, is_type=is_type or (name == "body" and _is_for_types(node)))
        self.told.append(")")

    def _look(self, node: ast.AST) -> None:
        """Takes down what a node loads."""
        match node:
            case ast.Import(names=names):
                self._load(each.name for each in names)
            case ast.ImportFrom(module=module, names=names, level=level):
                base = "." * (level or 0) + (module or "")
                joined = base if not module else f"{base}."
                self._load([base, *(f"{joined}{each.name}" for each in names)])
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)) if name in _BY_NAME:
                self._look_at_call(node, name)
            case ast.Name(id="__file__"):
                self._leave_unsaid(f"__file__, line {node.lineno}")
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                self._look_for_process(elements)
            case _:
                pass

    def _look_at_call(self, call: ast.Call, name: str) -> None:
        match call.args:
            case [ast.Constant(value=str(said)), *_]:
                self.by_name.append(said)
            case _:
                self._leave_unsaid(f"{name}, line {call.lineno}")

    def _look_for_process(self, elements: list[ast.expr]) -> None:
        """Takes down the module of a command ``python -m MODULE``."""
        for flag, module in pairwise(elements):
            match flag, module:
                case ast.Constant(value="-m"), ast.Constant(value=str(name)):
                    self.by_name += [name, f"{name}.__main__"]
                case ast.Constant(value="-m"), _:
                    self._leave_unsaid(f"-m, line {flag.lineno}")
                case _:
                    pass

    def _load(self, names: Iterable[str]) -> None:
        for name in names:
            if name.startswith(_LOOKS_FOR_FILES):
                self._leave_unsaid(name)
            self.imports.append(name)

    def _leave_unsaid(self, what: str) -> None:
        self.unsaid = self.unsaid or what


def _is_text_alone(node: object) -> bool:
    """Whether a statement is a docstring or another text that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _is_for_types(node: ast.AST) -> bool:
    if not isinstance(node, ast.If):
        return False
    return "TYPE_CHECKING" in (getattr(node.test, "id", ""), getattr(node.test, "attr", ""))


def _joined(values: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string, texts beside each other as one, as later versions of Python have them."""
    made: list[ast.expr] = []
    for each in values:
        match made[-1:], each:
            case _, ast.Constant(value=""):
                pass
            case [ast.Constant(value=str(before))], ast.Constant(value=str(text)):
                made[-1] = ast.Constant(before + text)
            case _:
                made.append(each)
    return made


# --- Kept by content: it takes seconds to read the syntax of all modules


_MODULES = TypeAdapter(dict[str, Module])


class KnownModules:
    """Modules by the hash of their bytes, in a file of a folder; another version of this reader has another file."""

    def __init__(self, folder: Path) -> None:
        self._files = KeptFiles("modules", folder)
        self._name = f"{hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]}.json"
        self._is_new = False

    @cached_property
    def _stored(self) -> dict[str, Module]:
        return self._files.value(self._name, _MODULES) or {}

    def read(self, content: bytes, file: str) -> Module:
        """What a module says, see :func:`read_module`."""
        name = hashlib.sha256(content).hexdigest()
        if name not in self._stored:
            self._stored[name] = read_module(content, file)
            self._is_new = True
        return self._stored[name]

    def keep(self) -> None:
        """Writes down what was read anew; a cache that can't be written is no reason to fail."""
        if not self._is_new:
            return
        self._is_new = False
        self._files.keep_value(self._name, dict([*self._stored.items()][-_MOST_KEPT:]), _MODULES)


def known_modules() -> KnownModules:
    """Those of this process, beside the other caches."""
    return _known_modules(default_cache_dir())


@cache
def _known_modules(folder: Path) -> KnownModules:
    return KnownModules(folder)
