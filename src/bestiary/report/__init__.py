"""Tables, charts and a page, made from an experiment folder and nothing else."""

from bestiary.report.study import Study, load_study
from bestiary.report.summary import summary, summary_table
from bestiary.report.verdict import Line, verdict
from bestiary.report.write import ReportPaths, write_report

__all__ = [
    "Line",
    "ReportPaths",
    "Study",
    "load_study",
    "summary",
    "summary_table",
    "verdict",
    "write_report",
]
