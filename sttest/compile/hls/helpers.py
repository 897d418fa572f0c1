"""Small inline functions of emitted C++: each is written once, at the top of the file, if something calls it."""

from dataclasses import dataclass, field

from sttest.compile.hls.types import F16, F32, Element

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
_CALLS = {
    "larger": ("ordered", "bits_of_float"),
    "smaller": ("ordered", "bits_of_float"),
    "rounded": ("bits_of_float",),
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
    _read: set[Element] = field(default_factory=set)
    _written: set[Element] = field(default_factory=set)

    def call(self, name: str) -> str:
        """The name of a function, which is then written."""
        self._used |= {name, *_CALLS.get(name, ())}
        return name

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
        texts = [text for name, text in _TEXTS.items() if name in self._used]
        readers = [_reader(element, self.word_bits) for element in sorted(self._read, key=_by_tag)]
        writers = [_writer(element, self.word_bits) for element in sorted(self._written, key=_by_tag)]
        if readers or writers:
            texts.append("".join([_ABOUT_WORDS, *readers, *writers]))
        return texts


_ABOUT_WORDS = "// A word of memory holds elements; these take out, and put in, the one of a number.\n"


def _by_tag(element: Element) -> str:
    return element.tag


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


_OF_WORDS = (f"{tag}_{end}" for tag in ("i4", "i8", "i16", "i32", "f16", "f32") for end in ("of_word", "into_word"))
HELPER_NAMES = frozenset(("fifo", "ping_pong", "read_words", "write_words", *_TEXTS, *_OF_WORDS))
"""Names that no process may take."""
