"""Operations that Vivado and Vitis HLS put into their bitcode, as LLVM text that can be executed.

FIFO accesses, requests to memory and declarations of channels become calls of recorders; operations on bits, which are
declared only in some versions, get a body.  ``llvm.part.select`` and ``llvm.part.set`` are no intrinsics of LLVM's.
"""

import re

from sttest.importers.solution.program import READ_REQUEST, WRITE_REQUEST

_FLOATS = {"half": 16, "float": 32, "double": 64}
_NAMES = re.compile(r"_ssdm_(?:op_)?(?:Spec|Return|Wait|Loop|Set)|_ssdm_(?:InlineSelf|inline)")


def split_arguments(text: str) -> list[str]:
    """Parts of a list between commas that stand in no brackets and no quotes."""
    parts, depth, quoted, begin = [], 0, False, 0
    for place, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted:
            depth += (char in "([{<") - (char in ")]}>")
            if char == "," and depth == 0:
                parts.append(text[begin:place].strip())
                begin = place + 1
    last = text[begin:].strip()
    return [*parts, last] if last else parts


def bits_of(kind: str) -> int:
    """Bits of an integer or floating type; 0 of others."""
    return int(kind[1:]) if re.fullmatch(r"i\d+", kind) else _FLOATS.get(kind, 0)


def element_bits(text: str) -> int:
    """Bits of the scalar that a type at the beginning of a text is made of."""
    array = re.match(r"(?:\[\d+ x )*(i\d+|half|float|double)\b", text)
    return bits_of(array[1]) if array else 0


