"""Models that others wrote, in small configurations with random weights. A module for each family
of packages has functions that build them, each with inputs of two sizes. ``python -m tests.zoo``
scans them; see docs/models.md.
"""
