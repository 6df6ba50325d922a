"""`python -m qwixx` is the command `qwixx`."""

from qwixx.cli import main

main()
