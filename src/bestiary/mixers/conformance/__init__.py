"""What every mixer is held to: ``bestiary check`` and the tests of our own run the same suite."""

from bestiary.mixers.conformance.refusal import refuse_if_unusable
from bestiary.mixers.conformance.report import Report, Result
from bestiary.mixers.conformance.suite import CHECKS, Check, check

__all__ = ["CHECKS", "Check", "Report", "Result", "check", "refuse_if_unusable"]
