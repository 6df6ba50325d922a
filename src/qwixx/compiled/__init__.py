"""What is compiled (extra "lab") and names no game:
bits, chance, the contract of the kernels, thinking, play."""
