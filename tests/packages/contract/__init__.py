"""The runtime's promises for every operator: tests that run beside packages."""
