"""Lines of a model's code."""
