"""The fit certificate: sums that are known, error bars that widen with what is not, budgets that are too small."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from sttest.boards.resources import KINDS, total
from sttest.compile.compiler import compile_text
from sttest.compile.options import CompileOptions
from sttest.compile.resources.placement import place
from sttest.frontend.shipped import lowered_text
from sttest.package.compiled import write_package
from sttest.targets.synth import certificate, design_parts
from sttest.targets.synth.certificate import fit_certificate
from sttest.targets.synth.design_parts import DesignPart
from sttest.targets.synth.report import SynthesisReport, SynthesizedModule
from sttest.targets.synth.yosys import Synthesized


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    design = compile_text(
        lowered_text("gpt2", "decode", small=True), "small", "u55c", CompileOptions(budget="published")
    )
    return write_package(design, tmp_path_factory.mktemp("package"), place(design))


@pytest.fixture(autouse=True)
def no_processes(monkeypatch):
    """Processes as predicted: pipelines of payloads would be made by XLS."""
    monkeypatch.setattr(design_parts, "process_jobs", lambda *_: {})


def parts_of(package) -> list[DesignPart]:
    return design_parts.design_parts(package, package.folder)


def cells(part: DesignPart) -> Mapping[str, int]:
    """Cells of so many LUTs and flip-flops as are predicted."""
    return {"LUT6": round(part.predicted.lut), "FDRE": round(part.predicted.ff)}


def report(package, *, missing: int = 0, factor: float = 1) -> SynthesisReport:
    parts = [replace(part, job=None) for part in parts_of(package)]
    modules = [
        SynthesizedModule((part,), Synthesized({kind: round(n * factor) for kind, n in cells(part).items()}, 1, 0.0))
        for part in parts[missing:]
    ]
    return SynthesisReport("small", "0", tuple(modules), tuple(parts[:missing]))


def test_without_doubt_the_sums_are_those_of_the_parts(package, monkeypatch):
    monkeypatch.setattr(certificate, "TOOL_FACTORS", {})
    found = fit_certificate(package, report(package), draws=100)
    assert [place.name for place in found.places] == ["SLR0", "SLR1", "SLR2"]
    lut = sum(round(part.predicted.lut) * part.count for part in parts_of(package))
    assert sum(place.amounts["lut"].low for place in found.places) == pytest.approx(lut)
    assert sum(place.amounts["lut"].high for place in found.places) == pytest.approx(lut)
    assert sum(process.lut.middle for process in found.processes) == pytest.approx(lut)
    assert found.probability == 1


def test_what_was_not_synthesized_widens_the_error_bars(package, monkeypatch):
    monkeypatch.setattr(certificate, "TOOL_FACTORS", {})
    parts = parts_of(package)
    done = [replace(part, job=None) for part in parts]
    modules = [
        SynthesizedModule((part,), Synthesized({"LUT6": round(part.predicted.lut * (0.5 + n % 2))}, 1, 0.0))
        for n, part in enumerate(done[50:])
    ]
    found = fit_certificate(package, SynthesisReport("small", "0", tuple(modules), tuple(done[:50])), draws=2000)
    unknown = next(each for each in found.processes if each.synthesized_share < 0.5 and each.lut.middle > 100)
    assert unknown.lut.high > 2 * unknown.lut.low


def test_a_design_of_many_times_the_size_does_not_fit(package):
    found = fit_certificate(package, report(package, factor=20), draws=200)
    assert found.probability == 0
    assert min(place.probability for place in found.places) == 0


def test_the_doubt_of_the_tool_is_an_error_bar(package):
    found = fit_certificate(package, report(package))
    low, high = certificate.TOOL_FACTORS["lut"]
    spread = found.places[0].amounts["lut"]
    assert spread.low / spread.middle == pytest.approx((low + 0.05 * (high - low)) / ((low + high) / 2), rel=0.01)
    assert found.places[0].amounts["dsp"].low == found.places[0].amounts["dsp"].high
    everything = total(part.predicted * part.count for part in parts_of(package))
    assert all(getattr(everything, kind) >= 0 for kind in KINDS)
