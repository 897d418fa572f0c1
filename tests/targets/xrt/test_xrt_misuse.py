"""Every misuse of XRT that the emulator knows, each refused in one line; and no code without a test."""

import gc

import pytest

from sttest.core.kernel_signature import DesignSignature, write_signature
from sttest.targets.xrt.emulator import ON_A_CARD, MisuseError

CASES = {}


def misuse(code, *parts):
    """Marks a function as one that misuses XRT; parts of the message must be there."""

    def register(function):
        CASES[function.__name__] = (code, parts, function)
        return function

    return register


@misuse("out-of-range", "argument 5 of 5")
def one_argument_too_many(bench):
    bench.kernel(*bench.arguments(), 1)


@misuse("argument-unset", "no value for b, c, n, scale")
def started_before_its_arguments_are_set(bench):
    run = bench.xrt.run(bench.kernel)
    run.set_arg(0, bench.a)
    run.start()


@misuse("out-of-range", "argument 5 of 5")
def an_argument_that_is_not_there(bench):
    bench.xrt.run(bench.kernel).set_arg(5, 1)


@misuse("wrong-type", "argument 0, 'a'", "int")
def a_number_for_a_buffer(bench):
    bench.xrt.run(bench.kernel).set_arg(0, 4096)


@misuse("wrong-type", "'n'", "a buffer is no integer")
def a_buffer_for_a_number(bench):
    bench.xrt.run(bench.kernel).set_arg(3, bench.a)


@misuse("wrong-type", "0.5", "ScalarArgument.word")
def a_float(bench):
    bench.kernel(*bench.arguments()[:-1], 0.5)


@misuse("wrong-type", "4294967295")
def a_number_without_sign(bench):
    bench.kernel(*bench.arguments()[:3], 2**32 - 1, 0)


@misuse("wrong-bank", "HBM[0]", "HBM[3]", "group_id")
def a_buffer_in_the_wrong_bank(bench):
    bench.xrt.run(bench.kernel).set_arg(2, bench.a)


@misuse("wrong-bank", "group 99")
def a_group_that_is_not_there(bench):
    bench.xrt.bo(bench.device, 64, bench.xrt.bo.normal, 99)


@misuse("buffer-too-small", "4095 bytes of 4096")
def a_buffer_that_is_too_small(bench):
    bench.c = bench.other(4095)
    bench.launch()


@misuse("out-of-range", "0 bytes")
def an_empty_buffer(bench):
    bench.other(0)


@misuse("out-of-range", "bytes 4096 to 4096 of a buffer of 4096")
def a_sync_past_the_end(bench):
    bench.a.sync(bench.to_card, 1, 4096)


@misuse("out-of-range", "bytes 4 to 4099 of a buffer of 4096")
def size_and_offset_swapped(bench):
    bench.a.sync(bench.to_card, 4096, 4)


@misuse("out-of-range", "bytes 1 to 4096")
def a_write_past_the_end(bench):
    bench.a.write(bytes(4096), 1)


@misuse("out-of-range")
def a_read_past_the_end(bench):
    bench.a.read(4097, 0)


@misuse("not-synced", "bytes 8 to 11 of 'a'")
def written_and_not_synced(bench):
    bench.a.write(b"abcd", 8)
    bench.launch()


@misuse("not-synced", "of 'a'")
def written_through_a_view_and_not_synced(bench):
    bench.a.map()[17] = 42
    bench.launch()


@misuse("not-synced", "bytes 0 to 4095 of 'x'")
def read_by_a_kernel_and_never_synced(bench):
    bench.twice()(bench.c)


@misuse("not-synced", "bytes 64 to 4095 of 'x'")
def synced_in_part_only(bench):
    bench.c.write(bytes(4096), 0)
    bench.c.sync(bench.to_card, 64, 0)
    bench.c.write(bytes(64), 0)
    bench.c.sync(bench.to_card, 64, 0)
    fresh = bench.other()
    fresh.write(bytes(64), 0)
    fresh.sync(bench.to_card, 64, 0)
    bench.twice()(fresh)


@misuse("not-synced-back", "bytes 16 to 31")
def read_before_it_is_synced_back(bench):
    bench.launch().wait()
    bench.c.read(16, 16)


@misuse("run-busy")
def started_twice(bench):
    run = bench.launch()
    run.start()


@misuse("buffer-in-flight", "'add'", "bytes 0 to 4095")
def results_fetched_before_the_end(bench):
    _run = bench.launch()
    bench.c.sync(bench.from_card)


