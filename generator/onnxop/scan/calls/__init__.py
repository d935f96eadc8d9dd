"""The model as exporters trace it."""
