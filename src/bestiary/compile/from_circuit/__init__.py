"""Arithmetic circuits as programs of BaseConv layers."""
