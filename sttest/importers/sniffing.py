"""What tells the designs of other tools: a predicate per format, on what a file or folder holds and not on its name.

A predicate looks at a :class:`Sight`, which reads no more than a bounded part of a file.  It promises nothing: whether
the design can be read is for the reader of the format to say.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TypeAlias, cast

from sttest.core.errors import InputError
from sttest.core.files import parse_json, place_of, read_bytes
from sttest.core.plain_files import open_to_read

HEAD_BYTES = 256 * 1024
"""Of a file that are looked at; of JSON all of it, since its keys stand in any order."""
_TAG = re.compile(rb"<([A-Za-z_][\w.:-]{0,80})(?=[\s/>])")
_COMMENT = re.compile(rb"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_DATAFLOW = re.compile(rb"#\s*pragma\s+HLS\s+dataflow\b|_Pragma\s*\(\s*\"HLS\s+dataflow\b|\bhls::task\b", re.IGNORECASE)
_STREAMS = re.compile(rb"\bhls::stream\b|\bhls_stream\.h\b|#\s*pragma\s+HLS\b", re.IGNORECASE)
_TRACE = re.compile(rb"(spec_channel|spec_interface|trace_bb|ap_ctrl_chain)(\t|\r?\n)")
_ONNX = re.compile(rb"\x08[\x01-\x20](?:\x12|\x1a|\x22|\x3a|\x42|\x72)")
"""Of a ModelProto: its field 1, ``ir_version``, then another one that it may have."""
_SETTING = re.compile(rb"^[^\S\n]*syn\.(file|top)[^\S\n]*=", re.MULTILINE)
_APPS, _CONFIG = ("hls.app", "vivado_hls.app"), "hls_config.cfg"
_AIE = re.compile(rb"\baie\.(device|tile|objectfifo)\b")
_ALLO = re.compile(rb"\ballo\.stream_(construct|put|get)\b|!allo\.stream<")


@dataclass(frozen=True)
class Sight:
    """What is seen of a path without understanding it.

    Attributes:
        path: file or folder; ``-`` is standard input.
        data: all of what standard input held; None where it is a path.
    """

    path: Path
    data: bytes | None = None

    @cached_property
    def is_folder(self) -> bool:
        """Whether it is one."""
        return self.data is None and self.path.is_dir()

    @cached_property
    def head(self) -> bytes:
        """The first bytes of a file; nothing of a folder.

        Raises:
            InputError: it cannot be read.
        """
        if self.data is not None:
            return self.data[:HEAD_BYTES]
        if self.is_folder:
            return b""
        try:
            with open_to_read(self.path) as file:
                return file.read(HEAD_BYTES)
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else str(error)
            raise InputError("unreadable-file", f"cannot be read: {told}", where=str(self.path)) from error

    @cached_property
    def start(self) -> bytes:
        """The first byte that is no space; of a mark of UTF-8, what follows."""
        return self.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]

    @cached_property
    def is_text(self) -> bool:
        """Whether it looks like text: something, without zeros, and UTF-8 as far as it was read."""
        try:
            self.head.decode("utf-8")
        except UnicodeDecodeError as error:
            if len(self.head) < HEAD_BYTES or error.start < HEAD_BYTES - 4:
                return False
        return bool(self.head.strip()) and b"\0" not in self.head

    @cached_property
    def content(self) -> Mapping[str, object]:
        """The keys of a JSON object; none where it is none."""
        if self.start != b"{" or not self.is_text:
            return {}
        try:
            data = read_bytes(self.path) if self.data is None else self.data
            found = parse_json(data, place_of(self.path))
        except InputError:
            return {}
        return cast("dict[str, object]", found) if isinstance(found, dict) else {}

    @cached_property
    def schema(self) -> str:
        """The schema that a JSON object declares; of one that cannot be read whole, that of its beginning."""
        found = self.content.get("schema")
        if isinstance(found, str):
            return found
        early = re.search(rb'"schema"\s*:\s*"([^"\\\n]{1,80})"', self.head[:4096]) if self.start == b"{" else None
        return early[1].decode(errors="replace") if early else ""

    @cached_property
    def tag(self) -> str:
        """The outermost element of XML, with its prefix; empty where it is none."""
        found = _TAG.search(self.head) if self.start == b"<" else None
        return found[1].decode() if found else ""

    @cached_property
    def code(self) -> bytes:
        """Text without comments of C++ and MLIR."""
        return _COMMENT.sub(b" ", self.head) if self.is_text else b""

    def has(self, *patterns: str) -> bool:
        """Whether a folder has something for every pattern."""
        return self.is_folder and all(any(self.path.glob(pattern)) for pattern in patterns)


Sniffer: TypeAlias = Callable[[Sight], bool]


def never(_: Sight) -> bool:
    """Of a format whose files nothing tells."""
    return False


def is_streamhls(sight: Sight) -> bool:
    """A design of Stream-HLS' artifact: generated C++ beside the project of its synthesis."""
    return sight.has("hls/src/*.cpp", "hls/*/*/syn/report")


def is_hls(sight: Sight) -> bool:
    """A solution, project or component of Vitis HLS, a file that describes one, or C++ with a dataflow region."""
    if sight.is_folder:
        folders = (sight.path, sight.path.absolute().parent)
        return sight.has(_CONFIG) or any((folder / name).is_file() for folder in folders for name in _APPS)
    return is_project_file(sight) or is_dataflow_cpp(sight)


def is_project_file(sight: Sight) -> bool:
    """``hls.app`` or ``hls_config.cfg``: what it describes is the folder that it is in."""
    is_config = sight.is_text and bool(_SETTING.search(sight.head))
    is_app = sight.tag.rpartition(":")[2] in ("project", "AutoPilot") and b"<files" in sight.head
    return (is_app and sight.path.name in _APPS) or (is_config and sight.path.name == _CONFIG)


def is_dataflow_cpp(sight: Sight) -> bool:
    """C++ for an HLS tool: a dataflow region, or streams."""
    return sight.start not in (b"{", b"<") and bool(_DATAFLOW.search(sight.code) or _STREAMS.search(sight.code))


def is_finn(sight: Sight) -> bool:
    """An ONNX model, whether its layers are FINN's or not."""
    return _ONNX.match(sight.head) is not None


def is_tapa(sight: Sight) -> bool:
    """The graph of a TAPA design, or the work directory that has it."""
    if sight.is_folder:
        graph = sight.path / "graph.json"
        return graph.is_file() and is_tapa(Sight(graph))
    return "top" in sight.content and "tasks" in sight.content


def is_lightningsim(sight: Sight) -> bool:
    """The trace of LightningSim."""
    return _TRACE.match(sight.head) is not None


def is_solution(sight: Sight) -> bool:
    """A solution of Vivado or Vitis HLS with its database, or a project that has one."""
    return sight.has(".autopilot/db") or sight.has("*/.autopilot/db")


def is_aie(sight: Sight) -> bool:
    """MLIR of AI Engine arrays."""
    return bool(_AIE.search(sight.code))


def is_allo(sight: Sight) -> bool:
    """MLIR of Allo with streams."""
    return bool(_ALLO.search(sight.code))
