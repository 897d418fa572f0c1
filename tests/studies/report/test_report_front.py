"""Headlines of the page against the committed tables, read here without the report's code."""

import csv
import re
from pathlib import Path

import pytest
import yaml

RESULTS = Path(__file__).parents[3] / "results"
BOARDS = Path(__file__).parents[3] / "sttest" / "boards" / "data"
NAMES = {
    "gpt2": "GPT-2 Medium",
    "qwen": "Qwen2.5-0.5B",
    "llama": "TinyLlama-1.1B",
    "gemma": "Gemma-3-1B",
    "llama-3.2-1b": "Llama-3.2-1B",
    "llama-3.1-8b": "Llama-3.1-8B",
    "qwen3-8b": "Qwen3-8B",
}
OPPONENTS = {"per layer": "A100 as in the paper's own GPT-2 rows", "graphs": "A100 that replays CUDA graphs"}


def committed(experiment):
    with (RESULTS / experiment / "table.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [{**row, "metric": f"{row['metric']} [{row['point']}]" if row["point"] else row["metric"]} for row in rows]


def lines_of(page, section):
    return [texts for own, texts in page.lines if own == section]


def as_number(text):
    return float(text.replace(",", "").replace("−", "-").removesuffix("\N{THIN SPACE}%"))


def line_about(lines, *words):
    (found,) = (line for line in lines if all(word in line[0].split(", ") or word in line[0] for word in words))
    return found


def check_comparison(line, row):
    unit, reference, ours, error = line[1:5]
    assert unit == row["unit"]
    assert as_number(reference) == pytest.approx(float(row["reference"]), rel=2e-3)
    assert as_number(ours) == pytest.approx(float(row["value"]), rel=2e-3)
    assert as_number(error) == pytest.approx(100 * (float(row["value"]) / float(row["reference"]) - 1), abs=0.051)


def test_every_published_row_of_gpt2_stands_beside_ours(page):
    lines, shown = lines_of(page, "paper"), 0
    for row in committed("gpt2"):
        found = re.fullmatch(r"(latency|ttft|speed) (\[\d+:\d+\])", row["metric"])
        if found and row["reference"]:
            name = "time to first token" if found[1] == "ttft" else found[1]
            line = line_about(lines, f"{name} {found[2]}")
            check_comparison(line, row)
            assert line[5] == row["note"], "it says what was fitted"
            shown += 1
    assert shown == 12


@pytest.mark.parametrize("model", ["qwen", "gemma"])
def test_energy_ratios_stand_beside_the_published_ones(page, model):
    for opponent, words in OPPONENTS.items():
        (row,) = (
            row
            for row in committed("emerging")
            if row["metric"] == f"best tokens/J over A100 {opponent}, rule tdp" and row["model"] == model
        )
        check_comparison(line_about(lines_of(page, "paper"), NAMES[model], words), row)


def test_the_designs_of_the_timing_stand_beside_their_co_simulation(page):
    rows = [row for row in committed("fidelity") if row["reference"]]
    lines = [line for line in lines_of(page, "fidelity") if "reference" not in line]
    assert len(lines) == len(rows) == 12
    for row in rows:
        check_comparison(line_about(lines, row["model"].replace("_", " ")), row)
    errors = [abs(as_number(line[4])) for line in lines]
    assert errors == sorted(errors, reverse=True), "the largest miss comes first"


def test_the_best_designs_are_those_of_their_table(page):
    columns = {
        "decode": (
            "speed",
            "speed, host left out",
            "fraction of roofline, sustained bandwidth, host left out",
            "speed of the card, middle clock",
            "energy per token, central case",
            "fullest share",
        ),
        "prefill": (
            "time to first token",
            "time to first token, middle clock",
            "energy per token, central case",
            "fullest share",
        ),
    }
    known = {(row["model"], row["phase"], row["metric"]): row for row in committed("best")}
    lines = [line for line in lines_of(page, "best-designs") if line[0] != "model"]
    designs = {
        (row["model"], row["phase"], row["metric"][-6:].strip(" []").rpartition("[")[2])
        for row in known.values()
        if row["metric"].startswith("cycles per launch [")
    }
    assert len(lines) == len(designs) == 20
    for model, phase, budget in designs:
        (line,) = (
            each for each in lines if each[:2] == [NAMES[model], budget] and len(each) == len(columns[phase]) + 3
        )
        for text, metric in zip(line[2:], columns[phase], strict=False):
            assert as_number(text) == pytest.approx(
                float(known[model, phase, f"{metric} [{budget}]"]["value"]), rel=6e-3
            )


def test_the_picture_shows_what_the_tables_hold(page):
    gpt2 = {row["board"]: float(row["value"]) for row in committed("gpt2") if row["metric"] == "speed [256:256]"}
    best = {
        row["metric"]: float(row["value"])
        for row in committed("best")
        if (row["model"], row["phase"]) == ("gpt2", "decode")
    }
    expected = [gpt2[name] for name in ("rtx2080ti", "a100", "dfx", "allo", "streamtensor", "u55c")]
    expected += [best["speed [tight]"], best["speed, host left out [tight]"]]
    shown = re.findall(r"^\s*([\d,.]+)\s*$", page.picture_text, re.MULTILINE)
    values = [number for number in map(as_number, shown) if any(number == pytest.approx(v, rel=5e-3) for v in expected)]
    assert values == pytest.approx(expected, rel=5e-3)


def test_rejected_hypotheses_are_not_among_what_is_kept(page):
    patterns = {
        "gpt2": r".*with (scheme w4a8|launch (single_low|back_to_back|single_high)_us)",
        "emerging": r"best.*(rule drawn|rule net|H200|eager|launch (single|back)|LM head on the card).*",
        "fig9": r"best tokens/J.*",
        "onchip": r".*the model's operations [nc]=.*",
        "attention": r"one pass.*",
    }
    for experiment, pattern in patterns.items():
        expected = sum(
            bool(row["reference"]) and re.fullmatch(pattern, row["metric"]) is not None for row in committed(experiment)
        )
        apart = kept = 0
        for cell in page.cells:
            record = page.record(cell.number)
            if record["experiment"] == experiment and record["reference"] is not None:
                is_apart = re.match(r"h\d", cell.section) is not None
                apart += is_apart
                kept += not is_apart and re.fullmatch(pattern, record["metric"]) is not None
        assert (apart, kept) == (expected, 0), experiment


def test_every_source_stands_once_with_the_tables_that_use_it(page):
    used = {}
    for folder in sorted(RESULTS.iterdir()):
        for row in committed(folder.name):
            if row["source"]:
                used.setdefault(" ".join(row["source"].split()), set()).add(folder.name)
    listed = re.findall(r"^S\d+ (.*)\n(.*)$", page.text, re.MULTILINE)
    texts = [" ".join(text.split()) for text, _ in listed]
    assert len(texts) == len(set(texts))
    by_text = {text: set(origins.split(", ")) for text, (_, origins) in zip(texts, listed, strict=True)}
    for text, experiments in used.items():
        assert experiments <= by_text[text]


def quantities_of(part):
    if isinstance(part, dict) and {"value", "unit", "source", "kind"} <= part.keys():
        yield part
    elif isinstance(part, dict | list):
        for inner in part.values() if isinstance(part, dict) else part:
            yield from quantities_of(inner)


def test_a_board_shows_every_quantity_of_its_file(page):
    document = yaml.safe_load((BOARDS / "u55c.yaml").read_text(encoding="utf-8"))
    lines = [tuple(line[1:]) for line in lines_of(page, "b-u55c") if line[0] != "quantity"]
    expected = list(quantities_of(document))
    assert len(lines) >= len(expected) > 100
    for each in expected:
        unit = "" if each["unit"] == "count" else each["unit"]
        assert any(
            line[0] == unit
            and line[2:] == (each["kind"], " ".join(each["source"].split()))
            and as_number(line[1]) == pytest.approx(each["value"], rel=2e-3)
            for line in lines
        ), each
