"""What a file or folder that is no design is taken for, and the command that makes a design of it.

A file is looked at only after it was refused as a design.  Nothing is promised: whether a file can be read is for the
command to say that is named here.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from sttest.core.errors import InputError
from sttest.core.files import MANIFEST, STANDARD_INPUT, read_json, read_xml
from sttest.core.plain_files import open_to_read
from sttest.frontend.module_source import is_module_reference
from sttest.models.registry import SMALL, is_known
from sttest.package.manifest import SCHEMA as PACKAGE_SCHEMA

_HEAD_BYTES = 64 * 1024
"""Bytes of a file that are looked at for what tells its format."""
_DESIGN = "design.json"
_SHAPE = "--phase decode --context 64"
_IMPORTS = "see 'sttest import' for the formats of other tools that are read"
_COMPILES = "'sttest compile --help' for what is compiled"


@dataclass(frozen=True)
class WayIn:
    """What a path is taken for.

    Attributes:
        what: a noun phrase.
        hints: what to do, each with its command.
        format: the importer that the hints name; empty where they name none.
    """

    what: str
    hints: tuple[str, ...]
    format: str = ""

    def error(self, path: Path, wanted: str = "a design") -> InputError:
        """The refusal of a path where something else is wanted."""
        return InputError("not-a-design", f"{self.what}, not {wanted}", where=str(path), hints=self.hints)


def way_in(path: Path) -> WayIn | None:
    """What a path is taken for; None where nothing is known of it, or it looks like a design."""
    if path == STANDARD_INPUT:
        return None
    if path.is_dir():
        return next((found for kind in _FOLDERS if (found := kind(path))), None)
    if not path.is_file():
        return _of_name(str(path))
    return _in_package(path) or _of_suffix(path) or _of_content(path)


def _imported(what: str, form: str, arguments: str, how: str = "import it with") -> WayIn:
    command = f"sttest import {form} {arguments} -o {_DESIGN}"
    return WayIn(what, (f"{how} '{command}', then name {_DESIGN}",), form)


def _compiled(what: str, arguments: str, name: str, how: str = "compile it with") -> WayIn:
    folder = shlex.quote(f"build/{name}")
    return WayIn(what, (f"{how} 'sttest compile {arguments} -o {folder}', then name {folder}",))


def _quoted(path: Path | str) -> str:
    return shlex.quote(str(path))


# --- What is not there, but called as something that sttest knows


def _of_name(name: str) -> WayIn | None:
    if is_module_reference(name):
        return _compiled("a function that makes a module", f"{_quoted(name)} --precision fp32", Path(name).stem)
    if is_known(name.removeprefix(SMALL)):
        context = "--phase decode --context 32" if name.startswith(SMALL) else _SHAPE
        return _compiled("the name of a model", f"{name} {context}", name)
    return None


# --- Files by the package that they are in, by what they are called, and by what they hold


def _in_package(path: Path) -> WayIn | None:
    if path.suffix == ".json" and path.stem.startswith("timed_graph"):
        return None
    package = next((folder for folder in path.absolute().parents[:3] if _is_package(folder)), None)
    hints = () if package is None else (f"name the package, {_quoted(_shown(package))}",)
    return WayIn("a file of a design package", hints) if hints else None


def _of_suffix(path: Path) -> WayIn | None:
    kind = _SUFFIXES.get(path.suffix.lower())
    return kind(path) if kind else None


def _cpp(path: Path) -> WayIn:
    if re.search(rb"\btapa::|[<\"]tapa\.h", _head(path)):
        how = "import what 'tapa analyze' makes of it with"
        return _imported("a TAPA program", "tapa", "WORK-DIR/graph.json --rates rates.yaml", how)
    if path.suffix.lower().startswith(".h"):
        return _imported("a C++ header", "hls", "FILE.cpp", "import the C++ file that includes it with")
    return _imported("C++ source", "hls", _quoted(path))


def _onnx(path: Path) -> WayIn:
    return _imported("an ONNX model", "finn", _quoted(path), "if it has dataflow layers of FINN, import it with")


def _mlir(path: Path) -> WayIn:
    if re.search(rb"\baie\.(?:device|objectfifo)\b", _head(path)):
        return _imported("MLIR of mlir-aie", "aie", _quoted(path))
    if re.search(rb"\ballo\.stream", _head(path)):
        return _imported("MLIR of Allo", "allo", _quoted(path))
    return _compiled("MLIR text", _quoted(path), path.stem)


def _python(path: Path) -> WayIn:
    how = "compile a function of it that makes a PyTorch module with"
    return _compiled("Python", f"{_quoted(path)}:FUNCTION --precision fp32", path.stem, how)


def _pickle(_: Path) -> WayIn:
    how = "write a function that makes the module, and compile it with"
    return _compiled("pickled PyTorch, which is never read", "FILE.py:FUNCTION --precision fp32", "FILE", how)


def _weights(path: Path) -> WayIn:
    if (path.parent / "config.json").is_file():
        return _checkpoint(path.parent, "weights of a checkpoint")
    return WayIn("weights", ("name the design that they are for", _COMPILES))


def _traces(path: Path) -> WayIn:
    return WayIn("traces of a timed graph", (f"name the graph, such as {_quoted(path.with_suffix('.json'))}",))


def _yaml(path: Path) -> WayIn:
    name = _quoted(path)
    if re.search(rb"^axes:", _head(path), re.MULTILINE):
        return WayIn("a what-if study", (f"run it with 'sttest whatif {name}'",))
    if re.search(rb"^(device|extends):", _head(path), re.MULTILINE):
        return WayIn("a board", (f"compile for it with 'sttest compile MODEL --board {name}'",))
    if re.search(rb"^tasks:", _head(path), re.MULTILINE):
        arguments = f"WORK-DIR/graph.json --rates {name}"
        return _imported("rates of a TAPA design", "tapa", arguments, "import the design that they are for with")
    return WayIn("YAML", ("name a design",))


def _hls_file(path: Path) -> WayIn | None:
    return _hls_folder(path.parent)


def _of_content(path: Path) -> WayIn | None:
    head = _head(path)
    start = head.lstrip()[:1]
    if start == b"<":
        return _xml(path)
    if start in (b"{", b"["):
        return _json(path)
    if re.match(rb"(spec_channel|spec_interface|trace_bb|ap_ctrl_chain)(\t|\r?\n)", head):
        arguments = f"{_quoted(path)} --reports PROJECT/solution1/syn/report"
        return _imported("a trace of LightningSim", "lightningsim", arguments)
    return WayIn("neither JSON nor XML", (_IMPORTS, _COMPILES))


def _xml(path: Path) -> WayIn | None:
    try:
        tag = read_xml(path).tag
    except InputError:
        return None
    if tag != "profile":
        return None if tag == "sdf3" else WayIn(f"XML whose outermost element is '{tag:.40}'", (_IMPORTS,))
    what, folders = "a synthesis report of Vitis HLS", path.absolute().parents
    is_below = len(folders) > 5 and [each.name for each in folders[:2]] == ["report", "syn"]
    if found := (_streamhls(folders[5]) or _hls_folder(folders[2])) if is_below else None:
        return WayIn(what, found.hints, found.format)
    return _imported(what, "hls", f"FILE.cpp --reports {_quoted(path)}", "import the C++ that was synthesized with")


def _json(path: Path) -> WayIn | None:
    content = _object(path)
    schema = content.get("schema")
    if isinstance(schema, str) and schema in _OWN:
        return WayIn(*_OWN[schema])
    return next((kind(path) for kind, is_it in _JSON_KINDS if is_it(content)), None)


_OWN = {
    "sttest.sizing/1": (
        "what 'sttest size --json' printed",
        ("name the design, with its depths as --depth FIFO=N", "carry them back with 'sttest import' and --depths"),
    ),
    "sttest.simulation/1": ("what 'sttest simulate --json' printed", ("name the design that was simulated",)),
}


def _tapa(path: Path) -> WayIn:
    name = _quoted(path)
    rates = f"'sttest import tapa {name} --template -o rates.yaml' asks what its tasks do"
    return _imported("a graph of TAPA", "tapa", f"{name} --rates rates.yaml", f"{rates}; import it with")


def _folding(path: Path) -> WayIn:
    arguments = f"MODEL.onnx --folding {_quoted(path)}"
    return _imported("a folding configuration of FINN", "finn", arguments, "import the model that it is for with")


def _checkpoint(path: Path, what: str = "a model's configuration") -> WayIn:
    name = path.stem if path.is_file() and path.name != "config.json" else path.absolute().parent.name
    name = path.absolute().name if path.is_dir() else name
    return _compiled(what, f"{_quoted(path)} {_SHAPE}", name, "compile the model with")


def _is_folding(content: Mapping[str, object]) -> bool:
    keys = ("PE", "SIMD", "inFIFODepths", "outFIFODepths")
    return "Defaults" in content or any(
        isinstance(each, dict) and any(key in each for key in keys) for each in content.values()
    )


_JSON_KINDS: tuple[tuple[Callable[[Path], WayIn], Callable[[Mapping[str, object]], bool]], ...] = (
    (_tapa, lambda content: "top" in content and "tasks" in content),
    (_checkpoint, lambda content: "model_type" in content or "architectures" in content),
    (_folding, _is_folding),
)
_SUFFIXES: dict[str, Callable[[Path], WayIn | None]] = {
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx"), _cpp),
    ".onnx": _onnx,
    ".mlir": _mlir,
    ".py": _python,
    ".npz": _traces,
    ".safetensors": _weights,
    **dict.fromkeys((".pt", ".pth", ".pt2", ".ckpt"), _pickle),
    ".yaml": _yaml,
    ".yml": _yaml,
    ".app": _hls_file,
    ".cfg": _hls_file,
}


# --- Folders


def _own_folder(folder: Path) -> WayIn | None:
    schema = _schema(folder / MANIFEST)
    if schema == "sttest.results/1":
        return WayIn(
            "results of an experiment", (f"look at them with 'sttest report --results {_quoted(folder.parent)}'",)
        )
    if schema in (PACKAGE_SCHEMA, None):
        return None
    return WayIn(f"a folder of schema '{schema:.60}'", ("name a folder that 'sttest compile' made",))


def _hls_folder(folder: Path) -> WayIn | None:
    """A solution of the classic IDE beside ``hls.app``, a project, or a component of the unified IDE."""
    if (folder / ".autopilot" / "db" / "a.o.3.bc").is_file() and any(folder.glob(".autopilot/db/*.sched.adb")):
        return _imported("a solution of Vitis HLS with its schedule", "solution", _quoted(_shown(folder)))
    is_solution = (folder.absolute().parent / "hls.app").is_file() and (folder / "syn").is_dir()
    what = "a solution of Vitis HLS" if is_solution else "a project of Vitis HLS"
    if not is_solution and not any((folder / name).is_file() for name in ("hls.app", "hls_config.cfg")):
        return None
    return _imported(what, "hls", _quoted(_shown(folder)))


def _streamhls(folder: Path) -> WayIn | None:
    if not any(folder.glob("hls/src/*.cpp")) or not any(folder.glob("hls/*/*/syn/report")):
        return None
    return _imported("a design of Stream-HLS", "streamhls", _quoted(_shown(folder)))


def _finn_build(folder: Path) -> WayIn | None:
    models = sorted(folder.glob("intermediate_models/*.onnx")) or sorted(folder.glob("*.onnx"))
    return (
        _imported("a folder of ONNX models", "finn", _quoted(models[-1]), "import one of them with") if models else None
    )


def _tapa_folder(folder: Path) -> WayIn | None:
    found = _json(folder / "graph.json") if (folder / "graph.json").is_file() else None
    return None if found is None or found.format != "tapa" else WayIn("a work directory of TAPA", found.hints, "tapa")


def _checkpoint_folder(folder: Path) -> WayIn | None:
    return _checkpoint(folder, "a checkpoint") if (folder / "config.json").is_file() else None


def _packages_below(folder: Path) -> WayIn | None:
    found = next((each.parent for each in sorted(folder.glob(f"*/{MANIFEST}")) if _is_package(each.parent)), None)
    hints = () if found is None else (f"name one of them, as in {_quoted(found)}",)
    return WayIn("a folder of design packages", hints) if hints else None


_FOLDERS: tuple[Callable[[Path], WayIn | None], ...] = (
    _own_folder,
    _streamhls,
    _hls_folder,
    _tapa_folder,
    _checkpoint_folder,
    _finn_build,
    _packages_below,
)


def _shown(path: Path) -> Path:
    """A path from here, where that is shorter."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) and path != Path.cwd() else path


def _is_package(folder: Path) -> bool:
    return _schema(folder / MANIFEST) == PACKAGE_SCHEMA


def _schema(path: Path) -> str | None:
    """What schema a JSON file declares; None where it declares none, or cannot be read."""
    schema = _object(path).get("schema") if path.is_file() else None
    return schema if isinstance(schema, str) else None


def _object(path: Path) -> dict[str, object]:
    """What a JSON file holds; nothing where it is no object, or cannot be read."""
    try:
        content = read_json(path)
    except InputError:
        return {}
    return cast("dict[str, object]", content) if isinstance(content, dict) else {}


def _head(path: Path) -> bytes:
    try:
        with open_to_read(path) as file:
            return file.read(_HEAD_BYTES)
    except OSError:
        return b""
