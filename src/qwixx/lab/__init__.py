"""For those who want to know: compiled play, the exact best practice game, bots against each other."""
