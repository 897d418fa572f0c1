"""Small inline functions of emitted C++: each is written once, at the top of the file, if something calls it."""

from dataclasses import dataclass, field
from operator import attrgetter
from textwrap import wrap

from sttest.compile.decoders import Decoder
from sttest.compile.hls.types import F16, F32, Element
from sttest.reference.function_tables import LOG2_E, Quadratics, exp_table, rsqrt_table

_PRODUCT = """\
// A product of integers in %s.
static inline ap_int<32> %s(ap_int<32> a, ap_int<32> b) {
#pragma HLS inline
  ap_int<32> product;
#pragma HLS bind_op variable=product op=mul impl=%s
  product = a * b;
  return product;
}
"""


def _rom(table: Quadratics) -> str:
    """Constant arrays of the coefficients, lines of at most 120 letters."""
    lines: list[str] = []
    for power in range(len(table.rows[0])):
        numbers = ", ".join(str(row[power]) for row in table.rows)
        lines += [f"  static const int c{power}[{len(table.rows)}] = {{", *wrap(numbers, 116), "  };"]
    return "\n".join(line if line.startswith("  ") else f"    {line}" for line in lines)


# In the order in which they are written: a function stands after those that it calls.
_TEXTS = {
    "float_of_bits": """\
// The binary32 number with these bits.
static inline float float_of_bits(unsigned int bits) {
  union { unsigned int bits; float value; } both;
  both.bits = bits;
  return both.value;
}
""",
    "bits_of_float": """\
// The bits of a binary32 number.
static inline unsigned int bits_of_float(float value) {
  union { unsigned int bits; float value; } both;
  both.value = value;
  return both.bits;
}
""",
    "ordered": """\
// An integer that is ordered as the binary32 numbers are, -0 below +0; `nan` for all that are none.
static inline int ordered(float value, int nan) {
  const int bits = static_cast<int>(bits_of_float(value));
  if ((bits & 0x7fffffff) > 0x7f800000) return nan;
  return bits < 0 ? bits ^ 0x7fffffff : bits;
}
""",
    "larger": """\
// The larger of two, NaN if one of them is; +0 is larger than -0 (MLIR's maximumf).
static inline float larger(float a, float b) {
  return ordered(a, 0x7fffffff) < ordered(b, 0x7fffffff) ? b : a;
}
""",
    "smaller": """\
// The smaller of two, NaN if one of them is; -0 is smaller than +0 (MLIR's minimumf).
static inline float smaller(float a, float b) {
  return ordered(b, -0x7fffffff - 1) < ordered(a, -0x7fffffff - 1) ? b : a;
}
""",
    "rounded": """\
// The nearest integer, halves to the even one, saturated at whole numbers below 2^22 (0 for NaN, which has none).
static inline int rounded(float value, int low, int high) {
  const unsigned int bits = bits_of_float(value), exponent = (bits >> 23) & 0xffu, below = bits & 0x7fffffu;
  if (exponent >= 150u) return exponent == 0xffu && below ? 0 : bits >> 31 ? low : high;  // from 2^23 on, or NaN
  if (exponent < 126u) return low > 0 ? low : high < 0 ? high : 0;  // below a half
  const unsigned int significand = below | 0x800000u, shift = 150u - exponent;
  const unsigned int whole = significand >> shift, rest = significand & ((1u << shift) - 1u), tie = 1u << (shift - 1u);
  const int up = rest > tie || (rest == tie && (whole & 1u)), magnitude = static_cast<int>(whole) + up;
  const int number = bits >> 31 ? -magnitude : magnitude;
  return number < low ? low : number > high ? high : number;
}
""",
    "significand": """\
// A number from 1 to 2 with 23 bits behind the point, rounded from 29: c0 + c1 t + c2 t^2, where t counts parts of
// 2^-BITS and products are floored.
template <int BITS>
static inline int significand(ap_int<31> c0, ap_int<24> c1, ap_int<16> c2, ap_int<BITS + 1> t) {
#pragma HLS inline
  const ap_int<24> slope = c1 + ((c2 * t) >> BITS);
  const ap_int<32> value = c0 + ((slope * t) >> BITS), rounded_value = (value + 32) >> 6;
  return rounded_value.to_int();
}
""",
    "exp_f32": f"""\
// exp(x) = 2^(x log2(e)): the whole part of the product is the exponent, its fraction goes through a table.
static inline float exp_f32(float x) {{
#pragma HLS inline
{_rom(exp_table())}
  const unsigned int bits = bits_of_float(x), exponent = (bits >> 23) & 0xffu, fraction = bits & 0x7fffffu;
  if (exponent == 0xffu && fraction) return x;  // NaN
  if (exponent >= 134u) return bits >> 31 ? 0.0f : float_of_bits(0x7f800000u);  // from 128 on
  if (exponent < 98u) return 1.0f;  // below 2^-29
  const ap_uint<58> product = ap_uint<24>(fraction | 0x800000u) * ap_uint<34>({LOG2_E}ULL);
  const ap_int<38> magnitude = product >> (155u - exponent), power = bits >> 31 ? ap_int<38>(-magnitude) : magnitude;
  const int whole = ap_int<10>(power.range(37, 28)).to_int(), n = ap_uint<7>(power.range(27, 21)).to_int();
  if (whole >= 128) return float_of_bits(0x7f800000u);
  if (whole < -127) return 0.0f;
  const int number = (whole + 126) * 0x800000 + significand<21>(c0[n], c1[n], c2[n], ap_uint<21>(power.range(20, 0)));
  return number < 0x800000 ? 0.0f : float_of_bits(static_cast<unsigned int>(number));
}}
""",
    "rsqrt_f32": f"""\
// 1 / sqrt(x): half the exponent, and a significand from a table by the exponent's last bit and the fraction's first.
static inline float rsqrt_f32(float x) {{
#pragma HLS inline
{_rom(rsqrt_table())}
  const unsigned int bits = bits_of_float(x), exponent = (bits >> 23) & 0xffu, n = (bits >> 16) & 0xffu;
  if (exponent == 0u) return float_of_bits((bits & 0x80000000u) | 0x7f800000u);
  if (exponent == 0xffu && bits & 0x7fffffu) return x;  // NaN
  if (bits >> 31) return float_of_bits(0x7fc00000u);
  if (exponent == 0xffu) return 0.0f;
  const int halved = static_cast<int>((exponent + 1u) >> 1);
  const int number = (189 - halved) * 0x800000 + significand<16>(c0[n], c1[n], c2[n], ap_uint<16>(bits & 0xffffu));
  return float_of_bits(static_cast<unsigned int>(number));
}}
""",
    "tanh_f32": """\
// tanh(x) = 1 - 2 / (exp(2 |x|) + 1) under the sign of x.
static inline float tanh_f32(float x) {
#pragma HLS inline
  const float magnitude = hls::fabs(x), power = exp_f32(magnitude + magnitude), part = 2.0f / (power + 1.0f);
  return float_of_bits(bits_of_float(1.0f - part) | (bits_of_float(x) & 0x80000000u));
}
""",
    "dsp_product": _PRODUCT % ("a DSP, which the tool would make of LUTs if they are narrow", "dsp_product", "dsp"),
    "lut_product": _PRODUCT % ("LUTs", "lut_product", "fabric"),
    "two_products": """\
// Two products that share a factor, of one multiplication in a DSP: the upper one lacks 1 where the lower is negative.
template <int SHARED, int OTHER>
static inline void two_products(ap_int<SHARED> shared, ap_int<OTHER> low, ap_int<OTHER> high,
                                ap_int<SHARED + OTHER>& with_low, ap_int<SHARED + OTHER>& with_high) {
#pragma HLS inline
  const ap_int<SHARED + 2 * OTHER + 1> factors = (ap_int<SHARED + 2 * OTHER + 1>(high) << (SHARED + OTHER)) + low;
  ap_int<2 * SHARED + 2 * OTHER + 1> both;
#pragma HLS bind_op variable=both op=mul impl=dsp
  both = factors * shared;
  with_low = both;
  with_high = (both >> (SHARED + OTHER)) + (both[SHARED + OTHER - 1] ? 1 : 0);
}
""",
    "tree_sum": """\
// The sums of neighbors, of neighboring sums and so on, each behind the terms.
template <int SUMS, int SIZE, class T>
static inline T tree_sum(T (&term)[SIZE]) {
#pragma HLS inline
  tree: for (int n = 0; n < SUMS; ++n) {
#pragma HLS unroll
    term[SUMS + 1 + n] = term[2 * n] + term[2 * n + 1];
  }
  return term[SIZE - 1];
}
""",
    "rotate": """\
// Elements are moved up by so many STEPs, those at the end to the front.
template <int OUTER, int SIZE, int INNER, int STEP, int STAGES, class T>
static inline void rotate(T (&element)[OUTER * SIZE * INNER], int steps) {
#pragma HLS inline
  stages: for (int stage = 0; stage < STAGES; ++stage) {
#pragma HLS unroll
    T before[OUTER * SIZE * INNER];
#pragma HLS array_partition variable=before type=complete dim=1
    keep: for (int n = 0; n < OUTER * SIZE * INNER; ++n) {
#pragma HLS unroll
      before[n] = element[n];
    }
    move: for (int n = 0; n < OUTER * SIZE * INNER; ++n) {
#pragma HLS unroll
      const int place = n / INNER % SIZE, from = (place + SIZE - (STEP << stage) % SIZE) % SIZE;
      element[n] = (steps >> stage) & 1 ? before[n + (from - place) * INNER] : before[n];
    }
  }
}
""",
    "half_of_bits": """\
// The binary16 number with these bits, by way of the equal binary32 number (a half can't be in a union).
static inline half half_of_bits(unsigned int bits) {
  const unsigned int sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu;
  unsigned int fraction = bits & 0x3ffu;
  unsigned int wide = exponent == 0x1fu ? 0xffu : exponent ? exponent + 112u : fraction ? 113u : 0u;
  if (exponent == 0 && fraction) {  // below 2^-14: multiples of 2^-24, whose first one becomes the hidden bit
    if (fraction < 0x8u) { fraction <<= 8; wide -= 8u; }  // as many zeros in front as all shifts together
    if (fraction < 0x80u) { fraction <<= 4; wide -= 4u; }
    if (fraction < 0x200u) { fraction <<= 2; wide -= 2u; }
    if (fraction < 0x400u) { fraction <<= 1; wide -= 1u; }
  }
  return half(float_of_bits(sign | (wide << 23) | ((fraction & 0x3ffu) << 13)));
}
""",
    "bits_of_half": """\
// The bits of a binary16 number, which binary32 holds exactly.
static inline unsigned int bits_of_half(half value) {
  const unsigned int bits = bits_of_float(static_cast<float>(value));
  const unsigned int sign = (bits >> 16) & 0x8000u, exponent = (bits >> 23) & 0xffu, fraction = (bits >> 13) & 0x3ffu;
  if (exponent == 0xffu) return sign | 0x7c00u | fraction;
  if (exponent >= 113u) return sign | ((exponent - 112u) << 10) | fraction;
  if (exponent < 103u) return sign;
  return sign | ((fraction | 0x400u) >> (113u - exponent));  // below 2^-14: multiples of 2^-24
}
""",
}
WORDS = """\
// All words of a token at once, each through a FIFO of its own.
template <int WORDS, class T>
static void read_words(fifo<T> (&from)[WORDS], T (&token)[WORDS]) {
#pragma HLS inline
  words: for (int w = 0; w < WORDS; ++w) {
#pragma HLS unroll
    token[w] = from[w].read();
  }
}

template <int WORDS, class T>
static void write_words(fifo<T> (&to)[WORDS], const T (&token)[WORDS]) {
#pragma HLS inline
  words: for (int w = 0; w < WORDS; ++w) {
#pragma HLS unroll
    to[w].write(token[w]);
  }
}
"""
_BY_TABLE = ("bits_of_float", "float_of_bits", "significand")
_CALLS = {
    "larger": ("ordered", "bits_of_float"),
    "smaller": ("ordered", "bits_of_float"),
    "rounded": ("bits_of_float",),
    "exp_f32": _BY_TABLE,
    "rsqrt_f32": _BY_TABLE,
    "tanh_f32": (*_BY_TABLE, "exp_f32"),
    "half_of_bits": ("float_of_bits",),
    "bits_of_half": ("bits_of_float",),
}
_FROM_BITS = {F32: "float_of_bits", F16: "half_of_bits"}
_TO_BITS = {F32: "bits_of_float", F16: "bits_of_half"}


