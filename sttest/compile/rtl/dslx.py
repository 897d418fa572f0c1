"""The operations of docs/reference/values.md in DSLX, the language of XLS: one function each, on the bits of operands.

XLS's own library is not imported: to read it takes longer than all else that a payload goes through.
"""

from sttest.reference.function_tables import LOG2_E, Quadratics, exp_table, rsqrt_table


def _table(table: Quadratics, name: str, index_bits: int) -> str:
    """A significand, rounded to 23 bits behind the point, from interval and offset; its leading one is bit 23 or 24."""
    size, bits = len(table.rows), table.offset_bits
    arrays = "\n".join(
        f"  let c{power} = s32[{size}]:[{', '.join(str(row[power]) for row in table.rows)}];" for power in range(3)
    )
    widths = [table.coefficient_bits(power) for power in range(3)]
    c0, c1, c2 = (f"(c{power}[interval] as s{width})" for power, width in enumerate(widths))
    return f"""\
fn {name}(interval: u{index_bits}, offset: u{bits}) -> u25 {{
{arrays}
  let t = offset as s{bits + 1};
  let bend = ({c2} as s{widths[2] + bits + 1}) * (t as s{widths[2] + bits + 1});
  let slope = {c1} + ((bend >> {bits}) as s{widths[1]});
  let rise = (slope as s{widths[1] + bits + 1}) * (t as s{widths[1] + bits + 1});
  let value = ({c0} as s32) + ((rise >> {bits}) as s32);
  ((value + s32:32) >> 6) as u25
}}
"""


