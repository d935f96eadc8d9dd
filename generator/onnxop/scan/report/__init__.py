"""What the stages of a scan return."""
