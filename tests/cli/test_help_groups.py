"""Headings of help: an option is below one of its verb."""

import pytest
import typer

from sttest.cli.app import _Commands
from sttest.cli.help import GROUPS, VERBS_OF, HelpPage
from sttest.cli.verbs import VERBS

COMMANDS = _Commands()
OF_ALL = ("Options", "Running", "Output")


def headings(verb):
    """Of each option of a verb, the heading."""
    command = COMMANDS[verb]
    page = HelpPage.of(command, typer.Context(command, info_name=verb))
    return {
        word: heading
        for heading, records in page.groups.items()
        for name, _ in records
        for word in name.replace(",", " ").split()
        if word.startswith("--")
    }


@pytest.mark.parametrize(
    ("verb", "option", "heading"),
    [
        ("simulate", "--trace", "Output"),
        ("serve", "--trace", "Requests"),
        ("serve", "--prompt-tokens", "Requests"),
        ("run", "--prompt-tokens", "Options"),
        ("build", "--board", "Options"),
        ("build", "--flow", "Options"),
        ("compile", "--board", "Workload"),
        ("whatif", "--plot", "Output"),
        ("emulate", "--streams", "Output"),
    ],
)
def test_an_option_is_below_the_heading_of_its_verb(verb, option, heading):
    assert headings(verb)[option] == heading


def test_a_heading_says_whose_it_is_and_no_other_verb_has_it():
    assert set(VERBS_OF) == set(GROUPS) - set(OF_ALL)
    found = {verb: set(headings(verb).values()) for verb in VERBS}
    for heading, verbs in VERBS_OF.items():
        assert [verb for verb in VERBS if heading in found[verb] and verb not in verbs] == []
        assert any(heading in found[verb] for verb in verbs)


def test_every_option_of_a_heading_is_one_of_a_verb_that_has_it():
    flags = {verb: set(headings(verb)) for verb in VERBS}
    for heading, options in GROUPS.items():
        verbs = VERBS_OF.get(heading, VERBS)
        assert [option for option in options if not any(option in flags[verb] for verb in verbs)] == []