@dataclass
class Helpers:
    """The functions that have been asked for."""

    word_bits: int = 512  # width of a memory word, bits
    _used: set[str] = field(default_factory=set)
    _decoders: dict[str, str] = field(default_factory=dict)  # texts by name
    _read: set[Element] = field(default_factory=set)
    _written: set[Element] = field(default_factory=set)

    def call(self, name: str) -> str:
        """The name of a function, which is then written."""
        self._used |= {name, *_CALLS.get(name, ())}
        return name

    def call_decoder(self, decoder: Decoder) -> str:
        """The name of the function that takes an element out of a code, which is then written."""
        self._decoders[decoder.name] = decoder.cpp
        return decoder.name

    def read_element(self, element: Element) -> str:
        """The function that takes the n-th element out of a word of memory."""
        self._read.add(element)
        if element in _FROM_BITS:
            self.call(_FROM_BITS[element])
        return f"{element.tag}_of_word"

    def write_element(self, element: Element) -> str:
        """The function that puts the n-th element into a word of memory."""
        self._written.add(element)
        if element in _TO_BITS:
            self.call(_TO_BITS[element])
        return f"{element.tag}_into_word"

    def texts(self) -> list[str]:
        """The definitions."""
        texts = [self._decoders[name] for name in sorted(self._decoders)]
        texts += [text for name, text in _TEXTS.items() if name in self._used]
        readers = [_reader(element, self.word_bits) for element in sorted(self._read, key=attrgetter("tag"))]
        writers = [_writer(element, self.word_bits) for element in sorted(self._written, key=attrgetter("tag"))]
        if readers or writers:
            texts.append("".join([_ABOUT_WORDS, *readers, *writers]))
        return texts


