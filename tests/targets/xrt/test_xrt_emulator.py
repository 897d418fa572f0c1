"""A host program that uses XRT rightly gets right values and the simulated times."""

import json
import re
from dataclasses import replace
from inspect import getmembers, isfunction
from pathlib import Path

import numpy as np
import pytest
from adder_design import LIBRARY, u55c

from sttest.core.errors import DoesNotFitError, InputError
from sttest.targets.xrt import contract
from sttest.targets.xrt.emulator import ENGINE, EmulatedXrt, FaultyKernels, KernelLaunch, PythonKernels, as_pyxrt
from sttest.targets.xrt.emulator.storage import MEANINGLESS, CardMemory

EXPECTED = 2 * np.arange(1024, dtype=np.int32) + 1


def result(bench):
    bench.c.sync(bench.from_card)
    return bench.c.read(4096, 0).view(np.int32)


def test_values_come_back(bench):
    assert bench.launch().wait() is bench.states.ERT_CMD_STATE_COMPLETED
    np.testing.assert_array_equal(result(bench), EXPECTED)


def test_an_argument_on_two_banks_has_the_room_of_both(bench):
    assert [bench.kernel.group_id(index) for index in range(3)] == [0, 32, 3]  # a group behind the 32 banks
    with pytest.raises(DoesNotFitError, match=r"HBM\[1:2\].*bound 1073737728 bytes"):  # two banks less one page
        bench.other(2**30, index=1)


