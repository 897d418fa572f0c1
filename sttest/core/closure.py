"""What a result depends on: the modules that its maker imports, directly or through others, and the files they declare.

Nothing is imported to find out.  Imports are read from the syntax of the modules, those inside of functions too, and
whatever a module loads by a name or a path that it puts together has to stand in its ``__depends__``: files or
patterns, from the folder that holds ``sttest``.  A module that loads so and declares nothing is an error, not a guess.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, cached_property
from pathlib import Path
from typing import Protocol

from sttest.core.errors import InputError
from sttest.core.extensions import extension_packages
from sttest.core.module_syntax import DECLARED, PACKAGES, Module, known_modules

__depends__ = ()  # what is read here is hashed

ROOT = Path(__file__).parents[2]
"""Folder that holds ``sttest``, and in a checkout ``experiments``, too."""
EXTENSIONS = "extensions"
"""Folder of a checkout with distributions beside sttest's, each in a folder; their packages are called ``sttest_NAME``.

Installed, such a package lies beside ``sttest``.  Its files have the same names there and in the checkout.
"""


def as_imported(path: str) -> str:
    """A file's name in a :class:`Tree`: of an extension's package without the folders that hold the package.

    >>> as_imported("extensions/systems/sttest_systems/pim_gpt/graph.py"), as_imported("sttest/api.py")
    ('sttest_systems/pim_gpt/graph.py', 'sttest/api.py')
    """
    parts = path.split("/")
    return "/".join(parts[2:]) if len(parts) > 3 and parts[0] == EXTENSIONS and _is_extension(parts[2]) else path


def _is_extension(package: str) -> bool:
    return package.startswith("sttest_")


class Tree(Protocol):
    """The files of a checkout, of an installed package, or of a commit; paths are relative, see :func:`as_imported`."""

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        ...

    def below(self, folder: str) -> Iterable[str]:
        """All files below a folder, and none where there is no such folder."""
        ...

    def read(self, path: str) -> bytes:
        """The content of a file."""
        ...


class FolderTree:
    """The files of a folder as they are now; those that editors and Python leave there are no part of it.

    Args:
        root: folder that holds ``sttest``.
        packages: folders of packages elsewhere, by name: those of extensions that were installed there.
    """

    def __init__(self, root: Path, packages: Mapping[str, Path] | None = None) -> None:
        self.root, self.packages = root, packages or {}

    def has(self, path: str) -> bool:
        """See :class:`Tree`."""
        return path in self._of_packages

    def below(self, folder: str) -> Iterable[str]:
        """See :class:`Tree`."""
        if folder.startswith((*PACKAGES, *self.packages)):
            return [file for file in self._of_packages if file.startswith(f"{folder}/")]
        return self._walk(folder)

    @cached_property
    def _of_packages(self) -> dict[str, str]:
        """Where files are from the root, by name."""
        beside = [path.parent.name for path in self.root.glob("sttest_*/__init__.py")]
        found = {as_imported(file): file for top in (*PACKAGES, *beside, EXTENSIONS) for file in self._walk(top)}
        for package, folder in self.packages.items():
            if f"{package}/__init__.py" not in found:
                files = (Path(self.root, file) for file in self._walk(str(folder.resolve())))
                found |= {f"{package}/{each.relative_to(folder.resolve()).as_posix()}": str(each) for each in files}
        return found

    def _walk(self, top: str) -> Iterator[str]:
        for folder, folders, names in os.walk(self.root / top):
            folders[:] = [name for name in folders if not _is_left_out(name)]
            place = Path(folder).relative_to(self.root).as_posix() if Path(folder).is_relative_to(self.root) else folder
            yield from (f"{place}/{name}" for name in names if not _is_left_out(name))

    def read(self, path: str) -> bytes:
        """See :class:`Tree`."""
        return (self.root / self._of_packages.get(path, path)).read_bytes()


def _is_left_out(name: str) -> bool:
    return name.startswith(".") or name == "__pycache__"


class Closures:
    """The closures of makers in one tree; what was read for one is known to the next.

    Args:
        tree: tree that holds the files.
        today: a tree whose declarations hold for modules that have none, for commits before there were any; what is
            not there yet is left out then.
    """

    def __init__(self, tree: Tree, today: Tree | None = None) -> None:
        self._tree, self._today = tree, today
        self._known: dict[str, tuple[str, tuple[str, ...]]] = {}  # hash of a file, and the files that it needs

    def of(self, makers: Iterable[str]) -> dict[str, str]:
        """All files that a result of these makers depends on, each with the hash of its content.

        Args:
            makers: modules, and files or patterns, which have a slash.

        Raises:
            InputError: there is no such module or file, or one loads something by name and does not declare it.
        """
        found: dict[str, str] = {}
        waiting = [file for maker in makers for file in _of_maker(self._tree, maker, must=self._today is None)]
        while waiting:
            file = waiting.pop()
            if file not in found:
                found[file], needed = self._read(file)
                waiting += needed
        known_modules().keep()
        return dict(sorted(found.items()))

    def _read(self, file: str) -> tuple[str, tuple[str, ...]]:
        if file not in self._known:
            self._known[file] = self._read_anew(file)
        return self._known[file]

    def _read_anew(self, file: str) -> tuple[str, tuple[str, ...]]:
        content, modules = self._tree.read(file), known_modules()
        if not file.endswith(".py"):
            return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest(), ()
        module = modules.read(content, file)
        declared = module.declared
        if declared is None and self._today is not None:
            known = modules.read(self._today.read(file), file) if self._today.has(file) else None
            declared = (known and known.declared) or ()
        return module.digest, tuple(_needed(self._tree, file, module, declared, must=self._today is None))


@cache
def program_files(*makers: str) -> dict[str, str]:
    """The files that results of some makers depend on in the program that is running, as it was when first asked for.

    Args:
        makers: see :meth:`Closures.of`.

    Raises:
        InputError: see :meth:`Closures.of`.
    """
    return _here().of(makers)


@cache
def _here() -> Closures:
    return Closures(_program())


def _program() -> FolderTree:
    return FolderTree(ROOT, extension_packages())


@cache
def program_hash(*makers: str) -> str:
    """Hash over :func:`program_files`: a stored result is only as good as the program that made it.

    It is the same on every machine, from a checkout and from an installed package.
    """
    return hash_of(program_files(*makers))


@cache
def tree_hash() -> str:
    """Hash of every file of ``sttest`` and of installed extensions, as it was when first asked for.

    It is for what is kept on one machine: a comment in a study changes it, which costs one run, while no syntax is
    read to have it, which costs every new user's first run a second.
    """
    tree = _program()
    files = sorted(file for package in (PACKAGES[0], *extension_packages()) for file in tree.below(f"{package}"))
    return hash_of({file: hashlib.sha256(tree.read(file)).hexdigest() for file in dict.fromkeys(files)})


def hash_of(files: dict[str, str]) -> str:
    """16 hex digits that name the content of some files."""
    lines = "".join(f"{digest}  {file}\n" for file, digest in files.items())
    return hashlib.sha256(lines.encode()).hexdigest()[:16]


def own_files(*paths: Path) -> list[str]:
    """Those of some files that are the program's own, as makers name them."""
    root = ROOT.resolve()
    here = [path.relative_to(root).as_posix() for path in map(Path.resolve, paths) if path.is_relative_to(root)]
    return [name for name in map(as_imported, here) if _is_ours(name.split("/")[0])]