@misuse("buffer-in-flight", "wait for the run")
def input_changed_before_the_end(bench):
    _run = bench.launch()
    bench.a.sync(bench.to_card, 64, 0)


@misuse("buffer-in-flight", "buffer of 'x'")
def another_kernel_started_on_a_result_before_its_end(bench):
    _run = bench.launch()
    bench.twice()(bench.c)


@misuse("buffer-freed", "'a'", "keep a reference")
def a_buffer_freed_before_the_start(bench):
    run = bench.xrt.run(bench.kernel)
    for index, argument in enumerate(bench.arguments()):
        run.set_arg(index, argument)
    del argument
    bench.a = None
    gc.collect()
    run.start()


@misuse("buffer-freed", "'c'", "while the kernel ran")
def a_buffer_freed_before_the_end(bench):
    run = bench.launch()
    bench.c = None
    gc.collect()
    run.wait()


@misuse("not-started")
def waited_for_before_the_start(bench):
    bench.xrt.run(bench.kernel).wait(1)


@misuse("wrong-type", "0 is no xclBOSyncDirection")
def a_number_for_a_direction(bench):
    bench.a.sync(0)


@misuse("wrong-type", "bo(Device, int)", "(device, size, flags, group)")
def a_buffer_without_flags_and_group(bench):
    bench.xrt.bo(bench.device, 64)


@misuse("wrong-type", "list")
def written_from_a_list(bench):
    bench.a.write([1, 2, 3], 0)


@misuse("wrong-type", "kernel(Device, str, str)")
def text_for_a_uuid(bench):
    bench.xrt.kernel(bench.device, bench.uuid.to_string(), "add")


@misuse("not-found", "no kernel 'ad'", "did you mean 'add'")
def a_kernel_that_is_not_there(bench):
    bench.xrt.kernel(bench.device, bench.uuid, "ad")


@misuse("not-found", "no card 1 among 1")
def a_card_that_is_not_there(bench):
    bench.xrt.device(1)


@misuse("not-loaded", "load it before")
def a_buffer_before_the_design(bench):
    bench.xrt.reset()
    bench.xrt.bo(bench.device, 64, bench.xrt.bo.normal, 0)


@misuse("not-loaded")
def a_kernel_before_the_design(bench):
    bench.xrt.reset()
    bench.xrt.kernel(bench.device, bench.uuid, "add")


@misuse("stale-handle", "'add'")
def a_kernel_of_before_a_reset(bench):
    bench.xrt.reset()
    bench.xrt.run(bench.kernel).start()


@misuse("stale-handle", "bo.sync")
def a_buffer_of_before_a_reset(bench):
    bench.xrt.reset()
    bench.a.sync(bench.to_card)


@misuse("wrong-design")
def the_uuid_of_another_design(bench, tmp_path):
    bench.xrt.kernel(bench.device, bench.xrt.xclbin(another(tmp_path)).get_uuid(), "add")


@misuse("wrong-design", "a design for 'u280' on a 'u55c'")
def a_design_for_another_board(bench, tmp_path):
    bench.device.load_xclbin(another(tmp_path, board="u280"))


def another(folder, board="u55c"):
    x = {"kind": "buffer", "name": "x", "index": 0, "element": "int8", "bytes": 1, "access": "read", "banks": [3]}
    kernels = [{"name": "add", "arguments": [x]}]
    path = folder / "another.json"
    write_signature(DesignSignature.model_validate({"design": "another", "board": board, "kernels": kernels}), path)
    return str(path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", CASES)
def test_it_is_refused_in_one_line_that_says_what_a_card_would_do(name, bench, tmp_path):
    code, parts, function = CASES[name]
    arguments = (bench, tmp_path) if "tmp_path" in function.__code__.co_varnames else (bench,)
    with pytest.raises(MisuseError) as caught:
        function(*arguments)
    text = str(caught.value)
    assert caught.value.code == code
    assert [part for part in parts if part not in text] == []
    assert f"on a card: {ON_A_CARD[code]}" in text
    assert "\n" not in text
    assert isinstance(caught.value, RuntimeError)  # as what pyxrt raises, for hosts that catch that


def test_a_wait_for_ever_on_a_hang_is_refused(bench_of):
    run = bench_of({0: "hung"}).launch()
    with pytest.raises(MisuseError, match=r"no timeout.*never returns") as caught:
        run.wait()
    assert caught.value.code == "endless-wait"


def test_every_code_is_tested():
    tested = {code for code, _, _ in CASES.values()} | {"endless-wait"}
    assert tested == set(ON_A_CARD)
