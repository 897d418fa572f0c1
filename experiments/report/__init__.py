"""One HTML page of all results: tables, figures, schedules, and where every number is from.

``read`` takes result folders, ``pivot`` makes tables of them, ``schedule`` simulates blocks,
``page`` puts everything into the templates and writes the file.
"""

from experiments.report.page import Report, build_report

__all__ = ["Report", "build_report"]
