"""Pages as another reader sees them, and graphs made for them."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

from sttest.sim import Event, Fifo, Loop, Pipeline, TimedGraph

ROOT = Path(__file__).parents[3]
HOSTILE = ("</script><script>document.title='owned'</script>", "<img src=x onerror=alert(1)>", "'\"&amp;{{7*7}}")
LONG = ("W" * 190, "x" * 190 + "end", "\u6570\u636e\u6d41" * 60, "\u0631\u0627\u0633\u062a" * 20, "e\u0301" * 90)
"""Names that are long, wide, written from right to left, or of combined characters."""


class Page(HTMLParser):
    """A page as another reader sees it: its tags, texts, table rows and embedded data."""

    def __init__(self, path):
        super().__init__()
        self.text = path.read_text(encoding="utf-8")
        self.tags, self.rows, self.words, self._open = [], [], [], []
        self.feed(self.text)
        (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', self.text, re.DOTALL)
        self.data = json.loads(found)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th") and self.rows:
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data):
        if {"script", "style"} & set(self._open):
            return
        self.words.append(data)
        if {"td", "th"} & set(self._open) and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    def rows_of(self, first):
        """The rows of all tables that begin with this cell."""
        return [row for row in self.rows if row[:1] == [first]]

    def process(self, name):
        """Numbers of a process, by the names of the columns."""
        columns = self.data["processes"]
        place = columns["name"].index(name)
        return {key: values[place] for key, values in columns.items()}


def chain(stages, extra=0, name="chain", names=None):
    """Pipelines in a row of 20 tokens each, some joined twice, the last also to the first with tokens on the way."""
    fifos, events = [], [[] for _ in range(stages)]

    def join(source, target, initial=0):
        fifo = f"f{len(fifos)}"
        fifos.append(Fifo(fifo, max(4, initial), 32, initial_tokens=initial))
        events[source].append(Event(fifo, "write", 1))
        events[target].append(Event(fifo, "read", 0))

    for number in range(stages - 1):
        join(number, number + 1)
    for number in range(extra):
        join(number % (stages - 1), number % (stages - 1) + 1)
    join(stages - 1, 0, initial=20)
    processes = [
        Pipeline(names[number] if names else f"stage{number}", (Loop((20,), 1, 2, tuple(own)),))
        for number, own in enumerate(events)
    ]
    return TimedGraph(name, 250.0, tuple(fifos), tuple(processes))
