"""The folder of goldens: ``golden.npz``, the same as hexadecimal words, and a manifest that explains both."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sttest.core.files import MANIFEST, check_output_folder, replacing_folder
from sttest.core.program import __version__
from sttest.crosscheck.golden_facts import node_facts
from sttest.crosscheck.goldens import Entry, Golden, file_stems
from sttest.crosscheck.hex_words import hex_lines
from sttest.package import DesignPackage

SCHEMA = "sttest.golden/1"
ARRAYS = "golden.npz"
HEX = "hex"
CONVENTIONS = {
    "order": "Token t is that of iteration t of the loops, the last loop the fastest. In an iteration it starts at"
    " order.start plus, per loop, its iteration times loop.moves, counted in elements per dim of the tensor, and"
    " holds the elements of the shape order.token from there on, row-major: its lanes. A loop without dims repeats.",
    "shape": "Of the tensor that the tokens make up. Parameters, inputs and outputs are row-major, an element a token."
    " A scalar has the shape [1].",
    "arrays": "golden.npz has each entry under its key 'array': a stream as [tokens, *order.token], everything else in"
    " its shape. Integers of less than 8 bits are int8 there, i1 is a truth value.",
    "hex": "A token per line, for $readmemh into reg [word_bits-1:0] words [0:tokens-1]. Lane 0 is in the lowest bits,"
    " so the first digits of a line are those of the last lane. Integers are in two's complement, floating point as"
    " its IEEE bits; zeros fill the first digit.",
    "quantization": "Real value = integer * scale; all zero points are 0. 'scale' is a number, or the name of an entry"
    " of the same folder: the scale of element [i, j, ...] is there at [index[dim] // per for each of scale_at]. Of"
    " integers that the node rounded_by made, the scales are those of the stream scale_stream; reads_at[scale_port]"
    " of the node says which of them an element has.",
    "slices": "Where slice_of says so, a stream has the slice 'number' of 'slices' of every token of the argument,"
    " which have 'extent' elements along 'dim': its element i along dim is element i // n * extent + number * n + i % n"
    " of the argument, n = extent / slices. Its scales are those of the argument.",
    "nodes": "A task walks its loops, iterations first, then the points of a tile; factors and start of reads_at and"
    " writes_at give the element of each stream's tensor from the numbers iteration * tile + point of all loops."
    " What it computes at a point is its body, on one element per stream that it reads and the running value, which"
    " starts at init. An 'integer product' sums products of its two streams, wrapping at 32 bits.",
    "padding": "Of prompts and caches that are shorter than the design, padding_elements stand at the start of their"
    " axis; the mask hides them. They are left out of outputs, but for the shorter sequences of a batch's prefill.",
}


@dataclass(frozen=True)
class WrittenFile:
    """A file of the folder."""

    path: str  # path below the folder
    sha256: str
    size: int  # bytes

    def to_json(self) -> dict[str, Any]:
        """The file as JSON values."""
        return {"path": self.path, "sha256": self.sha256, "bytes": self.size}


def check_golden_folder(folder: Path) -> None:
    """Refuses, before any work, a folder that holds anything but earlier goldens, or that can't be written.

    Raises:
        InputError: the hints say what would help.
    """
    check_output_folder(folder, SCHEMA, "folder of goldens")


def write_golden(
    golden: Golden,
    package: DesignPackage,
    weights: Mapping[str, Any],
    folder: Path,
    tell: Callable[[str], None] = lambda _step: None,
) -> dict[str, Any]:
    """Writes the folder, whole or not at all.

    Args:
        golden: values that engines agree on.
        package: the design.
        weights: seed and checkpoint, for the manifest.
        folder: a new folder, an empty one, or one of earlier goldens, which is replaced.
        tell: called with each kind of files before they are written.

    Returns:
        The manifest.

    Raises:
        InputError: see :func:`check_golden_folder`.
    """
    check_golden_folder(folder)
    keys = _keys(golden.entries)
    with replacing_folder(folder) as staging:
        tell(ARRAYS)
        arrays: dict[str, Any] = {keys[id(entry)]: entry.values for entry in golden.entries}
        np.savez(staging / ARRAYS, **arrays)
        entries = []
        for entry in golden.entries:
            tell(entry.name)
            path = f"{HEX}/{keys[id(entry)]}.hex"
            written = _written(staging, path, entry)
            found = entry.description
            entries.append(
                {
                    **{name: found.pop(name) for name in ("name", "kind")},
                    "array": keys[id(entry)],
                    **found,
                    "files": [written.to_json()],
                }
            )
        manifest = {
            **_head(golden, package, weights),
            "arrays": _digested(staging, ARRAYS).to_json(),
            "entries": entries,
            "nodes": [node_facts(node, golden.graph) for node in golden.graph.nodes],
        }
        (staging / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def _keys(entries: tuple[Entry, ...]) -> dict[int, str]:
    """Keys of the arrays, which are names of files, too: ``stream/NAME``."""
    found: dict[int, str] = {}
    for kind in dict.fromkeys(entry.kind for entry in entries):
        members = [entry for entry in entries if entry.kind == kind]
        stems = file_stems([entry.name for entry in members])
        found |= {id(entry): f"{kind}/{stems[entry.name]}" for entry in members}
    return found


def _written(folder: Path, name: str, entry: Entry) -> WrittenFile:
    path, digest, size = folder / name, hashlib.sha256(), 0
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for piece in hex_lines(entry.tokens, entry.dtype):
            file.write(piece)
            digest.update(piece)
            size += len(piece)
    return WrittenFile(name, digest.hexdigest(), size)


def _digested(folder: Path, name: str) -> WrittenFile:
    with (folder / name).open("rb") as file:
        digest = hashlib.file_digest(file, "sha256")
    return WrittenFile(name, digest.hexdigest(), (folder / name).stat().st_size)


def _head(golden: Golden, package: DesignPackage, weights: Mapping[str, Any]) -> dict[str, Any]:
    configuration = package.manifest.configuration
    workload = configuration.workload.model_dump(exclude_none=True, exclude={"config"})
    return {
        "schema": SCHEMA,
        "name": golden.graph.name,
        "made_by": f"sttest {__version__}",
        "board": package.board,
        "workload": workload,
        "weights": dict(weights),
        "precision": asdict(configuration.quant_scheme),
        "checks": [each.to_json() for each in golden.checks],
        "sqnr_db": golden.sqnr_db,
        "conventions": CONVENTIONS,
    }
