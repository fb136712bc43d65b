"""Schedules of the fewest layers and channels, by a constraint solver (extra ``optimize``)."""

from bestiary.compile.optimize.solving import Found, Optimize, schedule_optimally

__all__ = ["Found", "Optimize", "schedule_optimally"]
