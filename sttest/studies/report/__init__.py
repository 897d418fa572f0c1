"""One HTML page of all results: tables, figures, schedules, and where every number is from.

``read`` takes result folders, ``pivot`` makes tables of them, ``schedule`` simulates blocks,
``page`` puts everything into the templates and writes the file.
"""

from sttest.studies.report.page import ReportPage, build_report

__all__ = ["ReportPage", "build_report"]
