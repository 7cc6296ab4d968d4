"""The verdict on a kernel: what the analyses prove of each subject of each property."""