def _is_ours(package: str) -> bool:
    return package in PACKAGES or _is_extension(package)


# --- From a module to the files that it needs


def _of_maker(tree: Tree, maker: str, *, must: bool) -> list[str]:
    if "/" in maker:
        return _matching(tree, maker, must=must)
    file = _file_of(tree, maker)
    if file is None and not must:
        return []
    if file is None:
        hints = ["run it in a clone of the repository"]
        raise InputError("no-such-module", "is not part of this program", where=maker, hints=hints)
    return [file]


def _needed(tree: Tree, file: str, module: Module, declared: tuple[str, ...] | None, *, must: bool) -> Iterator[str]:
    """The packages that a module is in, what it imports, and what it declares."""
    folders = file.split("/")[:-1]
    for length in range(1, len(folders) + 1):
        yield from _existing(tree, "/".join((*folders[:length], "__init__.py")))
    names = module.imports
    if declared is None:
        if module.unsaid:
            hints = [f"list modules and files in {DECLARED}"]
            raise InputError(
                "undeclared", f"loads by name what it does not declare: {module.unsaid}", where=file, hints=hints
            )
        names += module.by_name
    for name in names:
        needed = _file_of(tree, _absolute(name, folders))
        if needed is not None:
            yield needed
    for pattern in declared or ():
        yield from _matching(tree, pattern, must=must)


def _absolute(name: str, folders: list[str]) -> str:
    relative = name.lstrip(".")
    up = len(name) - len(relative)
    return ".".join([*folders[: len(folders) - up + 1], relative]).rstrip(".") if up else name


def _file_of(tree: Tree, module: str) -> str | None:
    """The file of a module of the tree; None for modules of others, and for names that are taken out of modules."""
    stem = module.replace(".", "/")
    return next((file for file in (f"{stem}.py", f"{stem}/__init__.py") if tree.has(file)), None)


def _existing(tree: Tree, file: str) -> Iterator[str]:
    if tree.has(file):
        yield file


def _matching(tree: Tree, pattern: str, *, must: bool) -> list[str]:
    """Files that a pattern names: a path, where ``*`` is any part of one name; one with a slash at its end is a folder.

    Raises:
        InputError: there is none.
    """
    wanted = pattern.split("/")
    fixed = next((number for number, part in enumerate(wanted) if "*" in part or not part), len(wanted) - 1)
    found = sorted(each for each in tree.below("/".join(wanted[:fixed])) if _matches(each.split("/"), wanted))
    if not found and must:
        raise InputError("no-such-file", "is declared, and not there", where=pattern, hints=[f"correct {DECLARED}"])
    return found


def _matches(parts: list[str], wanted: list[str]) -> bool:
    if not wanted[-1]:
        return parts[: len(wanted) - 1] == wanted[:-1]
    return len(parts) == len(wanted) and all(map(fnmatchcase, parts, wanted))
