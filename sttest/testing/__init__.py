"""Assertions on timed graphs for the tests of hardware projects; docs/fix-a-deadlock/deadlock-test.md."""

from sttest.testing.assertions import assert_completes, assert_deadlocks

__all__ = ["assert_completes", "assert_deadlocks"]
