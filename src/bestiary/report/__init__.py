"""Tables, charts and a page, made from an experiment folder and nothing else."""

from bestiary.report.study import Study, load_study
from bestiary.report.verdict import Line, verdict

__all__ = ["Line", "Study", "load_study", "verdict"]
