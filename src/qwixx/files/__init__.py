"""What is kept on disk for the next time: where it lies, and tables of numbers."""
