"""C++ in several files, as one text: what a file includes by a relative name is put in its place."""

import re
from collections.abc import Mapping

_INCLUDE = re.compile(r'^#include "([\w.]+)"$')


def one_text(name: str, files: Mapping[str, str]) -> str:
    """A file with what it includes, each file once; what is not among the files stays an include.

    Args:
        name: name of the file.
        files: texts by name.

    >>> one_text("b.cpp", {"a.h": "#pragma once\\nint a;\\n", "b.cpp": '#include "a.h"\\nint b;\\n'})
    'int a;\\nint b;\\n'
    """
    seen: set[str] = set()

    def lines(name: str) -> list[str]:
        seen.add(name)
        found: list[str] = []
        for line in files[name].splitlines():
            included = _INCLUDE.match(line)
            if included is None or included[1] not in files:
                found += [line] if line != "#pragma once" else []
            elif included[1] not in seen:
                found += lines(included[1])
        return found

    return "\n".join([*lines(name), ""])
