"""Spec file → Spec: tables, positions, samples and formulas, all checked."""
