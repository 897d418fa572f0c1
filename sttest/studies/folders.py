"""The door of studies: a study of a published system is a package with a file ``study.yaml`` in it.

    Offer("studies", "pim-gpt", "my_package.pim_gpt:__file__")

names the package.  The file says what is asked, which program makes the table, on which page it is told, and what the
papers say: an entry of the catalog for each of the systems.
"""

from functools import cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from sttest.core.errors import InputError
from sttest.core.extensions import Offer, offers
from sttest.core.files import read_yaml
from sttest.core.validation import validated

__depends__ = ()  # what a study says of itself is no part of its result

STUDY = "study.yaml"


class Study(BaseModel):
    """What ``study.yaml`` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str  # name of the study, of ``sttest reproduce`` and of its folder of results
    question: str = Field(min_length=1, max_length=110)  # what is asked, one line
    program: str  # module whose ``reproduce`` makes the table
    seconds: float = Field(gt=0)  # what that took on two cores
    figure: str = ""  # module whose ``FIGURE`` is drawn from the rows; none without
    page: str = ""  # file of the repository that tells of it
    systems: dict[str, dict[str, Any]] = {}  # entries of the catalog by name, without command and results

    @property
    def offer(self) -> Offer:
        """Its program, as an experiment."""
        return Offer("experiments", self.name, f"{self.program}:reproduce", self.question)

    @property
    def command(self) -> str:
        """What makes its table."""
        return f"sttest reproduce {self.name}"


@cache
def studies() -> dict[str, Study]:
    """The studies of extensions by name.

    Raises:
        InputError: a file that is none, or that has another name than what is offered.
    """
    return {name: _read(name, study_file(name)) for name in offers("studies")}


def study_file(name: str) -> Path:
    """The file of a study that is offered."""
    return Path(offers("studies")[name].load()).with_name(STUDY)


def _read(name: str, path: Path) -> Study:
    study = validated(Study, read_yaml(path), str(path))
    if study.name != name:
        raise InputError("broken-extension", f"is offered as '{name}', and is '{study.name}'", where=str(path))
    return study
