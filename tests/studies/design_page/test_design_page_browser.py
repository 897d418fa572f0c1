"""The page of a design in a browser, opened from disk: silent, quick, whole, legible, and it answers."""

import json
from dataclasses import replace

import pytest
from design_pages import HOSTILE, LONG, ROOT, chain

from sttest.importers.formats import format_named
from sttest.package import load_graph
from sttest.sim import Loop, Pipeline, TimedGraph, write_timed_graph
from sttest.studies.design_page import subject, write_page
from sttest.testing.corpus import case

EMPTY = "<!DOCTYPE html><title>empty</title><p>nothing"
LOADS = 3
"""Tries at a first paint within a second: the machine may be busy with something else."""
DEADLOCKS = ("own", "imported", "corpus")
WIDTHS = (1440, 390)
RESIDUAL = "fork_attn_residual__mlp_residual"
BLOCK = ROOT / "examples/residual-block/designs/block.json"
VITIS = ROOT / "examples/hls-residual/hls_residual/solution1"


@pytest.fixture(scope="module")
def designs(tmp_path_factory, placed_package):
    """Three small deadlocks, a large one, a package, a public design of 848 FIFOs, groups, actors, hostile names."""
    folder = tmp_path_factory.mktemp("designs")
    block = json.loads(BLOCK.read_text(encoding="utf-8"))
    next(fifo for fifo in block["fifos"] if fifo["name"] == "residual")["depth"] = 31
    (folder / "own.json").write_text(json.dumps(block), encoding="utf-8")
    package = load_graph(placed_package)
    fifos = [replace(each, depth=2) if each.name == RESIDUAL else each for each in package.fifos]
    write_timed_graph(replace(package, fifos=tuple(fifos)), folder / "stuck.json")
    write_timed_graph(format_named("hls").read(VITIS, {}), folder / "imported.json")
    write_timed_graph(chain(60, extra=120), folder / "chain.json")
    write_timed_graph(chain(3, name=HOSTILE[0], names=HOSTILE), folder / "hostile.json")
    write_timed_graph(chain(len(LONG), names=LONG), folder / "long.json")
    return {
        **{name: folder / f"{name}.json" for name in ("own", "imported", "stuck", "chain", "hostile", "long")},
        "corpus": case("fork_join_residual").path,
        "package": placed_package,
        "feedforward": ROOT / "tests/data/streamhls/transformers_opt5_feedforward.json",
        "actors": ROOT / "tests/data/sdf3/samplerate.xml",
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory, designs):
    """Their pages, made when they are asked for."""
    folder, made = tmp_path_factory.mktemp("pages"), {}
    made["empty"] = folder / "empty.html"
    made["empty"].write_text(EMPTY, encoding="utf-8")

    def page(name):
        if name not in made:
            made[name] = write_page(designs[name], folder / f"{name}.html", say=lambda _: None).page
        return made[name]

    return page


@pytest.fixture
def opened(chromium, pages):
    """Opens a page; at the end, nothing may have been said and nothing asked for but the page itself."""
    said, made = [], []

    def make(name, width=1440, **options):
        uri = pages(name).as_uri()
        page = chromium.new_page(viewport={"width": width, "height": 900 if width > 500 else 844}, **options)
        made.append(page)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: said.append(request.url) if request.url != uri else None)
        page.goto(uri)
        page.wait_for_selector("body[data-drawn]")
        return page

    yield make
    for page in made:
        page.close()
    assert said == []


def until(page, is_so):
    """Waits for something; the page's policy forbids Playwright's own way of waiting."""
    for _ in range(400):
        if is_so():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it does not happen within 20 s")


def inside(page, what, within):
    """How many elements there are, and how many of them reach out of another one."""
    return page.evaluate(
        """([what, within]) => {
          const all = [...document.querySelectorAll(what)].map((each) => each.getBoundingClientRect());
          const { left, right, top, bottom } = document.querySelector(within).getBoundingClientRect();
          return [all.length, all.filter((box) => box.left < left - 1 || box.right > right + 1
            || box.top < top - 1 || box.bottom > bottom + 1).length];
        }""",
        [what, within],
    )


