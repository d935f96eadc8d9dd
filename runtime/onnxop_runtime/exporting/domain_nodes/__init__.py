"""Operators as nodes of a domain, and the function bodies of these nodes."""
