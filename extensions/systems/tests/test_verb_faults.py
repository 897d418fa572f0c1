"""`sttest faults`: what it refuses before anything is built."""

from __future__ import annotations

import pytest

from sttest.core.errors import InputError
from sttest.targets.rtl.design import ValuedDesign
from sttest_systems.faults.protection import protected_texts


def test_an_unknown_protection_is_refused():
    design = ValuedDesign(graph=None, modules=(), tokens={})  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="no protection 'parity'"):
        protected_texts(design, ["parity"])


def test_without_protection_no_text_changes():
    design = ValuedDesign(graph=None, modules=(), tokens={})  # pyright: ignore[reportArgumentType]
    assert protected_texts(design, []) == {}
