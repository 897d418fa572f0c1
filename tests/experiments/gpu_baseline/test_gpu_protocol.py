"""The arithmetic of the energy protocol, on a device whose time and energy are known."""

import time

import pytest
from fake_gpu import FakeGpu, fake_nvml

from experiments.gpu_baseline.measure import Subject, energy_rows, measure_idle_rows, time_rows
from experiments.gpu_baseline.meter import NoMeter, NvmlMeter
from experiments.gpu_baseline.windows import Spread, Window, Work, measure_idle, measure_window, warm_up

DECODE = Subject("qwen/eager-bf16/decode-512/energy", "qwen", "eager-bf16", "decode", 512, 512)


@pytest.mark.parametrize("estimate_s", [0.01, 0.004, 0.03, 50.0])
def test_a_window_is_never_shorter_than_asked_for(estimate_s):
    gpu = FakeGpu(run_s=0.01)
    window = measure_window(Work(gpu.run, gpu.synchronize), 10.0, estimate_s, gpu, gpu.clock)
    assert window.seconds >= 10.0 - 1e-9
    assert window.ms_per_iteration == pytest.approx(10.0)
    assert window.watts == pytest.approx(300.0)
    assert window.joules_per_iteration == pytest.approx(3.0)
    assert window.net_joules_per_iteration(80.0) == pytest.approx(3.0 - 0.8)


def test_runs_queue_up_between_the_edges():
    gpu = FakeGpu(run_s=0.01)
    measure_window(Work(gpu.run, gpu.synchronize), 10.0, 0.01, gpu, gpu.clock)
    assert gpu.syncs <= 3


def test_work_queued_before_the_window_is_not_counted():
    gpu = FakeGpu(run_s=0.01)
    gpu.queued = 5.0
    window = measure_window(Work(gpu.run, gpu.synchronize), 1.0, 0.01, gpu, gpu.clock)
    assert window.ms_per_iteration == pytest.approx(10.0)
    assert window.watts == pytest.approx(300.0)


def test_a_slow_counter_costs_little_over_ten_seconds():
    gpu = FakeGpu(run_s=0.0137, step_s=0.1)
    window = measure_window(Work(gpu.run, gpu.synchronize), 10.0, 0.0137, gpu, gpu.clock)
    assert window.watts == pytest.approx(300.0, rel=0.011)


def test_warm_up_runs_three_times_at_least_and_as_long_as_asked():
    gpu = FakeGpu(run_s=2.0)
    assert warm_up(Work(gpu.run, gpu.synchronize), 0.2, gpu.clock) == pytest.approx(2.0)
    assert gpu.now == pytest.approx(6.0)
    quick = FakeGpu(run_s=0.01)
    warm_up(Work(quick.run, quick.synchronize), 0.2, quick.clock)
    assert quick.now >= 0.2


def test_idle_power_is_what_is_subtracted():
    gpu = FakeGpu(idle_w=80.0)
    assert measure_idle(8.0, gpu, gpu.sleep, gpu.clock).watts == pytest.approx(80.0)


def test_rows_carry_median_spread_and_window_length():
    windows = [Window(1000, 10.0, 3000.0), Window(1000, 11.0, 3600.0), Window(900, 10.5, 3300.0)]
    rows = {row.metric: row for row in time_rows(DECODE, windows) + energy_rows(DECODE, windows, 80.0)}
    assert (rows["time"].value, rows["time"].low, rows["time"].unit) == (11.0, 10.0, "ms/token")
    assert rows["time"].high == pytest.approx(10.5 / 0.9)
    assert rows["speed"].value == pytest.approx(1000 / 11)
    gross = rows["energy_gross"]
    assert (gross.value, gross.low, gross.unit, gross.repeats) == (3.6, 3.0, "J/token", 3)
    assert gross.high == pytest.approx(3300 / 900)
    assert (gross.window_s, gross.iterations) == (10.0, 900)
    net = [(3000 - 800) / 1000, (3600 - 880) / 1000, (3300 - 840) / 900]
    assert rows["energy_net"].value == pytest.approx(sorted(net)[1])
    assert "80.00 W idle" in rows["energy_net"].note


def test_without_idle_power_there_is_no_net_figure():
    rows = energy_rows(DECODE, [Window(10, 1.0, 5.0)], None)
    assert [row.metric for row in rows] == ["energy_gross", "power"]


def test_without_a_counter_the_row_says_so():
    (row,) = energy_rows(DECODE, [Window(10, 1.0, None)], 80.0)
    assert (row.metric, row.value, row.note) == ("error", None, "no energy counter")
    assert measure_idle_rows("idle", 0.001, 1, NoMeter()) == []


def test_spread():
    assert Spread.of([3.0, 1.0, 2.0]) == Spread(2.0, 1.0, 3.0, 3)


def test_nvml_is_described_and_sampled():
    meter = NvmlMeter(fake_nvml(1000, 2000))
    found = meter.describe()
    assert (found["name"], found["power_limit_w"], found["power_limit_range_w"]) == ("Fake H1", 700.0, [200.0, 700.0])
    assert meter.energy_mj() == 2000
    with meter.sampling() as samples:
        deadline = time.monotonic() + 30
        while not samples.celsius and time.monotonic() < deadline:
            time.sleep(0.01)
    assert (samples.sm_mhz[0], samples.watts[0], samples.celsius[0]) == (1755, 123.456, 33)


def test_what_a_gpu_does_not_tell_is_none():
    calls = {"nvmlDeviceGetTotalEnergyConsumption": True, "nvmlDeviceGetPowerManagementLimitConstraints": True}
    found = NvmlMeter(fake_nvml(**calls)).describe()
    assert (found["energy_counter"], found["power_limit_range_w"]) == (False, None)