_ABOUT_WORDS = "// A word of memory holds elements; these take out, and put in, the one of a number.\n"


def _range(element: Element) -> str:
    return f"word.range({element.bits} * number + {element.bits - 1}, {element.bits} * number)"


def _reader(element: Element, word_bits: int) -> str:
    bits = f"ap_uint<{element.bits}>({_range(element)}).to_uint()"
    value = f"{_FROM_BITS[element]}({bits})" if element in _FROM_BITS else f"{element.c_type}({_range(element)})"
    return (
        f"static inline {element.c_type} {element.tag}_of_word(const ap_uint<{word_bits}>& word, int number) {{\n"
        f"  return {value};\n"
        "}\n"
    )


def _writer(element: Element, word_bits: int) -> str:
    value = f"ap_uint<{element.bits}>({_TO_BITS[element]}(value))" if element in _TO_BITS else "value"
    parameters = f"ap_uint<{word_bits}>& word, int number, {element.c_type} value"
    return f"static inline void {element.tag}_into_word({parameters}) {{\n  {_range(element)} = {value};\n}}\n"


_OF_WORDS = (
    f"{tag}_{end}" for tag in ("i2", "i4", "i8", "i16", "i32", "f16", "f32") for end in ("of_word", "into_word")
)
HELPER_NAMES = frozenset(("fifo", "ping_pong", "read_words", "write_words", *_TEXTS, *_OF_WORDS))
"""Names that no process may take, beside those of decoders."""
