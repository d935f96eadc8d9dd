"""Small tests beside modules of the runtime."""
