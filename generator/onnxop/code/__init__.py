"""Spec → what templates cannot say by themselves: rules, formulas and names as code."""
