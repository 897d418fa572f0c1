"""Tasks that work off every payload operation, as one kernel."""

from __future__ import annotations

from collections.abc import Iterable

from small_kernels import Port, kernel_text, stream_type

# Payloads over one or two operands of 4 x 32 elements: argument types, result type, body.
OPERATIONS = {
    "floats": (("f32", "f32"), "f32", """
        %k = arith.constant -1.5 : f32
        %a = arith.addf %x0, %x1 : f32
        %b = arith.mulf %a, %x0 : f32
        %c = arith.subf %b, %k : f32
        %d = arith.maximumf %c, %x1 : f32
        %e = arith.minimumf %d, %x0 : f32
        %f = arith.negf %e : f32
        %g = math.roundeven %f : f32
        %h = math.absf %x1 : f32
        %i = arith.divf %g, %h : f32
        %p = arith.cmpf olt, %x0, %x1 : f32
        %y = arith.select %p, %i, %e : f32"""),
    "functions": (("f32",), "f32", """
        %h = math.absf %x0 : f32
        %s = math.sqrt %h : f32
        %one = arith.constant 1.0 : f32
        %u = arith.addf %s, %one : f32
        %r = math.rsqrt %u : f32
        %t = math.tanh %x0 : f32
        %e = math.exp %t : f32
        %a = arith.addf %e, %r : f32
        %y = arith.mulf %a, %u : f32"""),
    "quantize": (("f32", "f32"), "i8", """
        %low = arith.constant -127.0 : f32
        %high = arith.constant 127.0 : f32
        %one = arith.constant 1.0 : f32
        %m = math.absf %x1 : f32
        %s = arith.addf %m, %one : f32
        %q = arith.divf %x0, %s : f32
        %r = math.roundeven %q : f32
        %a = arith.maximumf %r, %low : f32
        %b = arith.minimumf %a, %high : f32
        %y = arith.fptosi %b : f32 to i8"""),
    "integers": (("i4", "i8"), "i32", """
        %a = arith.extsi %x0 : i4 to i8
        %b = arith.muli %a, %x1 : i8
        %c = arith.subi %b, %a : i8
        %d = arith.maxsi %c, %x1 : i8
        %e = arith.extsi %d : i8 to i32
        %k = arith.constant -70000 : i32
        %f = arith.muli %e, %k : i32
        %g = arith.addi %f, %f : i32
        %y = arith.minsi %g, %k : i32"""),
    "narrow": (("i32", "f16"), "f16", """
        %a = arith.trunci %x0 : i32 to i8
        %b = arith.sitofp %a : i8 to f32
        %c = arith.extf %x1 : f16 to f32
        %d = arith.mulf %b, %c : f32
        %y = arith.truncf %d : f32 to f16"""),
    "bits": (("f32", "i32"), "f32", """
        %a = math.absf %x0 : f32
        %b = arith.bitcast %a : f32 to i32
        %c = arith.maxsi %b, %x1 : i32
        %y = arith.bitcast %c : i32 to f32"""),
    "truth": (("f32", "i8"), "i8", """
        %k = arith.constant 0.5 : f32
        %p = arith.cmpf uge, %x0, %k : f32
        %no = arith.constant false
        %zero = arith.constant 0 : i8
        %a = arith.extsi %p : i1 to i8
        %b = arith.addi %a, %x1 : i8
        %q = arith.select %p, %no, %p : i1
        %y = arith.select %q, %zero, %b : i8"""),
}  # fmt: skip


def operations_text(lanes: int, chosen: Iterable[str] = OPERATIONS) -> str:
    """A kernel with one task per chosen entry of `OPERATIONS`."""
    inputs, results, body = [], [], []
    for name in chosen:
        types, result, payload = OPERATIONS[name]
        streams = [stream_type(f"4x16x{kind}", "2", "16", "0,d0") for kind in (*types, result)]
        for number, (kind, stream) in enumerate(zip(types, streams, strict=False)):
            inputs.append(Port(f"{name}_in{number}", f"tensor<4x32x{kind}>", stream))
        results.append(Port(f"{name}_out", f"tensor<4x32x{result}>", streams[-1]))
        sources = ", ".join(f"%{name}_in{number}_stream" for number in range(len(types)))
        scalars = ", ".join(f"%x{number}: {kind}" for number, kind in enumerate((*types, result)))
        maps = ", ".join(["affine_map<(d0,d1)->(d0,d1)>"] * (len(types) + 1))
        body.append(
            f'%{name}_out_stream = df.task "{name}" loops [1,2] tile [4,16] kinds "parallel,parallel" lanes {lanes} '
            f"accesses [{maps}] ins({sources} : {', '.join(streams[:-1])}) -> {streams[-1]} "
            f"{{\n^bb0({scalars}):\n{payload}\ndf.yield %y : {result}\n}}"
        )
    add_truths_between_tasks(inputs, results, body)
    return kernel_text(inputs, results, "\n".join(body))


def add_truths_between_tasks(inputs: list[Port], results: list[Port], body: list[str]) -> None:
    """A stream of i1, which no memory holds, from one task to another."""
    floats, truths, bytes_ = (stream_type(f"4x16x{kind}", "2", "16", "0,d0") for kind in ("f32", "i1", "i8"))
    inputs.append(Port("asked", "tensor<4x32xf32>", floats))
    results.append(Port("answers", "tensor<4x32xi8>", bytes_))
    head = 'loops [1,2] tile [4,16] kinds "parallel,parallel" lanes 16'
    maps = "accesses [affine_map<(d0,d1)->(d0,d1)>, affine_map<(d0,d1)->(d0,d1)>]"
    body.append(
        f'%truths = df.task "ask" {head} {maps} ins(%asked_stream : {floats}) -> {truths} {{\n'
        "^bb0(%x: f32, %r: i1):\n%p = arith.cmpf uno, %x, %x : f32\n%k = arith.constant 0.0 : f32\n"
        "%q = arith.cmpf ogt, %x, %k : f32\n%y = arith.select %p, %p, %q : i1\ndf.yield %y : i1\n}\n"
        f'%answers_stream = df.task "answer" {head} {maps} ins(%truths : {truths}) -> {bytes_} {{\n'
        "^bb0(%t: i1, %r: i8):\n%y = arith.extsi %t : i1 to i8\ndf.yield %y : i8\n}"
    )
