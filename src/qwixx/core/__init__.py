"""The contract and its vocabulary: dice, fields, moves, events, records, errors. Knows no game."""
