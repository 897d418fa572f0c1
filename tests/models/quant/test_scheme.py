"""Names, files and refusals of quantization schemes."""

from dataclasses import replace

import pytest

from sttest.core.errors import InputError
from sttest.models.quant.scheme import QuantScheme, load_scheme, schemes


def test_the_default_is_w4a8_in_groups_of_128():
    assert QuantScheme() == schemes()["w4a8"]
    assert (schemes()["w4a8"].weight_max, schemes()["w4a8"].group, schemes()["w4a8"].kv_bits) == (7, 128, 8)


def test_a_file_changes_what_it_names(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("extends: w4a8-channel\nlm_head: none\n")
    assert load_scheme(path) == QuantScheme("mine", group=None, lm_head="none")


def test_only_one_scheme_keeps_the_scales_of_values_out_of_the_softmax():
    apart = {name for name, scheme in schemes().items() if scheme.value_scales == "per-position"}
    assert apart == {"w4a8-position"}
    assert replace(schemes()["w4a8-position"], name="w4a8", value_scales="folded") == schemes()["w4a8"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gruop: 64", "unknown key 'gruop'; did you mean 'group'"),
        ("group: 0", "group is 0; give a number of rows"),
        ("group: true", "group is True"),
        ("group: [1]", r"group is \[1\]"),
        ("weights: int5", "weights is 'int5'; choose one of int4, int8, int3"),
        ("weights: [int4]", r"weights is \['int4'\]"),
        ("kv_bits: 3", "kv_bits is 3; choose one of 4, 8, 16, 32"),
        ("kv_scales: fp8", "kv_scales is 'fp8'; choose one of fp16, power-of-two"),
        ("value_scales: per-head", "value_scales is 'per-head'; choose one of folded, per-position"),
        ("activation_bits: 16", "activation_bits is 16; choose one of None, 4, 8"),
        ("activations: none\nactivation_bits: 8", "activation_bits is 8; choose one of None, 16, 32"),
        ("extends: w4a9", "extends unknown scheme 'w4a9'; did you mean 'w4a8'"),
        ("extends: {a: b}", "extends unknown scheme"),
        ("name: [a]", "name is"),
        ("- a", "holds a list"),
    ],
)
def test_files_that_make_no_scheme_are_refused(tmp_path, text, message):
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        load_scheme(path)


def test_unknown_names_tell_the_nearest():
    with pytest.raises(InputError, match="did you mean 'w4a8-static'"):
        load_scheme("w4a8-statik")