def rows(page, table):
    """The rows of a table that are seen, by heading."""
    return page.evaluate(
        """(table) => {
          const heads = [...document.querySelectorAll(`#${table} th`)].map((head) => head.textContent);
          return [...document.querySelectorAll(`#${table} tbody tr`)].map((row) =>
            Object.fromEntries([...row.cells].map((cell, place) => [heads[place], cell.textContent])));
        }""",
        table,
    )


def numbers(page, heading):
    return [int(row[heading].replace(",", "")) for row in rows(page, "fifos")]


def scale(page):
    """Pixels per unit of the drawing, whose text is of 12 units."""
    return page.evaluate("document.querySelector('.node').getScreenCTM().a")


# --- What is seen when it opens


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*DEADLOCKS, "stuck", "package", "feedforward", "chain", "hostile", "long", "actors"])
def test_the_whole_graph_and_the_verdict_are_in_sight_when_it_opens(opened, name, width):
    page = opened(name, width)
    verdict = page.locator(".verdict").last.bounding_box()
    assert verdict["y"] + verdict["height"] <= page.viewport_size["height"]
    assert page.locator("#canvas svg").bounding_box()["height"] <= page.viewport_size["height"]
    drawn, cut = inside(page, ".node .box", "#canvas svg")
    assert drawn == (3 if name in DEADLOCKS else drawn) > 0
    assert cut == 0
    assert inside(page, ".edge .line, .edge .label, #canvas text", "#canvas svg")[1] == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert inside(page, "h1, .verdict, p, li", "body")[1] == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*DEADLOCKS, "package", "feedforward", "long"])
def test_texts_are_legible_and_overlap_no_box(opened, name, width):
    page = opened(name, width)
    assert 12 * scale(page) >= (9 if width > 500 else 7.5 if name in DEADLOCKS else 5.5)
    overlaps = page.evaluate("""() => {
      const boxes = [...document.querySelectorAll(".node:not(.open) .box, .edge .label")]
        .map((each) => each.getBoundingClientRect());
      return boxes.flatMap((one, place) => boxes.slice(place + 1).filter((other) =>
        Math.min(one.right, other.right) - Math.max(one.left, other.left) > 0.5
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 0.5)).length;
    }""")
    assert overlaps == 0
    too_long = page.evaluate("""() => [...document.querySelectorAll(".node, .edge")].flatMap((each) => {
      const room = each.querySelector(".box, .label");
      return [...each.querySelectorAll("text")].map((text) => text.getBBox().width - room.getBBox().width);
    }).filter((over) => over > 0)""")
    assert too_long == []


def test_a_package_is_drawn_within_three_seconds_of_computing(opened):
    """Of the page's thread, so that it does not matter how busy the machine is; all groups opened, too."""
    page = opened("package")
    session = page.context.new_cdp_session(page)

    def spent():
        return {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}[
            "TaskDuration"
        ]

    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    begun = spent()
    page.reload()
    page.wait_for_selector("body[data-drawn]")
    assert spent() - begun < 3
    begun, closed = spent(), page.locator(".node").count()
    page.locator("#open-all").click()
    until(page, lambda: page.locator(".node").count() > closed)
    assert spent() - begun < 3


def paint_ms(page, path):
    """When the browser first painted something of a page, by its own clock."""
    page.goto(path.as_uri())
    painted = "performance.getEntriesByName('first-contentful-paint')"
    until(page, lambda: page.evaluate(f"{painted}.length"))
    return page.evaluate(f"{painted}[0].startTime")


def assert_painted_within_a_second(page, path, empty):
    """A second, on a machine that is busy beyond what an empty page takes there; the quickest of a few loads counts."""
    taken_ms = 1000.0
    for _ in range(LOADS):
        if taken_ms >= 1000:
            taken_ms = paint_ms(page, path)
        if taken_ms >= 1000:
            taken_ms -= paint_ms(page, empty)
    assert taken_ms < 1000


@pytest.mark.parametrize("name", ["corpus", "feedforward", "package"])
def test_it_is_small_and_painted_within_a_second(chromium, pages, name):
    assert pages(name).stat().st_size < 2e6
    page = chromium.new_page()
    assert_painted_within_a_second(page, pages(name), pages("empty"))
    page.close()