_TEXTS = {
    "is_nan": """\
fn is_nan(x: u32) -> bool { x[0:31] > u31:0x7f800000 }
""",
    # The leading one of the significand is bit 25; bit 1 is the first to be dropped, bit 0 whether more were.
    "packed": """\
fn packed(sign: u1, exponent: s11, significand: u26) -> u32 {
  let up = significand[1:2] & (significand[0:1] | significand[2:3]);
  let whole = (significand[2:26] as u25) + (up as u25);
  let exponent = exponent + ((whole[24:25] as u11) as s11);
  if exponent < s11:1 { sign ++ u31:0 }
  else if exponent > s11:254 { sign ++ u31:0x7f800000 }
  else { sign ++ (exponent as u8) ++ whole[0:23] }
}
""",
    # The smaller one is shifted, to 24 bits and three more, the last of which says whether bits are lost.  A sum below
    # 2^-126 is exact.
    "addf": """\
fn addf(a: u32, b: u32) -> u32 {
  let (large, small) = if a[0:31] < b[0:31] { (b, a) } else { (a, b) };
  let left = if large[23:31] == u8:0 { u27:0 } else { u1:1 ++ large[0:23] ++ u3:0 };
  let right = if small[23:31] == u8:0 { u27:0 } else { u1:1 ++ small[0:23] ++ u3:0 };
  let shift = large[23:31] - small[23:31];
  let lost = (right & ((u27:1 << shift) - u27:1)) != u27:0;
  let aligned = (right >> shift) | (lost as u27);
  let sum = if a[31:32] == b[31:32] { (left as u28) + (aligned as u28) } else { (left as u28) - (aligned as u28) };
  let zeros = clz(sum);
  let shifted = sum << zeros;
  let exponent = ((large[23:31] as u11) as s11) + s11:1 - ((zeros as u11) as s11);
  let is_infinite = large[23:31] == u8:255;
  if is_nan(a) || is_nan(b) || (is_infinite && small[23:31] == u8:255 && a[31:32] != b[31:32]) { u32:0x7fc00000 }
  else if is_infinite { large }
  else if sum == u28:0 { (a[31:32] & b[31:32]) ++ u31:0 }
  else { packed(large[31:32], exponent, shifted[3:28] ++ (shifted[0:3] != u3:0)) }
}
""",
    # What a DSP multiplies: wider factors are cut, so that registers can lie between the parts and their sum.
    "product_17": """\
fn product_17(a: u24, b: u17) -> u41 { (a as u41) * (b as u41) }
""",
    "negf": """\
fn negf(x: u32) -> u32 { x ^ u32:0x80000000 }
""",
    "absf": """\
fn absf(x: u32) -> u32 { x & u32:0x7fffffff }
""",
    "subf": """\
fn subf(a: u32, b: u32) -> u32 { addf(a, negf(b)) }
""",
    "mulf": """\
fn mulf(a: u32, b: u32) -> u32 {
  let sign = a[31:32] ^ b[31:32];
  let left = u1:1 ++ a[0:23];
  let product = ((product_17(left, b[0:17]) as u48) + ((product_17(left, (u1:1 ++ b[17:23]) as u17) as u48) << 17));
  let shifted = if product[47:48] { product } else { product << 1 };
  let exponent = ((a[23:31] as u11) as s11) + ((b[23:31] as u11) as s11) - s11:127 + ((product[47:48] as u11) as s11);
  let result = packed(sign, exponent, shifted[23:48] ++ (shifted[0:23] != u23:0));
  let is_zero = (a[23:31] == u8:0) || (b[23:31] == u8:0);
  let is_infinite = (a[23:31] == u8:255) || (b[23:31] == u8:255);
  if is_nan(a) || is_nan(b) || (is_zero && is_infinite) { u32:0x7fc00000 }
  else if is_infinite { sign ++ u31:0x7f800000 }
  else if is_zero { sign ++ u31:0 }
  else { result }
}
""",
    # Restoring division, one bit of the quotient after the other.
    "divf": """\
fn divf(a: u32, b: u32) -> u32 {
  let sign = a[31:32] ^ b[31:32];
  let dividend = (u1:1 ++ a[0:23]) as u25;
  let divisor = (u1:1 ++ b[0:23]) as u25;
  let is_below = dividend < divisor;
  let start = if is_below { dividend << 1 } else { dividend };
  let (rest, quotient) = for (_, (rest, quotient)): (u32, (u25, u25)) in u32:0..u32:25 {
    let fits = rest >= divisor;
    let left = if fits { rest - divisor } else { rest };
    (left << 1, quotient[0:24] ++ fits)
  }((start, u25:0));
  let exponent = ((a[23:31] as u11) as s11) - ((b[23:31] as u11) as s11) + s11:127 - ((is_below as u11) as s11);
  let result = packed(sign, exponent, quotient ++ (rest != u25:0));
  let (a_zero, b_zero) = (a[23:31] == u8:0, b[23:31] == u8:0);
  let (a_infinite, b_infinite) = (a[23:31] == u8:255, b[23:31] == u8:255);
  if is_nan(a) || is_nan(b) || (a_zero && b_zero) || (a_infinite && b_infinite) { u32:0x7fc00000 }
  else if a_infinite || b_zero { sign ++ u31:0x7f800000 }
  else if a_zero || b_infinite { sign ++ u31:0 }
  else { result }
}
""",
    # The root bit by bit; the radicand is shifted to 50 bits, of which every step takes two.
    "sqrt": """\
fn sqrt(x: u32) -> u32 {
  let significand = (u1:1 ++ x[0:23]) as u50;
  let radicand = if x[23:24] { significand << 25 } else { significand << 26 };
  let (rest, root, _) = for (_, (rest, root, more)): (u32, (u28, u25, u50)) in u32:0..u32:25 {
    let rest = rest[0:26] ++ more[48:50];
    let trial = (root ++ u2:1) as u28;
    let fits = rest >= trial;
    (if fits { rest - trial } else { rest }, root[0:24] ++ fits, more << 2)
  }((u28:0, u25:0, radicand));
  let exponent = ((x[23:31] as u11) + u11:127) >> 1;
  if is_nan(x) { u32:0x7fc00000 }
  else if x[23:31] == u8:0 { x[31:32] ++ u31:0 }
  else if x[31:32] { u32:0x7fc00000 }
  else if x[23:31] == u8:255 { u32:0x7f800000 }
  else { packed(u1:0, exponent as s11, root ++ (rest != u28:0)) }
}
""",
    "exp_significand": _table(exp_table(), "exp_significand", 7),
    "exp": f"""\
fn exp(x: u32) -> u32 {{
  let left = u1:1 ++ x[0:23];
  let low = product_17(left, u17:{LOG2_E & 0x1FFFF});
  let high = product_17(left, u17:{LOG2_E >> 17});
  let product = (low as u58) + ((high as u58) << 17);
  let magnitude = if x[23:31] < u8:98 {{ u38:0 }} else {{ (product >> (u8:155 - x[23:31])) as u38 }};
  let power = if x[31:32] {{ -magnitude }} else {{ magnitude }};
  let whole = (power[28:38] as s10) as s11;
  let significand = exp_significand(power[21:28], power[0:21]);
  let exponent = whole + s11:127 + ((significand[24:25] as u11) as s11);
  if is_nan(x) {{ u32:0x7fc00000 }}
  else if x[23:31] > u8:133 {{ if x[31:32] {{ u32:0 }} else {{ u32:0x7f800000 }} }}
  else if exponent > s11:254 {{ u32:0x7f800000 }}
  else if exponent < s11:1 {{ u32:0 }}
  else {{ u1:0 ++ (exponent as u8) ++ significand[0:23] }}
}}
""",
    "rsqrt_significand": _table(rsqrt_table(), "rsqrt_significand", 8),
    "rsqrt": """\
fn rsqrt(x: u32) -> u32 {
  let significand = rsqrt_significand(x[16:24], x[0:16]);
  let halved = ((x[23:31] as u9) + u9:1) >> 1;
  let exponent = u9:190 - halved + (significand[24:25] as u9);
  if is_nan(x) { u32:0x7fc00000 }
  else if x[23:31] == u8:0 { x[31:32] ++ u31:0x7f800000 }
  else if x[31:32] { u32:0x7fc00000 }
  else if x[23:31] == u8:255 { u32:0 }
  else { u1:0 ++ (exponent as u8) ++ significand[0:23] }
}
""",
    "tanh": """\
fn tanh(x: u32) -> u32 {
  let magnitude = absf(x);
  let denominator = addf(exp(addf(magnitude, magnitude)), u32:0x3f800000);
  let result = subf(u32:0x3f800000, divf(u32:0x40000000, denominator));
  if is_nan(x) { u32:0x7fc00000 } else { x[31:32] ++ result[0:31] }
}
""",
    "roundeven": """\
fn roundeven(x: u32) -> u32 {
  let unit = u31:1 << (u8:150 - x[23:31]);
  let is_odd = (x[0:31] & unit) != u31:0;
  let rounded = (x[0:31] + (unit >> 1) - u31:1 + (is_odd as u31)) & !(unit - u31:1);
  if x[23:31] > u8:149 { x }
  else if x[23:31] > u8:126 { x[31:32] ++ rounded }
  else if x[0:31] > u31:0x3f000000 { x[31:32] ++ u31:0x3f800000 }
  else { x[31:32] ++ u31:0 }
}
""",
    "ordered": """\
fn ordered(x: u32, nan: s32) -> s32 {
  if is_nan(x) { nan } else if x[31:32] { (x ^ u32:0x7fffffff) as s32 } else { x as s32 }
}
""",
    "maximumf": """\
fn maximumf(a: u32, b: u32) -> u32 { if ordered(a, s32:0x7fffffff) < ordered(b, s32:0x7fffffff) { b } else { a } }
""",
    "minimumf": """\
fn minimumf(a: u32, b: u32) -> u32 { if ordered(b, s32:-2147483648) < ordered(a, s32:-2147483648) { b } else { a } }
""",
    # Whether two numbers are less, equal, greater and unordered; zeros, and what counts as such, are equal.
    "relations": """\
fn relations(a: u32, b: u32) -> (bool, bool, bool, bool) {
  let left = if a[23:31] == u8:0 { s32:0 } else { ordered(a, s32:0) };
  let right = if b[23:31] == u8:0 { s32:0 } else { ordered(b, s32:0) };
  let unordered = is_nan(a) || is_nan(b);
  (!unordered && left < right, !unordered && left == right, !unordered && left > right, unordered)
}
""",
    "sitofp": """\
fn sitofp(x: s32) -> u32 {
  let magnitude = (if x < s32:0 { -x } else { x }) as u32;
  let zeros = clz(magnitude);
  let shifted = magnitude << zeros;
  let result = packed((x < s32:0) as u1, s11:158 - (zeros as s11), shifted[7:32] ++ (shifted[0:7] != u7:0));
  if x == s32:0 { u32:0 } else { result }
}
""",
    # Towards zero; what fits no 32 bits, and NaN, become anything.
    "fptosi": """\
fn fptosi(x: u32) -> u32 {
  let significand = u1:1 ++ x[0:23];
  let magnitude = if x[23:31] < u8:127 { u32:0 }
    else if x[23:31] > u8:150 { (significand as u32) << (x[23:31] - u8:150) }
    else { (significand >> (u8:150 - x[23:31])) as u32 };
  if x[31:32] { -magnitude } else { magnitude }
}
""",
    # To the nearest integer, halves to the even one, between bounds below 2^22; 0 for NaN.
    "rounded": """\
fn rounded(x: u32, low: s32, high: s32) -> s32 {
  let significand = (u1:1 ++ x[0:23]) ++ u2:0;
  let shift = u8:150 - x[23:31];
  let shifted = significand >> shift;
  let dropped = shifted[0:2] ++ ((significand & ((u26:1 << shift) - u26:1)) != u26:0);
  let up = dropped[2:3] & (dropped[0:1] | dropped[1:2] | shifted[2:3]);
  let magnitude = ((shifted[2:26] as u32) + (up as u32)) as s32;
  let number = if x[23:31] < u8:126 { s32:0 } else if x[31:32] { -magnitude } else { magnitude };
  let beyond = if x[31:32] { low } else { high };
  if is_nan(x) { s32:0 }
  else if x[23:31] > u8:149 { beyond }
  else if number < low { low }
  else if number > high { high }
  else { number }
}
""",
    "extf": """\
fn extf(x: u16) -> u32 {
  let zeros = clz(x[0:10]);
  let fraction = (x[0:10] << (zeros + u10:1)) ++ u13:0;
  if x[10:15] == u5:31 { x[15:16] ++ u8:255 ++ x[0:10] ++ u13:0 }
  else if x[10:15] != u5:0 { x[15:16] ++ ((x[10:15] as u8) + u8:112) ++ x[0:10] ++ u13:0 }
  else if x[0:10] == u10:0 { x[15:16] ++ u31:0 }
  else { x[15:16] ++ (u8:112 - (zeros as u8)) ++ fraction }
}
""",
    "truncf": """\
fn truncf(x: u32) -> u16 {
  let normal = (x[0:31] - u31:0x38000000 + u31:0xfff + (x[13:14] as u31)) >> 13;
  // Below 2^-14: multiples of 2^-24.
  let significand = (u1:1 ++ x[0:23]) ++ u2:0;
  let shift = if x[23:31] < u8:101 { u8:25 } else { u8:126 - x[23:31] };
  let shifted = significand >> shift;
  let sticky = shifted[0:1] | ((significand & ((u26:1 << shift) - u26:1)) != u26:0);
  let up = shifted[1:2] & (sticky | shifted[2:3]);
  let small = (shifted[2:13] as u15) + (up as u15);
  if is_nan(x) { x[31:32] ++ u15:0x7e00 }
  else if x[0:31] >= u31:0x477ff000 { x[31:32] ++ u15:0x7c00 }
  else if x[23:31] > u8:112 { x[31:32] ++ (normal as u15) }
  else { x[31:32] ++ small }
}
""",
}
"""Functions in the order in which they are written: a function stands after those that it calls."""
_CALLS = {
    "addf": ("is_nan", "packed"),
    "subf": ("addf", "negf"),
    "sitofp": ("packed",),
    "mulf": ("is_nan", "packed", "product_17"),
    "divf": ("is_nan", "packed"),
    "sqrt": ("is_nan", "packed"),
    "exp": ("is_nan", "exp_significand", "product_17"),
    "rsqrt": ("is_nan", "rsqrt_significand"),
    "tanh": ("is_nan", "absf", "addf", "subf", "divf", "exp"),
    "ordered": ("is_nan",),
    "maximumf": ("ordered",),
    "minimumf": ("ordered",),
    "relations": ("is_nan", "ordered"),
    "rounded": ("is_nan",),
    "truncf": ("is_nan",),
}


def definitions(names: set[str]) -> str:
    """The text of functions and of those that they call."""
    needed = {*names}
    while (more := needed.union(*(_CALLS.get(name, ()) for name in needed))) != needed:
        needed = more
    return "\n".join(text for name, text in _TEXTS.items() if name in needed)
