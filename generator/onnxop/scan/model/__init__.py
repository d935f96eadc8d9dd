"""The model, its inputs, and the exports to try."""