def test_a_design_without_a_run_or_without_fifos_is_drawn_too(monkeypatch, opened, designs, tmp_path):
    """Actors whose iteration is too long to draw, and processes that nothing joins."""
    monkeypatch.setattr(subject, "MAX_ITERATION_FIRINGS", 10)
    designs["unseen"] = designs["actors"]
    alone = tuple(Pipeline(name, (Loop((20,), 1, 2, ()),)) for name in ("a", "b"))
    write_timed_graph(TimedGraph("alone", 250.0, (), alone), tmp_path / "alone.json")
    designs["alone"] = tmp_path / "alone.json"
    assert inside(opened("unseen"), ".node .box", "#canvas svg") == [6, 0]
    page = opened("alone")
    assert inside(page, ".node .box", "#canvas svg") == [2, 0]
    assert rows(page, "fifos") == []
    assert [row["finish"] for row in rows(page, "processes")] == ["21", "21"]


# --- A deadlock


def test_a_deadlock_says_who_waits_for_whom_and_what_helps(opened):
    page = opened("corpus")
    said = page.locator(".verdict").inner_text()
    assert said == (
        "Deadlocks: 3 processes wait for each other. With depth skip=16 it finishes in 42 cycles; "
        "no fix adds fewer tokens. No deeper FIFO makes it faster."
    )
    assert page.locator("#deadlock li").first.inner_text().startswith("pipeline fork (fork) waits to write token 4")
    assert page.locator(".node.dead").count() == 3
    waits = [edge.locator("text").all_text_contents() for edge in page.locator(".edge.wait").all()]
    assert waits == [
        ["1: fork waits for add", "skip is full, make it 16 deep"],
        ["2: add waits for norm", "normed is empty"],
        ["3: norm waits for fork", "main is empty"],
    ]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", [*DEADLOCKS, "stuck", "package", "feedforward", "actors"])
def test_lines_run_from_box_to_box_and_waits_from_who_waits_to_whom(opened, name, width):
    """Where the graph is wrapped, too; of groups that are closed, waits between them are seen."""
    page = opened(name, width)
    ends = page.evaluate("""() => [...document.querySelectorAll(".edge")].map((edge) => {
      const { sources: [source], targets: [target], wait } = edge.__data__, line = edge.querySelector(".line");
      const isAt = (length, id) => {
        const { x, y } = line.getPointAtLength(length).matrixTransform(line.getScreenCTM());
        const box = document.querySelector(`[data-id=${id}] .box`).getBoundingClientRect();
        return x > box.left - 3 && x < box.right + 3 && y > box.top - 3 && y < box.bottom + 3;
      };
      return [wait ? [wait.process, wait.peer] : null, source, target,
        isAt(0, source) && isAt(line.getTotalLength(), target)];
    })""")
    assert ends
    assert all(touches for *_, touches in ends)
    data = json.loads(page.locator("#data").text_content())
    waits = [wait for wait, *_ in ends if wait]
    if name in DEADLOCKS:
        assert [[f"p{who}", f"p{whom}"] for who, whom in waits] == [ends_ for wait, *ends_, _ in ends if wait]
        assert waits == [[wait["process"], wait["peer"]] for wait in data["deadlock"]["waits"]]
    if name == "stuck":
        assert len(waits) >= 3
        assert page.locator("#deadlock").get_attribute("open") is None
        assert page.locator(".node.dead").count() >= 3


# --- The table of FIFOs


@pytest.mark.parametrize("name", [*DEADLOCKS, "package"])
def test_the_table_of_fifos_has_the_figures_of_the_command_line(sttest, opened, designs, name):
    """By the engine that the page did not use, and by sizing."""
    told = json.loads(sttest("simulate", designs[name], "--engine", "simpy", "--json").stdout)
    least = {"least to finish": json.loads(sttest("size", designs[name], "--method", "lp", "--json").stdout)}
    if name != "package":  # which takes its time
        least["least to lose no cycle"] = json.loads(sttest("size", designs[name], "--json").stdout)
    page = opened(name)
    if page.locator("#fifos .more").is_visible():
        page.locator("#fifos .more").click()
    found = {row["FIFO"]: row for row in rows(page, "fifos")}
    graph = load_graph(designs[name])
    assert sorted(found) == sorted(fifo.name for fifo in graph.fifos)
    for fifo in graph.fifos:
        row = {head: text.replace(",", "") for head, text in found[fifo.name].items()}
        assert (row["depth"], row["bits"]) == (str(fifo.depth), str(fifo.bits))
        assert row["bits in all"] == str(fifo.depth * fifo.bits)
        assert row["peak"] == str(told["max_occupancy"].get(fifo.name, 0))
        assert {head: row[head] for head in least} == {
            head: str(each["lower_bounds"][fifo.name]) for head, each in least.items()
        }
    waits = (told["deadlock"] or {"cycle": []})["cycle"]
    marked = [row["FIFO"] for row in rows(page, "fifos") if row.get("deadlock")]
    assert set(marked) == {wait["fifo"] for wait in waits}
    assert page.locator("#fifos tr.dead").count() == len(waits)


