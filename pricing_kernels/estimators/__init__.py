"""What numbers should come to: pi from points in a square, and frequencies."""
