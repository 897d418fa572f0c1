"""A buffer that holds several tensors, layer by layer."""

from __future__ import annotations

import numpy as np
import pytest

from sttest.core.errors import InputError
from sttest.package.kernel_files import TensorRow


def image(size: int, start: int) -> np.ndarray:
    return (np.arange(size) + start).astype(np.uint8)


def test_tensors_follow_each_other_in_every_layer():
    row = TensorRow(("a", "b"), (64, 128), layers=2)
    a, b = image(128, 0), image(256, 7)
    found = row.image({"a": a, "b": b, "c": image(64, 1)})
    np.testing.assert_array_equal(found, np.concatenate([a[:64], b[:128], a[64:], b[128:]]))


def test_what_comes_once_lies_behind_all_layers():
    row = TensorRow(("a", "b"), (64, 64), 2, ("h",), (192,))
    images = {"a": image(128, 0), "b": image(128, 7), "h": image(192, 3)}
    found = row.image(images)
    np.testing.assert_array_equal(found[:256], TensorRow(("a", "b"), (64, 64), 2).image(images))
    np.testing.assert_array_equal(found[256:], images["h"])
    with pytest.raises(InputError, match=r"'h' has an image of another size.*192 bytes"):
        row.image(images | {"h": image(384, 3)})


@pytest.mark.parametrize("images", [{"a": image(64, 0)}, {"a": image(64, 0), "b": image(64, 0)}])
def test_a_tensor_without_its_image_is_refused(images: dict[str, np.ndarray]):
    with pytest.raises(InputError, match=r"'b' has (no image|an image of another size).*128 bytes"):
        TensorRow(("a", "b"), (64, 128)).image(images)
