"""C++ for tests that is read in a fraction of a second: without the standard library, and analyzed in this process."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from sttest.core.errors import InputError
from sttest.importers.cpp import design, lower

# A source's own folder comes before those of the system; here stands what the headers of streams need of the library.
_LIBRARY = {
    **dict.fromkeys(["array", "cassert", "complex", "cstdio", "cstdlib", "cstring", "utility"], ""),
    "type_traits": """
namespace std {
  template <class T> struct complex;
  template <class A, class B> struct pair { A first; B second; };
  struct true_type { static constexpr bool value = true; };
  struct false_type { static constexpr bool value = false; };
  template <class...> using void_t = void;
  template <class T> inline constexpr bool is_trivially_copyable_v = __is_trivially_copyable(T);
  template <class T> inline constexpr bool is_pointer_v = false;
  template <class T> inline constexpr bool is_pointer_v<T *> = true;
  template <class T> struct remove_cv { using type = T; };
  template <class T> struct remove_cv<const T> { using type = T; };
  template <class T> using remove_cv_t = typename remove_cv<T>::type;
  template <class T> struct remove_all_extents { using type = T; };
  template <class T, size_t N> struct remove_all_extents<T[N]> : remove_all_extents<T> {};
  template <class T> using remove_all_extents_t = typename remove_all_extents<T>::type;
}
""",
    "tuple": """
namespace std {
  template <class... T> struct tuple {};
  template <class H, class... R> struct tuple<H, R...> { H head; tuple<R...> rest;
    tuple(H h, R... r) : head(h), rest{r...} {} };
  template <class F> void apply(F &&f, tuple<> &) { f(); }
  template <class F, class H, class... R> void apply(F &&f, tuple<H, R...> &of) {
    apply([&](auto... more) { f(of.head, more...); }, of.rest);
  }
}
""",
}
TAKE = "void take(hls::stream<int> &in, int *m) { b: for (int i = 0; i < 6; i++) m[i] = in.read(); }\n"
TOP = """void top(const int *p, int *m) {
  #pragma HLS dataflow
  hls::stream<int> s;
  make(p, s);
  take(s, m);
}
"""


def pair(body: str) -> str:
    """A task ``make`` with this body, and one that takes six tokens from it."""
    return f"void make(const int *p, hls::stream<int> &out) {{ {body} }}\n{TAKE}{TOP}"


def six(statement: str) -> str:
    """A loop of six iterations."""
    return f"a: for (int i = 0; i < 6; i++) {{ {statement} }}"


def written(folder: Path, text: str) -> Path:
    """Writes a C++ file, and beside it headers in place of the standard library's."""
    for name, part in _LIBRARY.items():
        (folder / name).write_text(part, encoding="utf-8")
    path = folder / "design.cpp"
    path.write_text(text, encoding="utf-8")
    return path


def analyze_here(patch: pytest.MonkeyPatch) -> None:
    """LLVM analyzes in this process: starting another one takes as long as all else."""

    def analyzed(parts: Sequence[Path], request: Path, out: Path) -> None:
        try:
            lower.main(request, out, parts)
        except RuntimeError as error:
            raise InputError("cpp-failed", f"analyzing the C++ failed: {error}") from error

    patch.setattr(design, "lower", analyzed)
