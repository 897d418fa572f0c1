"""The page in a browser, opened from disk: it is silent, shows the tables, and says where numbers are from."""

import csv
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from sttest.studies.report import build_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'sttest[dev]'")

RESULTS = Path(__file__).parents[3] / "results"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
CELLS = (
    ("gpt2", "latency [32:32]", "gpt2", "simulated"),
    ("gpt2", "speed [256:256]", "gpt2", "simulated"),
    ("hbm-bandwidth", "speed [gpt2, spatial, 460 (U55C)]", "gpt2", "simulated"),
)


@pytest.fixture(scope="module")
def chromium():
    with playwright.sync_playwright() as tools:
        own = Path(tools.chromium.executable_path)
        found = own if own.exists() else next(filter(None, map(shutil.which, BROWSERS)), None)
        if found is None:
            pytest.skip("no Chromium found: apt-get install chromium, or playwright install chromium")
        # Chromium's sandbox does not work for root, as in containers.
        flags = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = tools.chromium.launch(executable_path=str(found), args=flags)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def whole_page(tmp_path_factory):
    """With schedules and traces."""
    path = tmp_path_factory.mktemp("whole") / "report.html"
    build_report(RESULTS, path, say=lambda _: None)
    return path


@pytest.fixture
def opened(chromium, whole_page):
    """The page, and what its console and its requests said."""
    said = []
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(whole_page.as_uri())
    yield page
    page.close()
    assert said == [whole_page.as_uri()], "no error, no warning, no request but the page itself"


def row_of(experiment, metric, model, kind):
    with (RESULTS / experiment / "table.csv").open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == metric]
    (row,) = (row for row in rows if row["model"] == model and row["kind"] == kind)
    return row


def cell_of(page, experiment, row):
    """The cell whose tooltip names the row's metric, found as a reader would: by resting on cells of its section."""
    place = page.evaluate(
        """([experiment, metric, kind, model]) => {
          const ledger = JSON.parse(document.getElementById("ledger").textContent);
          const text = (number, name) => ledger.texts[number[ledger.columns.indexOf(name)]];
          return ledger.numbers.findIndex((number) => text(number, "experiment") === experiment
            && text(number, "metric") === metric && text(number, "kind") === kind && text(number, "model") === model);
        }""",
        [experiment, row["metric"], row["kind"], row["model"]],
    )
    return page.locator(f'td.n[data-n="{place}"]')


def shown(number):
    return float(number.replace(",", "").replace("−", "-"))


def test_cells_and_tooltips_say_what_the_table_says(opened):
    tip = opened.locator("#tip")
    for experiment, metric, model, kind in CELLS:
        row = row_of(experiment, metric, model, kind)
        cell = cell_of(opened, experiment, row)
        text = cell.evaluate("cell => cell.firstChild.textContent")
        assert shown(text) == pytest.approx(float(row["value"]), rel=1e-3)
        cell.scroll_into_view_if_needed()
        cell.hover()
        said = tip.inner_text()
        assert tip.is_visible()
        assert str(float(row["value"])) in said
        manifest = json.loads((RESULTS / experiment / "manifest.json").read_text(encoding="utf-8"))
        assert f"{experiment}, configuration {manifest['config_hash']}" in said
        for expected in (row["unit"], row["kind"], row["metric"], row["source"], row["note"], row["reference"]):
            assert expected in said
        opened.keyboard.press("Escape")
        assert not tip.is_visible()


def test_keyboard_walks_through_a_table(opened):
    first = opened.locator("[id$='-gpt2'] td.n[tabindex='0']").first
    first.focus()
    tip = opened.locator("#tip")
    assert tip.is_visible()
    assert "latency [32:32]" in tip.inner_text()
    assert first.get_attribute("aria-describedby") == "tip"
    opened.keyboard.press("ArrowRight")
    assert "ttft [32:32]" in tip.inner_text()
    opened.keyboard.press("ArrowDown")
    said = tip.inner_text()
    assert "ttft [32:32]" in said
    assert "published" in said
    assert opened.locator("td.n[tabindex='0'][aria-describedby]").count() == 1


def test_a_tap_shows_and_a_tap_elsewhere_hides(chromium, page_file):
    telephone = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = telephone.new_page()
    page.goto(page_file.as_uri())
    tip = page.locator("#tip")
    page.locator("[id$='-gpt2'] td.n").first.tap()
    assert "latency [32:32]" in tip.inner_text()
    assert tip.is_visible()
    page.locator("[id$='-gpt2'] figcaption").first.tap(force=True)
    assert not tip.is_visible()
    telephone.close()


def test_filter_leaves_what_is_asked_for(opened):
    opened.fill("#filter", "rtx2080ti 64:64")
    playwright.expect(opened.locator("#found")).to_have_text(re.compile(r"^\d+ lines in \d+ tables$"))
    lines = opened.locator("tbody tr:visible th[scope=row]").all_inner_texts()
    assert "rtx2080ti" in lines
    assert "streamtensor" not in lines
    opened.fill("#filter", "no such thing")
    playwright.expect(opened.locator("#found")).to_have_text("0 lines in 0 tables")
    opened.fill("#filter", "")
    playwright.expect(opened.locator("#found")).to_have_text("")
    assert opened.locator("section[data-filter]:visible").count() == opened.locator("section[data-filter]").count()


def test_schedules_are_drawn_and_their_traces_are_there(opened, whole_page):
    links = opened.locator(".trace a")
    assert links.count() == 2
    for number in range(2):
        trace = whole_page.parent / links.nth(number).get_attribute("href")
        assert trace.read_text(encoding="utf-8").startswith('{"displayTimeUnit"')
    lane = opened.locator(".gantt [data-tip]", has=opened.locator(".critical")).first
    lane.scroll_into_view_if_needed()
    lane.hover()
    assert "busy" in opened.locator("#tip").inner_text()
    assert opened.locator(".gantt .s-compute").count() > 300


def test_it_is_legible_light_and_dark_narrow_and_wide(opened):
    for scheme, sign in (("light", 1), ("dark", -1)):
        opened.emulate_media(color_scheme=scheme)
        ink, paper = (brightness(opened, name) for name in ("color", "backgroundColor"))
        assert sign * (paper - ink) > 450
    for width in (360, 820, 1600):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


def brightness(page, colour):
    rgb = page.evaluate(f"getComputedStyle(document.body).{colour}")
    return sum(map(int, rgb.removeprefix("rgb(").removesuffix(")").split(",")))


def test_it_prints_to_pages_of_a4(chromium, tmp_path):
    path = tmp_path / "report.html"
    build_report(RESULTS, path, ["gpt2", "clock"], blocks=False, say=lambda _: None)
    page = chromium.new_page()
    page.goto(path.as_uri())
    pdf = page.pdf(prefer_css_page_size=True)
    page.close()
    sizes = re.findall(rb"/MediaBox \[0 0 (\d+)[\d.]* (\d+)", pdf)
    assert len(sizes) > 4
    assert set(sizes) == {(b"594", b"841"), (b"841", b"594")}, "A4, and A4 on its side for wide tables"
