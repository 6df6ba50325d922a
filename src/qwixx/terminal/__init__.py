"""A game in the terminal: playing, saving as it goes, and stepping through records."""
