"""The page in a browser, opened from disk: it is silent, shows the tables, and says where numbers are from."""

import csv
import json
import re
from pathlib import Path

import pytest

from sttest.studies.report import build_report

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'sttest[dev]'")

RESULTS = Path(__file__).parents[3] / "results"
CELLS = (
    ("gpt2", "latency [32:32]", "gpt2", "simulated"),
    ("gpt2", "speed [256:256]", "gpt2", "simulated"),
    ("hbm-bandwidth", "speed [gpt2, spatial, 460 (U55C)]", "gpt2", "simulated"),
)


@pytest.fixture(scope="module")
def small_page(tmp_path_factory):
    """Of two experiments."""
    path = tmp_path_factory.mktemp("small") / "report.html"
    build_report(RESULTS, path, ["gpt2", "clock"], say=lambda _: None)
    return path


@pytest.fixture
def opened(chromium, page_file):
    """The page, and what its console and its requests said."""
    said = []
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("request", lambda request: said.append(request.url))
    page.goto(page_file.as_uri())
    yield page
    page.close()
    assert said == [page_file.as_uri()], "no error, no warning, no request but the page itself"


def row_of(experiment, metric, model, kind):
    with (RESULTS / experiment / "table.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["metric"] += f" [{row['point']}]" if row["point"] else ""
    rows = [row for row in rows if row["metric"] == metric]
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
    cell = page.locator(f'td.n[data-n="{place}"]')
    cell.evaluate("cell => { if (cell.closest('details')) cell.closest('details').open = true; }")
    return cell


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
    first = opened.locator("#best-designs td.n[tabindex='0']").first
    first.focus()
    tip = opened.locator("#tip")
    assert tip.is_visible()
    assert "speed [tight]" in tip.inner_text()
    assert first.get_attribute("aria-describedby") == "tip"
    opened.keyboard.press("ArrowRight")
    assert "speed, host left out [tight]" in tip.inner_text()
    opened.keyboard.press("ArrowDown")
    said = tip.inner_text()
    assert "speed, host left out [all]" in said
    assert "simulated" in said
    assert opened.locator("td.n[tabindex='0'][aria-describedby]").count() == 1


def test_a_tap_shows_and_a_tap_elsewhere_hides(chromium, page_file):
    telephone = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = telephone.new_page()
    page.goto(page_file.as_uri())
    tip = page.locator("#tip")
    page.locator("#paper td.n").first.tap()
    assert "latency [32:32]" in tip.inner_text()
    assert tip.is_visible()
    page.locator("#paper figcaption").first.tap(force=True)
    assert not tip.is_visible()
    telephone.close()


def test_filter_leaves_what_is_asked_for(opened):
    opened.fill("#filter", "2080 64:64")
    playwright.expect(opened.locator("#found")).to_have_text(re.compile(r"^\d+ lines in \d+ tables$"))
    lines = opened.locator("tbody tr:visible th[scope=row]").all_inner_texts()
    assert "NVIDIA RTX 2080 Ti" in lines
    assert "StreamTensor" not in lines
    opened.fill("#filter", "no such thing")
    playwright.expect(opened.locator("#found")).to_have_text("0 lines in 0 tables")
    opened.fill("#filter", "")
    playwright.expect(opened.locator("#found")).to_have_text("")
    assert opened.locator("[data-filter][hidden]").count() == 0


def test_it_is_legible_light_and_dark_narrow_and_wide(opened):
    for scheme, sign in (("light", 1), ("dark", -1)):
        opened.emulate_media(color_scheme=scheme)
        ink, paper = (brightness(opened, name) for name in ("color", "backgroundColor"))
        assert sign * (paper - ink) > 450
    for width in (360, 820, 1600):
        opened.set_viewport_size({"width": width, "height": 900})
        assert opened.evaluate("document.documentElement.scrollWidth") <= width


WHERE_LINES_ARE = """(hides) => {
  const boxes = new Set();
  const lines = [...document.querySelectorAll('figure.table tbody tr')].map((line) => {
    for (let at = line.parentElement; at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (hides.includes(style.overflowX) || hides.includes(style.overflowY)) boxes.add(at.className);
    }
    const right = Math.max(...[...line.cells].map((cell) => cell.getBoundingClientRect().right));
    return [line.getBoundingClientRect().height, right];
  });
  return { lines, boxes: [...boxes] };
}"""


def check_lines(chromium, path, width):
    """Opened, every part shows all of its lines in the page itself: no box inside scrolls, none leaves the page."""
    page = chromium.new_page(viewport={"width": width, "height": 900})
    page.goto(path.as_uri())
    assert page.locator("summary:visible").count() == page.locator("summary").count(), "each is one click away"
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    found = page.evaluate(WHERE_LINES_ARE, ("auto", "scroll", "hidden", "clip"))
    page.close()
    bodies = re.findall(r'<table role="grid">.*?<tbody>(.*?)</tbody>', path.read_text(encoding="utf-8"), re.DOTALL)
    assert found["boxes"] == []
    assert len(found["lines"]) == sum(body.count("<tr>") for body in bodies) > 500
    assert min(height for height, _ in found["lines"]) > 8
    assert max(right for _, right in found["lines"]) <= width


@pytest.mark.daily
@pytest.mark.parametrize("width", [1440, 390])
def test_no_line_of_a_table_is_hidden(chromium, small_page, width):
    check_lines(chromium, small_page, width)


@pytest.mark.nightly
@pytest.mark.parametrize("width", [1440, 390])
def test_no_line_of_any_table_is_hidden(chromium, page_file, width):
    check_lines(chromium, page_file, width)


def test_a_summary_counts_what_it_hides(opened):
    counted = opened.evaluate(
        """[...document.querySelectorAll('#experiments > details')].map((fold) =>
          [fold.querySelector('summary b').textContent, fold.querySelector('.counts').textContent])"""
    )
    for name, counts in counted:
        with (RESULTS / name / "table.csv").open(newline="", encoding="utf-8") as file:
            assert counts.startswith(f"{len(list(csv.DictReader(file))):,} numbers"), name


def test_the_first_paint_takes_less_than_a_second(chromium, page_file):
    paints = []
    for _ in range(3):  # the machine may be busy
        page = chromium.new_page(viewport={"width": 1440, "height": 900})
        page.goto(page_file.as_uri())
        paints.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
        page.close()
        if paints[-1] < 1000:
            return
    pytest.fail(f"first paints after {paints} ms")


def test_a_link_opens_the_part_that_it_leads_to(opened):
    assert not opened.locator("#e1-gpt2").is_visible()
    opened.locator("#sources a[href='#e1-gpt2']").first.click()
    assert opened.locator("#e1-gpt2").is_visible()


def brightness(page, color):
    rgb = page.evaluate(f"getComputedStyle(document.body).{color}")
    return sum(map(int, rgb.removeprefix("rgb(").removesuffix(")").split(",")))


def test_it_prints_to_pages_of_a4(chromium, small_page):
    page = chromium.new_page()
    page.goto(small_page.as_uri())
    pdf = page.pdf(prefer_css_page_size=True)
    page.close()
    sizes = re.findall(rb"/MediaBox \[0 0 (\d+)[\d.]* (\d+)", pdf)
    assert len(sizes) > 40, "with all that is folded on the screen"
    assert set(sizes) == {(b"594", b"841")}
