"""Every page is shown with the blocks that its source means, on GitHub and on the site.

What a source means is read without a renderer (``source_blocks``); renderers of Markdown differ in what ends a
paragraph, and in where lists and tables begin.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from blocks import differences
from bs4 import Tag
from doc_pages import PAGES, ROOT
from rendered_blocks import article, cut_sentences, github_html, raw_markup, rendered_blocks, site_html
from source_blocks import source_blocks

DOCS = ROOT / "docs"
OTHERS = sorted(path for place in ("examples", "experiments", "tests") for path in (ROOT / place).rglob("README.md"))
ON_GITHUB = (*PAGES, ROOT / "CHANGELOG.md", *OTHERS)


def faults(source: str, page: Tag) -> list[str]:
    """What is wrong with a page as it is shown."""
    found = differences(source_blocks(source), rendered_blocks(page))
    found += [f"cut: {text}" for text in cut_sentences(page)]
    return found + [f"raw: {text}" for text in raw_markup(page)]


def otherwise(source: str, page: Tag) -> list[str]:
    """What is not shown as on GitHub, to the letter: marks that one takes for markup and the other for text."""
    pairs = zip(rendered_blocks(article(github_html(source))), rendered_blocks(page), strict=False)
    return [f"on GitHub {theirs}\n    here {ours}" for theirs, ours in pairs if theirs != ours]


@pytest.mark.parametrize("path", ON_GITHUB, ids=lambda path: str(path.relative_to(ROOT)))
def test_github_shows_the_blocks_of_the_source(path):
    text = path.read_text(encoding="utf-8")
    assert faults(text, article(github_html(text))) == []


@pytest.mark.daily
@pytest.mark.slow
def test_the_site_shows_the_blocks_of_every_source(site, site_config):
    hook, found = site_config.hooks["docs/site.py"], {}
    for path in sorted(DOCS.rglob("*.md")):
        page = article((site / address(path) / "index.html").read_text(encoding="utf-8"))
        text = hook.on_page_markdown(path.read_text(encoding="utf-8")).removesuffix(hook.DOCSTRINGS)
        found[str(path.relative_to(DOCS))] = otherwise(text, page) + faults(text, page)
    assert {name: lines for name, lines in found.items() if lines} == {}


def address(path: Path) -> Path:
    """The folder of a page on the site."""
    return path.relative_to(DOCS).parent / ("" if path.stem == "index" else path.stem)


# --- What these tests find


WHOLE = """# A page

Two sentences, one with a [link](x.md) and `code`. The value is
<span>227</span><!-- figure: value() as d -->. Another (**<span>1.0</span><!-- figure: value() as .1f -->**) is
<span>none of 3; the best: 4096</span><!-- figure: best() as s -->.

<!-- table: rows() -->
| a | b \\| c, `d` |
| --- | ---: |
| 1 | <span>2</span><!-- figure: value() as d --> |
<!-- end -->

- An item that goes on
  here, and

    a paragraph of it.

- Another:
    - An item within.

Numbers:

1. One.
2. Two.

<!-- run: never, it says why -->
```sh
run **this** `now` # <!-- with a comment -->
```

    indented code

    in two parts
"""
BROKEN = {
    "a line that begins with a marker": (
        "It makes up to\n<!-- figure: value() as d -->227<!-- end --> tokens/s, and\nmore.\n",
        "github site",
    ),
    "a number that became a list": (
        "It is at\n<!-- figure: value() as d -->227<!-- end -->. An H100's memory is at more.\n",
        "github site",
    ),
    "a number within an item": ("- It ends with exit code\n  3. On hardware it does not.\n", "site"),
    "a first number at the start of a line": ("It ends with exit code\n1. On hardware it does not.\n", "github"),
    "a table right behind a sentence": ("These are the rows:\n| a | b |\n| --- | --- |\n| 1 | 2 |\n", "site"),
    "a table swallowed by a comment": ("<!-- table: rows()\n| a | b |\n| --- | --- |\n| 1 | 2 |\n", "github site"),
    "a table behind a comment": ("<!-- table: rows() --> | a | b |\n| --- | --- |\n| 1 | 2 |\n", "github"),
    "a table whose cell holds a bar": ("| a | b |\n| --- | --- |\n| 1 | <!-- x | y --> 2 |\n", "github site"),
    "a link cut in two": ("See [the\n<!-- figure: value() as d -->2<!-- end --> pages](x.md) first.\n", "github site"),
    "bold cut in two": ("See **the\n<!-- figure: value() as d -->2<!-- end --> pages** first.\n", "github site"),
    "an item whose second paragraph has too small an indent": ("- An item.\n\n  More of it.\n", "site"),
    "an item within, of too small an indent": ("- An item.\n  - One within.\n", "site"),
    "a list right behind a sentence": ("These are the items:\n- One.\n- Two.\n", "github"),
    "numbers right behind bullets": ("- An item.\n\n1. One.\n2. Two.\n", "site"),
    "code within an item": ("1. Do this:\n\n    <!-- run: nightly -->\n    ```sh\n    run it\n    ```\n", "site"),
    "a sentence cut by a blank line": ("It makes up to 227\n\ntokens/s.\n", "github site"),
}


@pytest.fixture
def renderers(site_config):
    return {"github": github_html, "site": partial(site_html, config=site_config)}


@pytest.mark.parametrize("name", ["github", "site"])
def test_a_whole_page_has_no_faults(name, renderers):
    assert faults(WHOLE, article(renderers[name](WHOLE))) == []


@pytest.mark.parametrize(("text", "where"), BROKEN.values(), ids=BROKEN)
def test_what_breaks_is_found(text, where, renderers):
    found = [name for name, shown in renderers.items() if faults(text, article(shown(text)))]
    assert found == where.split()


def test_raw_markup_is_named_with_the_words_around_it():
    page = article("<article class='md-content__inner'><p>See [the pages](x.md) <code>`**`</code> first.</p></article>")
    assert raw_markup(page) == ["See [the pages](x.md) . first."]
