"""Exports of the model, and of its calls."""
