"""Hostile board files: tags, aliases, values that only look like numbers or dates."""

from __future__ import annotations

import random
import re

_VALUE = re.compile(rb"(?<=[:{,] )[^\s,{}\[\]]+")
_VALUES = (
    b"-1", b"0", b"1e400", b".inf", b"-.inf", b".nan", b"9" * 5000, b"0x" + b"f" * 5000, b"1:1:1:1:1",
    b"1:" * 2000 + b"1",
    b"2001-99-99", b"2001-01-01", b"!!python/object/apply:os.system [id]", b"!!int a", b'!!int ""', b'!!float ""',
    b"!!bool maybe", b"!!timestamp x", b"!!binary ===", b"!!set {a}", b"!!omap [a: 1]", b"!x y", b"*a", b"&a 1",
    b"~", b"yes",
    b'"\\e[31m"', b'"\\u202e"', b'"\\ud800"', b"'", b'"', b"[" * 2000, b"{" * 2000, b"[]", b"{}", b"? a", b"|",
    b">", b"%", b"@",
    b"x" * 9000, b"count", b"MHz", b"measured", b"a100", b"../../etc/passwd", b"/dev/zero", b"b.yaml", b"./b.yaml",
    b"/",
)  # fmt: skip
_LINES = (
    b"extends: b.yaml\n",
    b"extends: [u55c]\n",
    b"extends: /dev/zero\n",
    b"extends: ./\n",
    b"<<: {a: 1}\n",
    b"? [a]\n: 1\n",
    b"1: 2\n",
    b"null: 1\n",
    b"name: \n",
    b"--- a\n--- b\n",
    b"%YAML 9.9\n---\n",
    b"a: &x [*x]\n",
    b"\ta: 1\n",
    b"device: tpu\n",
    b"a: &a [1]\nb: [*a, *a]\n",
    b"? !!map x\n: 1\n",
    b"? !!omap x\n: 1\n",
    b"? !!binary eA==\n: 1\n",
    b"? 2001-99-99\n: 1\n",
)


def change(text: bytes, dice: random.Random) -> tuple[str, bytes]:
    """What was done, and the changed document."""
    done = []
    for _ in range(dice.choice((1, 1, 2, 3))):
        values = list(_VALUE.finditer(text))
        if values and dice.random() < 0.7:
            found = dice.choice(values)
            text = text[: found.start()] + dice.choice(_VALUES) + text[found.end() :]
            done.append("value")
        else:
            lines = text.splitlines(keepends=True)
            lines.insert(dice.randrange(len(lines) + 1), dice.choice(_LINES))
            text = b"".join(lines)
            done.append("line")
    return ", ".join(done), text
