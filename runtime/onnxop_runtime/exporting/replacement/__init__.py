"""The replacement of a model's own functions by operators."""
