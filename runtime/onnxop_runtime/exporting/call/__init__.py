"""The user's call of an export: its arguments, the exporters, and the file."""
