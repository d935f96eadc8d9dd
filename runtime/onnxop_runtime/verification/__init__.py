"""PyTorch against the runtimes: sessions, and the one definition of what is right."""
