"""Spec → the templates' context: rules, formulas and names as code."""
