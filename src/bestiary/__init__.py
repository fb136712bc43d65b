"""Bestiary: measure what sequence mixers can recall, and compile the theory into weights."""

__version__ = "0.1.0"
