"""The page of a design in a browser, opened from disk: silent, quick, legible, and it answers."""

import pytest
from design_pages import HOSTILE, ROOT, chain

from sttest.sim import write_timed_graph
from sttest.studies.design_page import write_page
from sttest.testing.corpus import case

EMPTY = "<!DOCTYPE html><title>empty</title><p>nothing"
LOADS = 3
"""Tries at a first paint within a second: the machine may be busy with something else."""


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A deadlock, a public design with 848 FIFOs, a chain with groups, and one with names that try to be more."""
    folder = tmp_path_factory.mktemp("pages")
    write_timed_graph(chain(60, extra=20), folder / "chain.json")
    write_timed_graph(chain(3, name=HOSTILE[0], names=HOSTILE), folder / "hostile.json")
    designs = {
        "deadlock": case("stage_skew").path,
        "feedforward": ROOT / "tests/data/streamhls/transformers_opt5_feedforward.json",
        "chain": folder / "chain.json",
        "hostile": folder / "hostile.json",
    }
    (folder / "empty.html").write_text(EMPTY, encoding="utf-8")
    made = {name: write_page(path, folder / f"{name}.html", say=lambda _: None).page for name, path in designs.items()}
    return {**made, "empty": folder / "empty.html"}


@pytest.fixture
def opened(chromium, pages):
    """Opens a page; at the end, nothing may have been said and nothing asked for but the pages themselves."""
    said, made = [], []

    def make(name, width=1440):
        page = chromium.new_page(viewport={"width": width, "height": 900})
        made.append(page)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: said.append(request.url) if request.url not in uris else None)
        page.goto(pages[name].as_uri())
        page.wait_for_selector("body[data-drawn]")
        return page

    uris = [path.as_uri() for path in pages.values()]
    yield make
    for page in made:
        page.close()
    assert said == []


@pytest.mark.parametrize("name", ["deadlock", "feedforward", "chain", "hostile"])
def test_it_is_silent_and_quick_and_nothing_is_hidden_or_cut(opened, pages, name):
    assert pages[name].stat().st_size < 2e6
    page = opened(name)
    assert_painted_within_a_second(page, pages[name], pages["empty"])
    page.goto(pages[name].as_uri())
    page.wait_for_selector("body[data-drawn]")
    for width in (1440, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("document.querySelector('#canvas svg').clientWidth && innerWidth === " + str(width))
        assert_all_is_seen(page, width)


def paint_ms(page, path):
    """When the browser first painted something of a page, by its own clock."""
    page.goto(path.as_uri())
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    return page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")


def assert_painted_within_a_second(page, path, empty):
    """A second, on a machine that is busy beyond what an empty page takes there; the quickest of a few loads counts."""
    for _ in range(LOADS):
        taken_ms = paint_ms(page, path)
        if taken_ms >= 1000:
            taken_ms -= paint_ms(page, empty)
        if taken_ms < 1000:
            break
    assert taken_ms < 1000


def assert_all_is_seen(page, width):
    """No line is hidden, nothing has a scroll bar of its own, no name is wider than its box."""
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    hidden = page.evaluate("""() => [...document.querySelectorAll("tr, li, dd")].filter((row) => {
      const box = row.getBoundingClientRect();
      return !box.height || box.left < -1 || box.right > innerWidth + 1;
    }).length""")
    assert hidden == 0
    inner = page.evaluate("""() => [...document.querySelectorAll("main *")].filter((each) =>
      each.id !== "canvas" && !(each instanceof SVGElement) && !["SELECT", "INPUT"].includes(each.tagName)
      && (each.scrollHeight > each.clientHeight + 2 || each.scrollWidth > each.clientWidth + 2)
      && ["auto", "scroll", "hidden"].includes(getComputedStyle(each).overflowY)).length""")
    assert inner == 0
    too_long = page.evaluate("""() => [...document.querySelectorAll(".node")].flatMap((node) => {
      const room = node.querySelector("rect.box").getBBox();
      return [...node.querySelectorAll(":scope > text")].map((text) => text.getBBox().width - room.width + 8);
    }).filter((over) => over > 0)""")
    assert too_long == []


def test_a_deadlock_is_drawn_with_its_numbers_and_its_fix(opened):
    page = opened("deadlock")
    assert page.locator(".node.dead").count() == 3
    badges = page.locator(".edge.dead .badge text").all_text_contents()
    assert sorted(badges) == ["1", "2", "3"]
    full = page.locator(".edge.dead", has_text="full, depth 2; make it 8")
    assert full.locator(".badge text").text_content() == "1"
    assert page.locator("#deadlock li").first.inner_text().startswith("pipeline fork (fork) waits to write token 2")
    fix = "With depth skip=8 it finishes in 53 cycles; no fix adds fewer tokens."
    assert page.locator(".fix p").first.inner_text() == fix


def test_boxes_and_edges_say_their_numbers(opened):
    page = opened("feedforward")
    assert page.locator(".node").count() == 8
    page.locator(".node[data-key=p3]").click()
    told = page.locator("#details").inner_text()
    assert "61,477 cycles, 93 % of the run" in told
    assert "reads 32 FIFOs" in told
    page.locator("#details li button").first.click()
    assert "tokens of 32 bits" in page.locator("#details").inner_text()
    first = page.locator("#strips g[data-fifo]").first
    assert first.get_attribute("data-fifo") == page.locator("#details h3").inner_text()


def test_groups_open_in_the_graph_and_in_the_schedule(opened):
    page = opened("chain")
    page.locator("#close-all").click()
    before = page.locator(".node").count()
    assert before == page.locator("#lanes g[data-row]").count() < 60
    page.locator(".node.group").first.dblclick()
    assert page.locator(".node").count() > before
    page.locator("#open-all").click()
    assert page.locator(".node").count() == 60
    page.locator("#lanes .lane-name", has_text="▾").first.click()
    assert page.locator(".node").count() < 60


def test_what_is_looked_for_is_shown(opened):
    page = opened("chain")
    page.locator("#close-all").click()
    page.fill("#find", "stage47")
    assert page.locator(".node.chosen text").first.text_content() == "stage47"
    page.wait_for_timeout(100)  # the drawing moves in the next frame
    box, canvas = (page.locator(where).bounding_box() for where in (".node.chosen", "#canvas"))
    assert canvas["x"] < box["x"] < canvas["x"] + canvas["width"]
    assert canvas["y"] < box["y"] < canvas["y"] + canvas["height"]


def test_the_graph_is_scaled_and_moved(opened):
    page = opened("feedforward")
    width = page.locator(".node").first.bounding_box()["width"]
    page.locator("#zoom-in").click()
    page.wait_for_timeout(100)
    assert page.locator(".node").first.bounding_box()["width"] > 1.1 * width
    left = page.locator(".node").first.bounding_box()["x"]
    box = page.locator("#canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 120, box["y"] + 10, steps=4)
    page.mouse.up()
    page.wait_for_timeout(100)
    assert page.locator(".node").first.bounding_box()["x"] == pytest.approx(left - 100, abs=3)
    page.locator("#zoom-fit").click()
    page.wait_for_timeout(100)
    for node in page.locator(".node").all():
        assert box["x"] - 1 <= node.bounding_box()["x"] <= box["x"] + box["width"]


def test_a_stretch_of_time_is_looked_at_closely(opened):
    page = opened("feedforward")
    box = page.locator("#lanes svg").bounding_box()
    whole = page.locator("#range").inner_text()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    near = page.locator("#range").inner_text()
    assert near != whole
    assert int(near.split()[1].replace(",", "")) > 20_000
    page.locator("#time-out").click()
    assert page.locator("#range").inner_text() == whole


def test_names_that_try_to_be_more_stay_names(opened):
    page = opened("hostile")
    assert page.title() == f"{HOSTILE[0]}: a design in sttest"
    page.locator(".node").first.click()
    assert page.locator("#details h3").inner_text() == HOSTILE[0]
    assert page.locator("img").count() == 0


@pytest.mark.nightly
def test_a_large_page_is_painted_within_a_second_and_drawn(chromium, placed_package, tmp_path):
    write_timed_graph(chain(5000, extra=5000), tmp_path / "g.json")
    empty = tmp_path / "empty.html"
    empty.write_text(EMPTY, encoding="utf-8")
    for design in (tmp_path / "g.json", placed_package):
        written = write_page(design, tmp_path / "page.html", say=lambda _: None)
        assert written.page_bytes < 2e6
        page = chromium.new_page()
        assert_painted_within_a_second(page, written.page, empty)
        page.goto(written.page.as_uri())
        page.wait_for_selector("body[data-drawn]")
        page.locator("#open-all").click()
        assert 40 < page.locator(".node").count() <= 300
        page.close()