def storage_bytes(bits: int) -> int:
    """Bytes from an element of an array to the next."""
    used = (bits + 7) // 8
    return next((size for size in (1, 2, 4, 8) if used <= size), (used + 15) // 16 * 16)


RECORDERS = """
@sttest.count = global i64 0
@sttest.most = global i64 0
@sttest.entries = global ptr null
declare void @sttest.full()
declare void @sttest.pop(ptr, ptr, i64)
declare void @sttest.push(ptr, ptr, i64)
declare void @sttest.request(ptr, i64, i64)
declare i64 @sttest.beat(ptr, i64, i64)
define void @sttest.record(i64 %entry) {
  %count = load i64, ptr @sttest.count
  %most = load i64, ptr @sttest.most
  %fits = icmp ult i64 %count, %most
  br i1 %fits, label %write, label %full
write:
  %entries = load ptr, ptr @sttest.entries
  %place = getelementptr i64, ptr %entries, i64 %count
  store i64 %entry, ptr %place
  %next = add i64 %count, 1
  store i64 %next, ptr @sttest.count
  ret void
full:
  call void @sttest.full()
  ret void
}
define void @sttest.access(ptr %pointer, i64 %kind) {
  %number = ptrtoint ptr %pointer to i64
  %shifted = shl i64 %number, 3
  %entry = or i64 %shifted, %kind
  call void @sttest.record(i64 %entry)
  ret void
}
define void @sttest.channel(ptr %pointer, i64 %number) {
  call void @sttest.access(ptr %pointer, i64 5)
  %shifted = shl i64 %number, 3
  call void @sttest.record(i64 %shifted)
  ret void
}
"""
SLOT_BYTES = 4096
"""Of one argument of the top in the block that its entry takes."""


def entry(name: str, result: str, types: list[str]) -> str:
    """A function ``sttest.main`` that calls the top with arguments from a block of slots."""
    lines = ["define void @sttest.main(ptr %slots) {"]
    for place, kind in enumerate(types):
        lines.append(f"  %s{place} = getelementptr i8, ptr %slots, i64 {SLOT_BYTES * place}")
        lines.append(f"  %a{place} = load {kind}, ptr %s{place}, align 16")
    arguments = ", ".join(f"{kind} %a{place}" for place, kind in enumerate(types))
    lines.append(f"  {'' if result == 'void' else '%r = '}call {result} {name}({arguments})")
    return "\n".join([*lines, "  ret void", "}", ""])


def needed_selects(text: str) -> str:
    """Definitions of selections of bits that definitions here call and the bitcode did not declare."""
    called = set(re.findall(r'call \S+ @"xlnx\.part\.select\.(i\d+)"', text))
    there = set(re.findall(r'define \S+ @"xlnx\.part\.select\.(i\d+)"', text))
    return "\n".join(_part_select(f'@"xlnx.part.select.{kind}"', kind) for kind in sorted(called - there)) + "\n"


def definition(name: str, symbol: str, result: str, types: list[str], *, takes_more: bool) -> str | None:
    """Text of an operation of the tool; None of what keeps its own body.

    Args:
        name: of the function.
        symbol: the name as text has it.
        result: type of what it returns.
        types: types of its parameters.
        takes_more: whether it takes further arguments.
    """
    if found := re.fullmatch(r"llvm\.part\.select\.(i\d+)", name):
        return _part_select(symbol, found[1])
    if found := re.fullmatch(r"llvm\.part\.set\.(i\d+)\.(i\d+)", name):
        return _part_set(symbol, found[1], found[2])
    if takes_more and _NAMES.match(name):
        return f"define {result} {symbol}(...) {{\n{_nothing(result)}"
    head = f"define {result} {symbol}({', '.join(f'{kind} %a{place}' for place, kind in enumerate(types))}) {{\n"
    if _NAMES.match(name):
        return head + _nothing(result)
    plain = _with_plain_pointers(head, types)
    if found := re.match(r"_autotb_Fifo(Read|Write)_", name):
        return plain + (_fifo_read(result) if found[1] == "Read" else _fifo_write(result, types))
    if found := re.match(r"_ssdm_op_(\w+)\.(axis|m_axi)\b", name):
        body = _axis(found[1], result, types) if found[2] == "axis" else _memory(found[1], result, types)
        return None if body is None else (plain if found[2] == "axis" else head) + body
    if found := re.match(r"_ssdm_op_MemShiftRead\.\[(\d+) x (i\d+)\]P", name):
        return head + _shift_read(int(found[1]), found[2])
    if found := re.match(r"_ssdm_op_PartSelect\.(i\d+)\.(i\d+)\.", name):
        return head + _select(found[1], found[2], len(types))
    if found := re.match(r"_ssdm_op_BitConcatenate\.(i\d+)\.", name):
        return head + _concatenate(found[1], types)
    return None


def _with_plain_pointers(head: str, types: list[str]) -> str:
    """A head behind which pointers of any address space are plain ones."""
    for place, kind in enumerate(types):
        if "addrspace" in kind:
            head = head.replace(f"{kind} %a{place}", f"{kind} %there{place}", 1)
            head += f"  %a{place} = addrspacecast {kind} %there{place} to ptr\n"
    return head


def _nothing(result: str) -> str:
    return ("  ret void\n}" if result == "void" else f"  ret {result} zeroinitializer\n}}") + "\n"


def _resized(value: str, kind: str, wanted: str, out: str) -> str:
    """``out`` is the value, extended with zeros or cut."""
    have, want = bits_of(kind), bits_of(wanted)
    if have == want:
        return f"  {out} = add {kind} {value}, 0\n"
    return f"  {out} = {'zext' if have < want else 'trunc'} {kind} {value} to {wanted}\n"


def _range(kind: str, first: str, last: str) -> str:
    """``%lo`` and, as ``%mask``, ones for the width of a range of bits, given in either direction."""
    return (
        f"  %forward = icmp ule i32 {first}, {last}\n"
        f"  %lo32 = select i1 %forward, i32 {first}, i32 {last}\n"
        f"  %hi32 = select i1 %forward, i32 {last}, i32 {first}\n"
        f"  %less = sub i32 %hi32, %lo32\n  %unused32 = sub i32 {bits_of(kind) - 1}, %less\n"
        + _resized("%lo32", "i32", kind, "%lo") + _resized("%unused32", "i32", kind, "%unused")
        + f"  %mask = lshr {kind} -1, %unused\n"
    )  # fmt: skip


def _part_select(symbol: str, kind: str) -> str:
    """Bits ``lo`` to ``hi`` moved down, in reverse where ``hi`` is less."""
    head = f"define {kind} {symbol}({kind} %a0, i32 %a1, i32 %a2) {{\n"
    if kind == "i1":
        return head + "  ret i1 %a0\n}\n"
    reverse = _reversed(kind)
    return reverse + head + _range(kind, "%a1", "%a2") + (
        f"  %down = lshr {kind} %a0, %lo\n  %part = and {kind} %down, %mask\n"
        f"  %turned = call {kind} @sttest.reverse.{kind}({kind} %part)\n  %back = lshr {kind} %turned, %unused\n"
        f"  %out = select i1 %forward, {kind} %part, {kind} %back\n  ret {kind} %out\n}}\n"
    )  # fmt: skip


def _reversed(kind: str) -> str:
    """A function that reverses all bits, of any width: LLVM's own is for whole bytes on some of its versions."""
    return f"""define linkonce_odr {kind} @sttest.reverse.{kind}({kind} %x) {{
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %from = phi {kind} [ %x, %entry ], [ %rest, %loop ]
  %to = phi {kind} [ 0, %entry ], [ %more, %loop ]
  %bit = and {kind} %from, 1
  %up = shl {kind} %to, 1
  %more = or {kind} %up, %bit
  %rest = lshr {kind} %from, 1
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, {bits_of(kind)}
  br i1 %done, label %exit, label %loop
exit:
  ret {kind} %more
}}
"""


def _part_set(symbol: str, kind: str, part: str) -> str:
    """A value with bits ``lo`` to ``hi`` replaced, in reverse where ``hi`` is less."""
    return _reversed(kind).replace("sttest.reverse", f"sttest.set.{part}") + (
        f"define {kind} {symbol}({kind} %a0, {part} %a1, i32 %a2, i32 %a3) {{\n"
        + _range(kind, "%a2", "%a3") + _resized("%a1", part, kind, "%wide")
        + f"  %part = and {kind} %wide, %mask\n  %turned = call {kind} @sttest.set.{part}.{kind}({kind} %part)\n"
        f"  %back = lshr {kind} %turned, %unused\n  %in = select i1 %forward, {kind} %part, {kind} %back\n"
        f"  %there = shl {kind} %mask, %lo\n  %others = xor {kind} %there, -1\n  %kept = and {kind} %a0, %others\n"
        f"  %up = shl {kind} %in, %lo\n  %out = or {kind} %kept, %up\n  ret {kind} %out\n}}\n"
    )  # fmt: skip


def _select(result: str, kind: str, arguments: int) -> str:
    """Bits between two places; where only the lowest is given, as many as the result has."""
    last = f"  %a2 = add i32 %a1, {bits_of(result) - 1}\n" if arguments == 2 else ""
    return (
        last
        + f'  %x = call {kind} @"xlnx.part.select.{kind}"({kind} %a0, i32 %a1, i32 %a2)\n'
        + _resized("%x", kind, result, "%y") + f"  ret {result} %y\n}}\n"
    )  # fmt: skip


def _concatenate(result: str, types: list[str]) -> str:
    """The last operand is the lowest part."""
    text, value, shift = "", "0", 0
    for place in reversed(range(len(types))):
        text += _resized(f"%a{place}", types[place], result, f"%z{place}")
        text += f"  %h{place} = shl {result} %z{place}, {shift}\n  %o{place} = or {result} {value}, %h{place}\n"
        value, shift = f"%o{place}", shift + bits_of(types[place])
    return text + f"  ret {result} {value}\n}}\n"


def _shift_read(length: int, kind: str) -> str:
    """Shifts a value in at element 0 and returns what leaves; the pointer is that of the last element."""
    text = "  br i1 %a2, label %go, label %no\nno:\n" + f"  ret {kind} 0\ngo:\n  %out = load {kind}, ptr %a0\n"
    for place in range(1, length):
        text += f"  %p{place} = getelementptr {kind}, ptr %a0, i64 {-place}\n"
        text += f"  %v{place} = load {kind}, ptr %p{place}\n"
        text += f"  store {kind} %v{place}, ptr {f'%p{place - 1}' if place > 1 else '%a0'}\n"
    return text + f"  store {kind} %a1, ptr {f'%p{length - 1}' if length > 1 else '%a0'}\n  ret {kind} %out\n}}\n"


def _stored_bytes(kind: str) -> int:
    return (bits_of(kind) + 7) // 8


def _popped(kind: str, place: int) -> str:
    return (
        f"  %s{place} = alloca {kind}, align 16\n  store {kind} zeroinitializer, ptr %s{place}\n"
        f"  call void @sttest.pop(ptr %a{place}, ptr %s{place}, i64 {_stored_bytes(kind)})\n"
        f"  %v{place} = load {kind}, ptr %s{place}\n"
    )


def _pushed(kind: str, pointer: int, value: int) -> str:
    return (
        f"  %s{pointer} = alloca {kind}, align 16\n  store {kind} %a{value}, ptr %s{pointer}\n"
        f"  call void @sttest.push(ptr %a{pointer}, ptr %s{pointer}, i64 {_stored_bytes(kind)})\n"
    )


def _fifo_read(result: str) -> str:
    return f"  call void @sttest.access(ptr %a0, i64 1)\n{_popped(result, 0)}  ret {result} %v0\n}}\n"


def _fifo_write(result: str, types: list[str]) -> str:
    pointer = next(place for place, kind in enumerate(types) if kind.startswith("ptr"))
    value = 1 - pointer
    text = f"  call void @sttest.access(ptr %a{pointer}, i64 2)\n{_pushed(types[value], pointer, value)}"
    return text + _nothing(result)


def _axis(kind: str, result: str, types: list[str]) -> str | None:
    """Streams of the top: always ready, so that they are passed on and not recorded."""
    if kind == "Read":
        parts = split_arguments(result.strip("{} ")) if result.startswith("{") else [result]
        if len(parts) != len(types):
            return None
        text = "".join(_popped(part, place) for place, part in enumerate(parts))
        if not result.startswith("{"):
            return text + f"  ret {result} %v0\n}}\n"
        value = "poison"
        for place, part in enumerate(parts):
            text += f"  %m{place} = insertvalue {result} {value}, {part} %v{place}, {place}\n"
            value = f"%m{place}"
        return text + f"  ret {result} {value}\n}}\n"
    if kind == "Write" and len(types) % 2 == 0:
        half = len(types) // 2
        return "".join(_pushed(types[half + place], place, half + place) for place in range(half)) + _nothing(result)
    return None


def _memory(kind: str, result: str, types: list[str]) -> str | None:
    """Ports to memory: a request with its beats, a beat, a response.

    All beats of a burst have the pointer of its request; whoever runs the bitcode says where the next one is.
    """
    there = types[0]
    plain = f"addrspacecast {there} %a0 to ptr" if "addrspace" in there else "getelementptr i8, ptr %a0, i64 0"
    text = f"  %p = {plain}\n"
    match kind:
        case "ReadReq" | "WriteReq":
            number = READ_REQUEST if kind == "ReadReq" else WRITE_REQUEST
            text += f"  call void @sttest.access(ptr %p, i64 {number})\n"
            text += _resized("%a1", types[1], "i64", "%beats")
            text += f"  call void @sttest.request(ptr %p, i64 {number}, i64 %beats)\n"
            text += "  %shifted = shl i64 %beats, 3\n  call void @sttest.record(i64 %shifted)\n"
            return text + (f"  ret {result} true\n}}\n" if result == "i1" else _nothing(result))
        case "WriteResp":
            text += "  call void @sttest.access(ptr %p, i64 6)\n"
            return text + (f"  ret {result} true\n}}\n" if result == "i1" else _nothing(result))
        case "Read":
            text += f"  call void @sttest.access(ptr %p, i64 1)\n{_beat(READ_REQUEST, result)}"
            return text + f"  %v = load {result}, ptr %b\n  ret {result} %v\n}}\n"
        case "Write":
            text += f"  call void @sttest.access(ptr %p, i64 2)\n{_beat(WRITE_REQUEST, types[1])}"
            return text + _stored(types[1:]) + _nothing(result)
        case _:
            return None


def _beat(request: int, kind: str) -> str:
    """``%b`` is where the next beat of such a request is."""
    step = storage_bytes(bits_of(kind)) if bits_of(kind) else 0
    return f"  %n = call i64 @sttest.beat(ptr %p, i64 {request}, i64 {step})\n  %b = inttoptr i64 %n to ptr\n"


def _stored(types: list[str]) -> str:
    """The store of a beat: a value and, where there is one, a strobe with a bit for each byte that is written."""
    kind, *others = types
    count = bits_of(others[0]) if others else 0
    if not count or 8 * count != bits_of(kind) or kind in _FLOATS:
        return f"  store {kind} %a1, ptr %b\n"
    text, mask = f"  %old = load {kind}, ptr %b\n", "0"
    for place in range(count):
        text += (
            f"  %s{place} = and {others[0]} %a2, {1 << place}\n  %t{place} = icmp ne {others[0]} %s{place}, 0\n"
            f"  %m{place} = select i1 %t{place}, {kind} {255 << 8 * place}, {kind} 0\n"
            f"  %o{place} = or {kind} {mask}, %m{place}\n"
        )
        mask = f"%o{place}"
    return text + (
        f"  %off = xor {kind} {mask}, -1\n  %kept = and {kind} %old, %off\n  %in = and {kind} %a1, {mask}\n"
        f"  %new = or {kind} %kept, %in\n  store {kind} %new, ptr %b\n"
    )
