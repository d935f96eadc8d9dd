"""Spec file → Spec: tables, positions, samples and formulas, all of them checked."""