def test_it_sorts_by_number_and_by_name_and_filters(opened):
    page = opened("feedforward")
    assert page.locator("#fifos tbody tr").count() == 100
    page.locator("#fifos .more").click()
    assert page.locator("#fifos tbody tr").count() == 848
    assert page.locator("#fifos .more").is_hidden()
    for heading in ("depth", "peak", "bits in all"):
        page.locator("#fifos th", has_text=heading).first.locator("button").click()
        assert page.locator("#fifos th[aria-sort=descending]").inner_text() == heading
        assert (values := numbers(page, heading)) == sorted(values, reverse=True)
        assert len(set(values)) > 1 or heading != "peak"
        page.locator("#fifos th", has_text=heading).first.locator("button").click()
        assert numbers(page, heading) == sorted(values)
    page.locator("#fifos th button").first.click()
    names = [row["FIFO"] for row in rows(page, "fifos")]
    assert names == sorted(names)
    page.fill("#fifos input", "F84")
    assert [row["FIFO"] for row in rows(page, "fifos")] == sorted(name for name in names if "f84" in name)
    page.fill("#fifos input", "no such FIFO")
    assert rows(page, "fifos") == []


def test_tables_scroll_in_their_own_boxes_on_a_phone(opened):
    page = opened("package", 390)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.querySelector('#fifos .scroll').scrollWidth") > 390
    page.evaluate("document.querySelector('#fifos .scroll').scrollLeft = 300")
    assert page.locator("#fifos tbody td").first.bounding_box()["x"] == pytest.approx(13, abs=3)  # the name stays


def test_processes_have_the_figures_of_the_command_line(sttest, opened, designs):
    page = opened("package")
    page.locator("#processes .more").click()
    told = json.loads(sttest("simulate", designs["package"], "--engine", "simpy", "--json").stdout)
    found = {row["process"]: row for row in rows(page, "processes")}
    assert set(found) == set(told["finish"])
    for name, row in found.items():
        parts = told["breakdown"][name]
        wanted = [told["finish"][name], parts["busy_cycles"], parts["stall_in_cycles"], parts["stall_out_cycles"]]
        assert [row["finish"], row["busy"], row["waits for data"], row["waits for space"]] == [f"{n:,}" for n in wanted]


# --- What answers


def test_boxes_lines_and_rows_say_their_facts(opened):
    page = opened("feedforward")
    page.locator(".node[data-id=p3]").click()
    told = page.locator("#details").inner_text()
    row = next(row for row in rows(page, "processes") if row["process"] == "p3")
    assert row["waits for data"] == "61,477"
    page.locator("#fifos .more").click()
    for words in ("p3", "61,477", "reads (32)", "and 20 more"):
        assert words in told
    page.locator("#details li button").first.click()
    name = page.locator("#details h3").inner_text()
    row = next(row for row in rows(page, "fifos") if row["FIFO"] == name)
    assert [page.locator("#details dd").nth(place).inner_text() for place in range(3)] == list(row.values())[1:4]
    assert page.locator("#strips .band:has(.chosen)").get_attribute("title") == name
    assert page.locator(".edge.chosen").count() == 1
    page.locator(".edge .hit").first.dispatch_event("click")
    assert page.locator("#details h3").inner_text() == "8 FIFOs"
    page.locator("#details button[aria-label=close]").click()
    assert page.locator("#details").inner_text() == ""


