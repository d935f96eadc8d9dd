"""Calls that samples do not make: how they are drawn, and compared with the reference."""