def test_scalars_reach_the_kernel_as_what_they_are(bench):
    bench.launch(n=10, scale=0.5).wait()
    found = result(bench)
    np.testing.assert_array_equal(found[:10], EXPECTED[:10] // 2)
    assert set(found[10:].view(np.uint8)) == {MEANINGLESS}  # what a kernel does not write is not zero


def test_a_view_is_the_host_copy(bench):
    view = bench.a.map()
    assert (view.nbytes, view.format, view.readonly) == (4096, "B", False)
    np.frombuffer(view, np.int32)[:] = 7
    bench.a.sync(bench.to_card)
    bench.launch().wait()
    np.testing.assert_array_equal(result(bench), 8 + np.arange(1024))


def test_read_gives_a_copy_of_bytes_with_sign(bench):
    found = bench.a.read(8, 4)
    assert found.dtype == np.int8
    assert found.tolist() == [1, 0, 0, 0, 2, 0, 0, 0]
    found[:] = 0
    assert bench.a.read(8, 4)[0] == 1


def test_part_of_a_buffer_can_be_synced(bench):
    bench.a.write(np.full(2, 100, np.int32), 8)
    bench.a.sync(bench.to_card, 8, 8)
    bench.launch().wait()
    bench.c.sync(bench.from_card, 8, 8)
    assert bench.c.read(8, 8).view(np.int32).tolist() == [103, 104]


def test_a_part_of_a_buffer_is_a_buffer(bench):
    large = bench.other(3 * 4096)
    part = bench.xrt.bo(large, 4096, 4096)
    assert (part.size(), part.address() - large.address()) == (4096, 4096)
    bench.c = part
    bench.launch().wait()
    large.sync(bench.from_card, 4096, 4096)
    np.testing.assert_array_equal(large.read(4096, 4096).view(np.int32), EXPECTED)


def test_a_part_of_a_part(bench):
    part = bench.xrt.bo(bench.xrt.bo(bench.a, 1024, 512), 8, 256)
    assert part.address() - bench.a.address() == 768
    assert part.read(8, 0).view(np.int32).tolist() == [192, 193]
    part.map()[4:] = bytes(4)
    assert bench.a.read(8, 768).view(np.int32).tolist() == [192, 0]


def test_a_run_can_be_started_again_with_another_argument(bench):
    run = bench.xrt.run(bench.kernel)
    assert run.state() is bench.states.ERT_CMD_STATE_NEW
    for index, argument in enumerate(bench.arguments()):
        run.set_arg(index, argument)
    for n in (1, 1024):
        run.set_arg(3, n)
        run.start()
        assert run.wait(1) is bench.states.ERT_CMD_STATE_COMPLETED
    np.testing.assert_array_equal(result(bench), EXPECTED)


def test_runs_of_one_kernel_follow_each_other(bench):
    chain = bench.twice()
    bench.launch().wait()
    first, second = chain(bench.c), chain(bench.c)
    assert second.wait() is first.wait() is bench.states.ERT_CMD_STATE_COMPLETED
    np.testing.assert_array_equal(result(bench), 4 * EXPECTED)
    assert bench.xrt.cards[0].now_us == 3 * 250
    assert bench.xrt.cards[0].launches == 3


def test_waiting_and_looking_let_simulated_time_pass(bench_of):
    passed = []
    bench = bench_of(passing=passed.append)
    run = bench.xrt.run(bench.twice())
    bench.c.write(bytes(4096), 0)
    bench.c.sync(bench.to_card)
    run.set_arg(0, bench.c)
    run.start()
    while run.state() is bench.states.ERT_CMD_STATE_SUBMITTED:
        pass
    assert run.wait(1) is bench.states.ERT_CMD_STATE_COMPLETED
    assert len(passed) == 250  # looks of 1 us each
    assert sum(passed) == pytest.approx(250e-6)


def test_a_timeout_leaves_the_run_going(file, bench):
    slow = EmulatedXrt(bench.xrt.cards[0].board, PythonKernels({"twice": lambda launch: 5e3}))
    device = slow.device("emulator:0")
    kernel = slow.kernel(device, device.load_xclbin(slow.xclbin(str(file))), "twice:{twice_1}")
    buffer = slow.bo(device, 4096, slow.bo.normal, kernel.group_id(0))
    buffer.write(bytes(4096), 0)
    buffer.sync(bench.to_card)
    run = kernel(buffer)
    waited = [run.wait(2), run.wait(2), run.wait(2)]
    assert [state.value for state in waited] == [8, 8, 4]
    assert slow.cards[0].now_us == 5e3


def test_a_hang_shows_as_timeouts_until_the_card_is_reset(bench_of):
    bench = bench_of({0: "hung"})
    run = bench.launch()
    assert [run.wait(1000).value for _ in range(3)] == [8, 8, 8]
    behind = bench.launch()
    assert behind.wait(1000) is bench.states.ERT_CMD_STATE_TIMEOUT  # its kernel is taken for good
    bench.xrt.reset()
    assert run.wait(1000) is run.state() is bench.states.ERT_CMD_STATE_ABORT
    assert bench.device.get_xclbin_uuid().to_string() == "00000000-0000-0000-0000-000000000000"


def test_a_crash_is_an_error_state_and_leaves_no_values(bench_of):
    bench = bench_of({0: "crashed"})
    assert bench.launch().wait(1000) is bench.states.ERT_CMD_STATE_ERROR
    assert set(result(bench).view(np.uint8)) == {MEANINGLESS}
    assert bench.launch().wait(1000) is bench.states.ERT_CMD_STATE_COMPLETED


def test_what_was_written_before_a_crash_counts_for_nothing(bench):
    class Crashing:
        def execute(self, launch):
            return replace(LIBRARY.execute(launch), ending="crashed", detail="segmentation fault")

    bench.xrt.cards[0].library = Crashing()
    assert bench.launch().wait(1000) is bench.states.ERT_CMD_STATE_ERROR
    assert set(result(bench).view(np.uint8)) == {MEANINGLESS}


def test_kernels_cannot_write_what_they_only_read(bench):
    seen = {}

    def look(launch: KernelLaunch) -> float:
        seen.update({name: (view.readonly, view.nbytes) for name, view in launch.buffers.items()})
        return 1.0

    bench.xrt.cards[0].library = PythonKernels({"add": look})
    bench.launch().wait()
    assert seen == {"a": (True, 4096), "b": (True, 4096), "c": (False, 4096)}


def test_a_kernel_without_code_is_named(bench):
    bench.xrt.cards[0].library = PythonKernels({"ad": lambda launch: 1.0})
    with pytest.raises(InputError, match="no code for kernel 'add'; did you mean 'ad'"):
        bench.launch()


def test_buffers_are_placed_in_their_banks_and_freed_with_the_last_reference(bench):
    bank_bytes = 512 * 2**20
    places = [buffer.address() // bank_bytes for buffer in (bench.a, bench.b, bench.c)]
    assert places == [0, 1, 3]
    memory = bench.xrt.cards[0].memory
    before = memory.used_bytes()
    kept = bench.other()
    part = bench.xrt.bo(kept, 64, 0)
    del kept
    assert memory.used_bytes() == before + 4096
    del part
    assert memory.used_bytes() == before


def test_a_full_bank_says_what_is_left(bench):
    with pytest.raises(DoesNotFitError, match=r"HBM\[3\].*demand 536870913 bytes, bound 536866816 bytes") as caught:
        bench.other(2**29 + 1)
    assert caught.value.exit_code == 4


def test_memory_reuses_holes_on_pages():
    memory = CardMemory(banks=2, bank_bytes=4 * 4096)
    assert [memory.take(5000, range(1)) for _ in range(2)] == [0, 8192]
    memory.free(0)
    assert memory.take(4096, range(1)) == 0
    assert memory.take(1, range(1)) == 4096
    assert memory.take(4 * 4096, range(1, 2)) == 4 * 4096


def test_a_group_of_banks_is_one_range():
    memory = CardMemory(banks=4, bank_bytes=4096)
    assert memory.take(3 * 4096, range(1, 4)) == 4096
    with pytest.raises(DoesNotFitError):
        memory.take(1, range(3, 4))
    assert memory.take(1, range(1)) == 0


def test_sensors_answer_in_xrts_shape(bench):
    info, keys = bench.device.get_info, bench.xrt.xrt_info_device
    idle = json.loads(info(keys.electrical))
    assert (idle["power_consumption_watts"], idle["power_consumption_max_watts"]) == ("15.000000", "150")
    run = bench.launch()
    assert float(json.loads(info(keys.electrical))["power_consumption_watts"]) == 40
    run.wait()
    assert json.loads(info(keys.thermal))["thermals"][0].keys() == {
        "location_id",
        "description",
        "temp_C",
        "is_present",
    }
    assert info(keys.bdf) == "emulator:0"
    assert "emulator" in info(keys.name)


def test_the_double_has_the_surface_of_the_contract(bench):
    double = as_pyxrt(bench.xrt)
    assert [name for name in contract.SURFACE if name != "uuid" and not hasattr(double, name)] == []
    made = {
        "Device": bench.device,
        "Bo": bench.a,
        "Kernel": bench.kernel,
        "KernelRun": bench.launch(),
        "Uuid": bench.uuid,
    }
    for name, instance in made.items():
        methods = [method for method, _ in getmembers(getattr(contract, name), isfunction) if method[0] != "_"]
        assert methods
        assert [method for method in methods if not callable(getattr(instance, method, None))] == []


def test_results_of_the_double_are_named_so(bench):
    assert bench.xrt.engine == ENGINE == "emulator"


def test_two_cards_are_two(file):
    xrt = EmulatedXrt(u55c(), LIBRARY, cards=2)
    assert xrt.enumerate_devices() == 2
    xrt.device(1).load_xclbin(str(file))
    assert xrt.device(0).get_xclbin_uuid().to_string() != xrt.device("emulator:1").get_xclbin_uuid().to_string()


def test_faults_are_counted_from_the_first_launch():
    library = FaultyKernels(PythonKernels({"k": lambda launch: 1.0}), {1: "hung"})
    endings = [library.execute(KernelLaunch("k", {}, {})).ending for _ in range(3)]
    assert endings == ["completed", "hung", "completed"]


def test_every_docstring_of_the_contract_that_cites_the_binding_has_a_line():
    text = Path(contract.__file__).read_text(encoding="utf-8")
    assert len(re.findall(r"pyxrt\.cpp:\d+", text)) >= 15
    assert contract.XRT_RELEASE in text
