"""A report as text, and as data for programs."""
