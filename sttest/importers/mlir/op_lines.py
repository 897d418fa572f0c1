"""On which lines of MLIR operations stand: the text has them in the order in which a module is walked."""

import re
from collections.abc import Collection
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from sttest.core.files import read_text
from sttest.importers.mlir.text import MAX_MLIR_BYTES, name_of
from sttest.importers.places import Place

_COMMENT = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*')


def op_places(module: ModuleOp, source: Path, names: Collection[str]) -> dict[Operation, Place]:
    """Where the operations of some names stand in the file of a module; nothing where text and module differ in number.

    Raises:
        InputError: the file cannot be read.
    """
    text = _COMMENT.sub(lambda found: found[1] or "", read_text(source, most_bytes=MAX_MLIR_BYTES))
    ops = [op for op in module.walk() if name_of(op) in names]
    spelled = "|".join(map(re.escape, names))
    found = [*re.finditer(rf"(?<![\w.!@%])({spelled})(?![\w.])", text)]
    if [name_of(op) for op in ops] != [each[1] for each in found]:
        return {}
    line, at, places = 1, 0, list[Place]()
    for each in found:
        line += text.count("\n", at, each.start())
        at = each.start()
        places.append(Place(source, line))
    return dict(zip(ops, places, strict=True))