def test_groups_open_in_the_graph_and_in_the_schedule(opened):
    page = opened("chain")
    before = page.locator(".node").count()
    assert before == page.locator("#lanes .band").count() < 60
    page.locator(".node.group").first.dblclick()
    until(page, lambda: page.locator(".node").count() > before)
    assert page.locator(".node.open").count() == 1
    assert page.locator("#lanes .band").count() == page.locator(".node").count()
    page.locator("#open-all").click()
    until(page, lambda: page.locator(".node:not(.open)").count() == 60)
    page.locator("#lanes button", has_text="▾").first.click()
    until(page, lambda: page.locator(".node:not(.open)").count() < 60)
    page.locator("#close-all").click()
    until(page, lambda: page.locator(".node").count() == before)
    assert inside(page, ".node .box", "#canvas svg") == [before, 0]


def test_what_is_looked_for_is_shown_however_deep_in_groups(opened):
    page = opened("chain")
    page.fill("#processes input", "stage47")
    page.locator("#processes tbody tr").click()
    page.wait_for_selector(".node.chosen")
    assert page.locator(".node.chosen text").first.text_content() == "stage47"
    assert inside(page, ".node.chosen .box", "#canvas svg") == [1, 0]
    assert 12 * scale(page) > 9


def test_the_graph_is_scaled_and_moved(opened):
    page = opened("feedforward")
    width = page.locator(".node").first.bounding_box()["width"]
    page.locator("#larger").click()
    page.wait_for_timeout(400)
    assert page.locator(".node").first.bounding_box()["width"] > 1.1 * width
    left = page.locator(".node").first.bounding_box()["x"]
    box = page.locator("#canvas svg").bounding_box()
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 120, box["y"] + 10, steps=4)
    page.mouse.up()
    assert page.locator(".node").first.bounding_box()["x"] == pytest.approx(left - 100, abs=3)
    page.mouse.wheel(0, 200)
    page.wait_for_timeout(200)
    assert page.locator(".node").first.bounding_box()["width"] > 1.1 * width  # the wheel alone scrolls the page
    page.locator("#fit").click()
    assert inside(page, ".node .box", "#canvas svg")[1] == 0


def test_a_stretch_of_time_is_looked_at_closely(opened):
    page = opened("feedforward")
    page.locator("#lanes").scroll_into_view_if_needed()
    box = page.locator("#lanes .clock").bounding_box()
    before = page.locator("#strips .held").first.get_attribute("d")
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 60, steps=4)
    page.mouse.up()
    begin, end = (int(page.locator(which).input_value()) for which in ("#from", "#to"))
    assert [begin, end] == pytest.approx([33_000, 39_600], rel=0.02)
    assert page.locator("#strips .held").first.get_attribute("d") != before
    page.locator("#whole").click()
    assert [page.locator(which).input_value() for which in ("#from", "#to")] == ["0", "66023"]
    assert page.locator("#strips .held").first.get_attribute("d") == before


def test_the_keyboard_alone_reaches_everything(opened):
    """From the top of the page: buttons, a box and its facts, the order of a table, a row, a stretch of time."""
    page = opened("chain")
    reached = []
    for _ in range(400):
        page.keyboard.press("Tab")
        reached.append(
            page.evaluate("""() => {
          const own = document.activeElement;
          const section = own.closest("section");
          return own.id || own.dataset.id || own.parentNode.dataset.key || `${section?.id} ${own.tagName}`;
        }""")
        )
        if reached[-1] == "BODY" or reached[-1].startswith("undefined"):
            break
    for wanted in ("fit", "larger", "smaller", "open-all", "g0", "name", "depth", "fifos INPUT", "fifos TR", "from",
                   "to", "whole", "gantt BUTTON", "occupancy BUTTON", "processes TR"):  # fmt: skip
        assert wanted in reached, reached
    count = page.locator(".node").count()
    page.locator(".node.group").first.focus()
    page.keyboard.press("Enter")
    until(page, lambda: page.locator(".node").count() > count)
    page.locator(".node:not(.group)").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == page.locator(".node.chosen title").text_content().split("\n")[0]
    before = page.locator("#canvas svg > g").get_attribute("transform")
    page.locator("#canvas svg").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator("#canvas svg > g").get_attribute("transform") != before
    page.locator("#fifos th[data-key=depth] button").focus()
    page.keyboard.press("Enter")
    assert page.locator("#fifos th[aria-sort=descending]").inner_text() == "depth"
    page.locator("#fifos tbody tr").nth(1).focus()
    page.keyboard.press("Enter")
    assert page.locator("#details h3").inner_text() == rows(page, "fifos")[1]["FIFO"]
    page.locator("#lanes button", has_text="▸").first.focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.textContent").startswith("▾")
    page.fill("#from", "20")
    page.keyboard.press("Enter")
    assert page.evaluate("+document.querySelector('#lanes .clock text').textContent") >= 20 / 250


