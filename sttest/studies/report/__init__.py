"""One HTML page of all results: headlines, tables, figures, and where every number is from.

``read`` takes result folders, ``pivot`` makes tables of them, ``front`` chooses headlines, ``hypotheses`` sets apart
what was rejected, ``page`` puts everything into the templates and writes the file.
"""

from sttest.studies.report.page import ReportPage, build_report

__all__ = ["ReportPage", "build_report"]
