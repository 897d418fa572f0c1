"""README as GitHub shows it and pages of the site in a browser, on a screen and on a phone.

``--screenshots FOLDER`` keeps the pictures, to be looked at.
"""

from __future__ import annotations

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from doc_pages import ROOT
from rendered_blocks import github_html

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install 'sttest[dev]'")
pytestmark = pytest.mark.slow

PAGES = {"home": "", "gallery": "what-if/gallery/", "whatif": "what-if/shipped-studies/"}
WIDTHS = (1440, 390)
LIKE_GITHUB = """<!DOCTYPE html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>README</title><link rel="icon" href="data:,">
<style>
body { max-width: 1012px; margin: 0 auto; padding: 16px; font: 16px/1.5 sans-serif; color: #1f2328 }
h1, h2 { border-bottom: 1px solid #d1d9e0; padding-bottom: .3em }
table { display: block; width: max-content; max-width: 100%; overflow: auto; border-collapse: collapse }
th, td { border: 1px solid #d1d9e0; padding: 6px 13px }
code { font: 85% monospace; background: #818b981f; padding: .2em .4em; border-radius: 6px; white-space: break-spaces }
pre { padding: 16px; overflow: auto; background: #f6f8fa; border-radius: 6px }
pre code { background: none; padding: 0; white-space: pre }
</style>
"""
OUTSIDE = """() => {
  const edges = function* (element) {
    yield element.getBoundingClientRect().right;
    for (let each = element; each; each = each.parentElement) {
      const scrolls = ["auto", "scroll"].includes(getComputedStyle(each).overflowX);
      if (scrolls) yield each.getBoundingClientRect().right; } };
  return [...document.querySelectorAll("table, pre, img")].filter((each) => each.checkVisibility()
    && Math.min(...edges(each)) > innerWidth + 1).map((each) => each.outerHTML.slice(0, 80)); }"""
"""Tables, code and pictures that go beyond the screen, and no box around them scrolls."""


@pytest.fixture(scope="module")
def addresses(site, tmp_path_factory):
    """Where the pages are served: the site needs a server, README is a file."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    readme = tmp_path_factory.mktemp("readme") / "README.html"
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    readme.write_text(LIKE_GITHUB + github_html(text), encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=site)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        root = f"http://127.0.0.1:{server.server_port}/"
        yield {"readme": readme.as_uri(), **{name: root + page for name, page in PAGES.items()}}
        server.shutdown()


@pytest.fixture
def opened(chromium, addresses):
    """Opens a page; at the end, its console has said nothing, no request failed, and none went elsewhere."""
    said, made = [], []

    def make(name, width):
        page = chromium.new_page(viewport={"width": width, "height": 900})
        made.append(page)
        page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("response", lambda response: said.append(response.url) if response.status >= 400 else None)
        page.on("request", lambda request: said.append(request.url) if not ours(request.url) else None)
        page.goto(addresses[name])
        page.wait_for_load_state("networkidle")
        return page

    def ours(url):
        return url.startswith(("data:", "blob:", addresses["home"], addresses["readme"]))

    yield make
    for page in made:
        page.close()
    assert said == []


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["readme", *PAGES])
def test_a_page_is_silent_whole_and_as_wide_as_the_screen(opened, name, width, pytestconfig, tmp_path):
    page = opened(name, width)
    folder = pytestconfig.getoption("--screenshots") or tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=folder / f"{name}-{width}.png", full_page=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(OUTSIDE) == []
    pictures = page.evaluate("[...document.images].map((each) => [each.src, each.complete, each.naturalWidth])")
    assert [each for each in pictures if not each[1] or not each[2]] == []
    assert len(pictures) == (8 if name == "gallery" else 0)


def test_a_page_wider_than_the_screen_is_found(chromium, tmp_path):
    page = chromium.new_page(viewport={"width": 390, "height": 900})
    page.set_content("<main><table><tr><td><div style='width: 500px'>wide</div></table></main>")
    assert page.evaluate("document.documentElement.scrollWidth") > 390
    assert page.evaluate(OUTSIDE) != []
    page.set_content(f"{LIKE_GITHUB}<table><tr><td><div style='width: 500px'>wide, in its own box</div></table>")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.evaluate(OUTSIDE) == []
    page.close()
