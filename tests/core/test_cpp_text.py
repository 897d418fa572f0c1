"""C++ of several files as one text, whose lines know where they come from."""

from sttest.core.cpp_text import one_text, placed_lines

FILES = {
    "types.h": "#pragma once\n#include <hls_stream.h>\nint a;\n",
    "parts.h": '#pragma once\n#include "types.h"\nint b;\n',
    "kernel.cpp": '#include "parts.h"\n#include "types.h"\n#include "other.h"\nint c;\n',
}


def test_each_file_is_there_once_and_what_is_not_given_stays_an_include() -> None:
    assert one_text("kernel.cpp", FILES) == '#include <hls_stream.h>\nint a;\nint b;\n#include "other.h"\nint c;\n'


def test_lines_know_their_file() -> None:
    places = [(each.file, each.line) for each in placed_lines("kernel.cpp", FILES)]
    assert places == [("types.h", 2), ("types.h", 3), ("parts.h", 3), ("kernel.cpp", 3), ("kernel.cpp", 4)]
