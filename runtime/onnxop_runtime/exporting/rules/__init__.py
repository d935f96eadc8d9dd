"""Operators' rules in the form that each exporter takes, and the writers of their nodes."""