# --- What a file says stays text


@pytest.mark.parametrize("width", WIDTHS)
def test_names_that_try_to_be_more_stay_names(opened, width):
    page = opened("hostile", width)
    assert page.title() == f"{HOSTILE[0]}: a design in sttest"
    assert [row["process"] for row in rows(page, "processes")] == list(HOSTILE)
    for place, name in enumerate(HOSTILE):
        page.locator(f".node[data-id=p{place}]").dispatch_event("click")
        assert page.locator("#details h3").inner_text() == name
        page.fill("#processes input", name)
        assert [row["process"] for row in rows(page, "processes")] == [name]
    assert page.locator("img").count() == 0
    assert page.locator("body script").count() == 4


def test_long_names_and_other_scripts_are_cut_in_the_graph_and_whole_in_the_tables(opened):
    page = opened("long", 390)
    assert [row["process"] for row in rows(page, "processes")] == list(LONG)
    labels = page.locator(".node text:first-of-type").all_text_contents()
    assert all(len(label) <= 26 for label in labels)
    page.locator(".node").first.dispatch_event("click")
    assert page.locator("#details h3").inner_text() in LONG
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


# --- Schemes and print


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_in_both_schemes(opened, scheme):
    """Of boxes against their fill, and of the page, by the contrast that WCAG asks for."""
    page = opened("corpus", color_scheme=scheme)
    contrasts = page.evaluate("""() => {
      const pen = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
      const light = (color) => {
        pen.fillStyle = color; pen.fillRect(0, 0, 1, 1);
        const parts = [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).map((each) => each / 255)
          .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4));
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05;
      };
      const contrast = (one, other) => Math.max(light(one) / light(other), light(other) / light(one));
      const style = getComputedStyle, body = style(document.body);
      return [contrast(body.color, body.backgroundColor),
        ...[...document.querySelectorAll(".about, .soft")].map((each) =>
          contrast(style(each).color, body.backgroundColor)),
        ...[...document.querySelectorAll(".node")].map((node) =>
          contrast(style(node.querySelector("text")).fill, style(node.querySelector(".box")).fill)),
        ...[...document.querySelectorAll(".edge.wait")].map((edge) =>
          contrast(style(edge.querySelector("text")).fill, style(edge.querySelector(".label")).fill))];
    }""")
    assert len(contrasts) > 10
    assert min(contrasts) >= 4.5


def test_it_prints_light_and_whole(opened):
    page = opened("corpus", color_scheme="dark")
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 794, "height": 1123})
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(253, 252, 249)"
    until(page, lambda: page.locator("#canvas svg").bounding_box()["width"] < 794)
    assert inside(page, ".node .box", "#canvas svg") == [3, 0]
    assert page.locator("#fit").is_hidden()


@pytest.mark.nightly
def test_a_large_page_is_painted_within_a_second_and_drawn(chromium, pages, tmp_path):
    write_timed_graph(chain(5000, extra=5000), tmp_path / "g.json")
    written = write_page(tmp_path / "g.json", tmp_path / "page.html", say=lambda _: None)
    assert written.page_bytes < 2e6
    page = chromium.new_page()
    assert_painted_within_a_second(page, written.page, pages("empty"))
    page.goto(written.page.as_uri())
    page.wait_for_selector("body[data-drawn]")
    assert inside(page, ".node .box", "#canvas svg")[1] == 0
    page.locator("#fifos .more").click()
    assert page.locator("#fifos tbody tr").count() > 1000
    page.locator("#open-all").click()
    until(page, lambda: page.locator(".node").count() > 40)
    assert page.locator(".node:not(.open)").count() <= 300
    page.close()
