"""A review as a page of its own: everything in one file, nothing fetched, no script."""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, Final

from qwixx import games
from qwixx.core.dice import Dice
from qwixx.core.events import apply
from qwixx.core.picture import Cell, Guide, Strip
from qwixx.core.record import beginning
from qwixx.study.curve import COLOURS, drawn
from qwixx.study.grading import label_of
from qwixx.study.judging import Worth
from qwixx.study.reviews import Review
from qwixx.study.turns import Decision
from qwixx.study.words import named, sentence

_INKS: Final = {"R": "#c62828", "Y": "#b7791f", "G": "#2e7d32", "B": "#1565c0"}
_STYLE: Final = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 1rem auto; padding: 0 1rem;
  color: #222; background: #fff }
table { border-collapse: collapse; margin: .5rem 0 }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
.turn { border-top: 2px solid #ddd; margin-top: 1.5rem }
.inaccuracy, .mistake, .blunder { border-left: 4px solid #b7791f; padding-left: .6rem }
.mistake { border-color: #d9480f } .blunder { border-color: #c62828 }
.board { display: inline-block; margin: .3rem 1rem .3rem 0; vertical-align: top }
.row { display: flex } .row span { width: 1.6rem; text-align: center; margin: 1px; color: #fff;
  border-radius: 3px; font-size: .8rem }
.row .gone { opacity: .4; text-decoration: line-through }
details { margin: .2rem 0 } img, svg { max-width: 100%; height: auto }
"""


def page(review: Review, names: Sequence[str]) -> str:
    """The whole page."""
    guide = games.guide(review.record.game)
    title = f"{guide.title}: {', '.join(names)}"
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>",
            f"<h1>{escape(title)}</h1>",
            drawn(review, "The game turn by turn", names),
            *_sums(review, names),
            *_turns(guide, review, names),
            "</body>\n</html>\n",
        ]
    )


def _sums(review: Review, names: Sequence[str]) -> Iterator[str]:
    """Where every seat's result came from."""
    for title, win in (("Wins", True), ("Points", False)):
        if win and len(names) == 1:
            continue
        heads = ("", "start", "luck", "errors", "others", "rest", "result")
        yield f"<h2>{title}</h2>\n<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
        for name, one in zip(names, review.players, strict=True):
            loss = Worth() - one.loss
            parts = (one.start, one.luck, loss, one.others, one.rest, one.result)
            cells = "".join(f"<td>{_number(part, win)}</td>" for part in parts)
            like = f" (played like {escape(one.plays_like)})" if one.plays_like else ""
            yield f"<tr><td>{escape(name)}{like}</td>{cells}</tr>"
        yield "</table>"


def _number(worth: Worth, win: bool) -> str:
    return f"{worth.win:.1%}" if win else f"{worth.points:.1f}"


def _turns(guide: Guide[Any], review: Review, names: Sequence[str]) -> Iterator[str]:
    """Every turn: the throw with its luck, the board, and the choices."""
    game, record, alone = guide.game, review.record, len(names) == 1
    state = beginning(game, record)
    judged = {turn.event: turn for turn in review.turns}
    choices = {one.event: one for turn in review.turns for one in turn.decisions}
    rolls = 0
    yield "<h2>Turn by turn</h2>"
    for number, event in enumerate(record.events):
        before, state = state, apply(game, state, event)
        if isinstance(event, Dice):
            rolls += 1
            luck = ", ".join(
                f"{escape(name)} {worth.points:+.1f}"
                + ("" if alone else f" points, {worth.win:+.1%} of a win")
                for name, worth in zip(names, judged[number].luck, strict=True)
            )
            yield f'<section class="turn"><h3>Turn {rolls}: {event}</h3>\n<p>Luck: {luck}</p>'
            yield from _boards(guide, before, names)
        else:
            yield _choice(choices[number], names, alone)
        if not game.to_act(state):
            yield "</section>"
    yield "<h3>The end</h3>"
    yield from _boards(guide, state, names)


def _choice(one: Decision, names: Sequence[str], alone: bool) -> str:
    label, name = label_of(one, alone), escape(names[one.seat])
    if not one.chosen:
        return f"<p>{name}: {named(one.move)}</p>"
    better = "" if one.move == one.best else f", better {named(one.best)}"
    ranked = sorted(
        one.values, key=lambda move: (one.values[move].win, one.values[move].points), reverse=True
    )
    rows = "".join(
        f"<tr><td>{named(move)}</td>"
        + ("" if alone else f"<td>{one.values[move].win:.1%}</td>")
        + f"<td>{one.values[move].points:.1f}</td></tr>"
        for move in ranked
    )
    return (
        f'<div class="{label}"><p>{name}: {named(one.move)} ({label}{better}: '
        f"{escape(sentence(one.reason))})</p><details><summary>All choices</summary>"
        f"<table>{rows}</table></details></div>"
    )


def _boards(guide: Guide[Any], state: Any, names: Sequence[str]) -> Iterator[str]:
    for panel in guide.panels(state):
        name = "" if panel.seat is None else f"<div>{escape(names[panel.seat])}</div>"
        rows = "".join(f'<div class="row">{_strip(strip)}</div>' for strip in panel.strips)
        failed = f"<div>failed throws: {len(panel.failed)}</div>" if panel.failed else ""
        yield f'<div class="board">{name}{rows}{failed}</div>'


def _strip(strip: Strip) -> str:
    return "".join(map(_cell, strip.cells))


def _cell(cell: Cell) -> str:
    """A mark is white on its colour, with its owner's frame; what is empty is written in colour."""
    shown, ink = "L" if cell.field is None else escape(cell.label), _INKS[cell.colour]
    if cell.owner is None:
        kind = ' class="gone"' if cell.gone else ""
        return f'<span{kind} style="color:{ink};box-shadow:inset 0 0 0 1px {ink}">{shown}</span>'
    mark = "✕" if cell.height == 1 else f"✕{cell.height}"
    frame = f"outline:2px solid {COLOURS[cell.owner]}"
    return f'<span style="background:{ink};{frame}">{mark}</span>'
