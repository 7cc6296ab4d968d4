"""What a check gives back, as plain data."""
