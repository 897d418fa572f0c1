"""Errors say what they know, also after they came out of another process."""

import pickle

from sttest.core.errors import DoesNotFitError, SttestError


def test_an_error_of_a_worker_is_the_same_here() -> None:
    error = DoesNotFitError("too-wide", "a token is too wide", where="load", demand=8192, bound=4096, unit="bits")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is DoesNotFitError
    assert isinstance(again, SttestError)
    assert (str(again), again.to_dict()) == (str(error), error.to_dict())
