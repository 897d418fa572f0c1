"""Assertions on timed graphs for the tests of hardware projects; docs/pytest-plugin.md."""

from sttest.testing.assertions import assert_completes, assert_deadlocks

__all__ = ["assert_completes", "assert_deadlocks"]
