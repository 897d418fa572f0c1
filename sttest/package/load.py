"""The timed graph of whatever holds one, and what is said of a path that holds none."""

from pathlib import Path

from sttest.core.errors import InputError
from sttest.package.design_package import DesignPackage
from sttest.package.group_package import require_one_design
from sttest.package.ways_in import way_in
from sttest.sim import TimedGraph, load

_ANOTHER_KIND = frozenset(
    {
        "no-package",
        "no-such-file",
        "file-too-large",
        "bad-encoding",
        "not-json",
        "json-nesting",
        "not-an-object",
        "wrong-schema",
        "bad-xml",
        "not-sdf3",
    }
)
"""Codes of errors after which a path may be something else than a design."""


def load_graph(path: str | Path) -> TimedGraph:
    """The timed graph of a design package, of a timed-graph JSON file or of an SDF3 XML file.

    Args:
        path: a folder or a file; ``-`` is standard input, which holds a file.

    Raises:
        InputError: nothing there, a package that is not whole, a package of several designs, or not a possible graph;
            of what another command reads, the error says which.
    """
    path = Path(path)
    require_one_design(path)
    try:
        return DesignPackage.read(path).timed_graph if path.is_dir() else load(path)
    except InputError as error:
        found = way_in(path) if error.code in _ANOTHER_KIND else None
        if found is None:
            raise
        raise found.error(path) from error
