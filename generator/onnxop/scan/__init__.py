"""A model → the calls that do not export right, and the remedies."""
