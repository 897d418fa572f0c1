"""Random products of matrices of narrow integers, whose sums can run down cascades of DSPs."""

import random

from sttest.compile.options import CompileOptions

_KINDS = (("i8", "i4"), ("i8", "i8"), ("i4", "i8"), ("i4", "i4"), ("i16", "i8"))
_DEPTHS = (2, 3, 5, 6, 8, 12, 16, 24, 32)


def contraction(rows: int, depth: int, columns: int, kinds: tuple[str, str] = ("i8", "i4")) -> str:
    """The text of ``rows x depth`` times ``depth x columns``, summed in i32."""
    left, right = f"tensor<{rows}x{depth}x{kinds[0]}>", f"tensor<{depth}x{columns}x{kinds[1]}>"
    made = f"tensor<{rows}x{columns}xi32>"
    maps = ", ".join(f"affine_map<(i, j, k) -> ({place})>" for place in ("i, k", "k, j", "i, j"))
    return f"""func.func @contraction(%a : {left}, %b : {right}) -> {made} {{
      %zero = arith.constant 0 : i32
      %empty = tensor.empty() : {made}
      %init = linalg.fill ins(%zero : i32) outs(%empty : {made}) -> {made}
      %c = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
        ins(%a, %b : {left}, {right}) outs(%init : {made}) {{
        ^bb0(%x : {kinds[0]}, %y : {kinds[1]}, %sum : i32):
        %wide = arith.extsi %x : {kinds[0]} to i32
        %other = arith.extsi %y : {kinds[1]} to i32
        %product = arith.muli %wide, %other : i32
        %next = arith.addi %sum, %product : i32
        linalg.yield %next : i32
      }} -> {made}
      func.return %c : {made}
    }}"""


def random_contraction(seed: int) -> tuple[str, CompileOptions]:
    """A text, and options that give it lanes and chains: whole ones, shorter ones, several to a result; or LUTs."""
    source = random.Random(seed)
    tile = [source.choice(sizes) for sizes in ((1, 1, 2, 3), (1, 2, 4, 6), _DEPTHS)]
    rows, columns, depth = (side * source.choice((2, 3)) for side in tile)
    lanes = tile[0] * tile[1] * source.choice([n for n in range(2, tile[2] + 1) if tile[2] % n == 0])
    options = CompileOptions(
        tiles=(f"op:{'x'.join(map(str, tile))}",),
        lanes=(f"op:{lanes}",),
        vector_bits=source.choice((64, 512, 4096)),
        precision="fp32",
    )
    length = source.choice((2, 4, 8, 16, 0))
    options = options.with_(cascades=(f"op:{length}",)) if length else options.with_(fabric=("op",))
    return contraction(rows, depth, columns, source.choice(_KINDS)), options
