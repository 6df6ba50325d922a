"""Any position, changed by taps, and what every throw would make of it; and a game that goes on from
one: the law says what can be, the record where it began."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from client import Client, Json, Server, run, secret
from stage import judged

from qwixx import games, study
from qwixx.cli import cli
from qwixx.core import proof
from tables import classic_position, duel_position, sheet

FIVE = "R2 R3 R4 R5 R6"


def tried(server: Server, position: Json, *edits: Json) -> tuple[int, Json]:
    body = json.dumps({"position": position, "edits": edits}).encode()
    status, answer = server.request("POST", "/api/position", body)
    return status, json.loads(answer)


def after(server: Server, position: Json, *edits: Json) -> Json:
    status, found = tried(server, position, *edits)
    assert status == 200, found
    changed: Json = found["position"]
    rules, state = games.read_position(changed)
    assert rules.to_position(state) == changed
    return changed


def tap(place: str, seat: int | None = 0) -> Json:
    return {"do": "tap", "place": place, "seat": seat}


def test_a_tap_crosses_and_frees_and_the_lock_comes_with_the_last_number(server: Server) -> None:
    start = classic_position("", "")
    crossed = after(server, start, tap("R7"), tap("R3"), tap("B4", 1))
    assert [one["R"] for one in crossed["sheets"]] == [[3, 7], []]
    assert crossed["sheets"][1]["B"] == [4]
    assert after(server, crossed, tap("R3"), tap("R7"), tap("B4", 1)) == start
    for last in ("R", "R12"):
        closed = after(server, classic_position(FIVE, ""), tap(last))
        assert closed == classic_position(f"{FIVE} R12", "")
        assert after(server, closed, tap(last)) == classic_position(FIVE, "")


def test_what_cannot_be_is_refused_with_its_rule(server: Server) -> None:
    for position, edit, rule in (
        (classic_position("", ""), tap("R12"), "C6"),
        (classic_position(f"{FIVE} R12", ""), tap("R4"), "C6"),
        (duel_position(), tap("R12"), "D9"),
        (duel_position("R5bb"), {"do": "fail", "seat": 0, "count": 5}, "D12"),
    ):
        status, found = tried(server, position, edit)
        assert (status, found["code"], found["rule"]) == (400, "bad_position", rule), found
    for edit in (tap("R13"), tap("X"), tap("R5", 2), {"do": "turn", "seat": 4}):
        assert tried(server, classic_position("", ""), edit)[0] == 400
    assert tried(server, classic_position("", ""), tap("R5", None))[1]["code"] == "bad_request"
    assert tried(server, classic_position("", ""), *[tap("R5")] * 9)[1]["code"] == "bad_message"


def test_pieces_stack_take_each_others_place_and_are_taken_away(server: Server) -> None:
    board = after(
        server, duel_position(), tap("R5"), tap("R5"), tap("R7", 1), tap("G9"), tap("G9", 1)
    )
    assert board == duel_position("R5bb R7g G9g")
    assert after(server, board, tap("R5", None), tap("R7", None)) == duel_position("R5b G9g")
    closed = after(server, duel_position("B9bbbbb"), tap("B"))
    assert closed == duel_position("B9bbbbb B2b B*b")
    assert after(server, closed, tap("B2", None)) == duel_position("B9bbbbb")


def test_failed_throws_turns_and_the_end(server: Server) -> None:
    third = after(server, classic_position("", ""), {"do": "fail", "seat": 1, "count": 3})
    assert (third["sheets"][1]["failed"], third["phase"]) == (3, "roll")
    over = after(server, third, {"do": "fail", "seat": 1, "count": 4})
    assert (over["phase"], over["active"]) == ("over", 1)
    back = after(server, over, {"do": "fail", "seat": 1, "count": 0}, {"do": "turn", "seat": 0})
    assert back == classic_position("", "")
    ended = after(server, classic_position(f"{FIVE} R12 Y2 Y3 Y4 Y5 Y6", ""), tap("Y"))
    assert ended["phase"] == "over"


def test_dice_are_laid_and_lifted_and_leave_with_their_row(server: Server) -> None:
    thrown = after(server, classic_position(FIVE, ""), {"do": "dice", "dice": "41 3625"})
    assert (thrown["phase"], thrown["dice"]) == ("white", "41 3625")
    closed = after(server, thrown, tap("R"))
    assert (closed["phase"], closed["dice"]) == ("white", "41 .625")
    assert after(server, closed, tap("R"))["phase"] == "roll"
    assert after(server, thrown, {"do": "dice"}) == classic_position(FIVE, "")
    status, found = tried(server, closed, {"do": "dice", "dice": "41 3625"})
    assert (status, found["rule"]) == (400, "S4")
    chosen = classic_position("R5", "", phase="colour", dice="41 3625", white="R5")
    assert after(server, chosen, tap("Y6"))["phase"] == "white"


@pytest.mark.parametrize(
    "position",
    [
        classic_position("R2 R5 Y3", "G9 B8"),
        duel_position("R5bb Y7g G10b B6g"),
        classic_position("R9"),
    ],
    ids=["two", "duel", "alone"],
)
def test_the_luck_of_every_throw_has_no_mean(server: Server, position: Json) -> None:
    body = json.dumps({"position": position, "throws": True}).encode()
    status, answer = server.request("POST", "/api/values", body)
    found = json.loads(answer)
    assert status == 200, found
    throws, seats = found["throws"], len(found["win"])
    assert [(one["sum"], one["ways"]) for one in throws] == [
        (number, 6 - abs(7 - number)) for number in range(2, 13)
    ]
    for what in ("win", "points"):
        for seat in range(seats):
            mean = sum(one["ways"] * one["luck"][what][seat] for one in throws) / 36
            assert mean == pytest.approx(0, abs=1e-4)
            for one in throws:
                assert one["low"][what][seat] <= one["luck"][what][seat] + 1e-6
                assert one["luck"][what][seat] <= one["high"][what][seat] + 1e-6
    # The worst and the best are luck that a throw can have.
    rules, table = games.read_position(position)
    judge = study.judgement(rules, seats)
    before, lucks = judge.before(table), list[float]()
    for dice, _ in rules.throws(table):
        if dice.whites == (1, 1) and dice.coloured[1:] in ((1, 1, 1), (3, 3, 3)):
            lucks.append((judge.after(table, dice)[0] - before[0]).points)
    assert throws[0]["low"]["points"][0] <= min(lucks) + 1e-4
    assert max(lucks) <= throws[0]["high"]["points"][0] + 1e-4
    assert "throws" not in json.loads(
        server.request("POST", "/api/values", json.dumps({"position": position}).encode())[1]
    )


# --- a game that goes on ---


def wanted(position: Any, seats: list[Json], mine: str, game: str = "classic") -> bytes:
    plan = {"id": secret(), "secret": mine, "game": game, "seats": seats, "position": position}
    return json.dumps({**plan, "options": {"pause": 0}}).encode()


def going_on(server: Server, position: Any, seats: list[Json], mine: str) -> str:
    body = wanted(position, seats, mine, position["game"])
    status, answer = server.request("POST", "/api/tables", body)
    assert status == 201, answer
    return str(json.loads(answer)["table"])


ME = {"kind": "me", "name": "Ana"}
BOT = {"kind": "bot", "level": "greedy"}


def test_a_game_goes_on_from_a_position_and_says_so(own_server: Server, tmp_path: Path) -> None:
    server, mine = own_server, secret()
    position = classic_position(sheet("R2 R3 B10", 3))
    table = going_on(server, position, [ME], mine)

    async def all_of_it(me: Client) -> None:
        while me.more:
            await me.hear()

    async def first_throw() -> None:
        me = Client(server.url(table), mine)
        await me.come()
        await me.ready()
        await me.begun()
        assert (await me.ask(do="roll", seat=0, seen=me.number))["type"] == "event"
        assert me.play is not None
        assert me.play["result"]["totals"] == [3 + 1 - 15]

    async def give_up_and_begin_again() -> None:
        me = Client(server.url(table), mine)
        await me.come()
        while me.table["status"] == "playing":  # passing is the fourth failed throw
            passed = await me.ask(do="choose", seat=0, move="-", seen=me.number)
            assert passed["type"] == "event", passed
            await all_of_it(me)
        await me.ask(do="rematch")
        await me.ready()
        await me.begun()
        assert me.play is not None
        assert me.play["result"]["totals"] == [0]

    run(first_throw())
    server.stop()
    server.start()
    run(give_up_and_begin_again())
    status, record = server.record(table, number=1)
    assert status == 200
    assert record["start"] == position
    game, read, state = games.read_record(record)
    assert game.result(state).totals == (3 + 1 - 20,)
    assert proof.check(read, game.layout.faces)
    assert "start" not in server.record(table, mine, 2)[1]
    story = json.loads(server.get(f"/api/tables/{table}/story?round=1")[1])
    assert story["steps"][0]["position"] == position
    assert len(judged(server, table)["review"]["throws"]) == 1
    _is_verified(record, tmp_path)
    for change in ({"start": {**position, "active": 1}}, {"first": 0, "seats": ["Ana", "Ben"]}):
        with pytest.raises(Exception, match=r"start|active|sheets"):
            games.read_record({**record, **change})


def _is_verified(record: Json, folder: Path) -> None:
    file = folder / "record.json"
    file.write_text(json.dumps(record))
    said = CliRunner().invoke(cli, ["verify", str(file)]).output
    assert "from a position on" in said
    assert "chosen by nobody" in said
    # The position is sealed as well: another cross there, and the dice are not proved.
    start = json.loads(json.dumps(record["start"]))
    start["sheets"][0]["B"] = [11]
    file.write_text(json.dumps({**record, "start": start}))
    changed = CliRunner().invoke(cli, ["verify", str(file)])
    assert changed.exit_code == 1, changed.output
    assert "throw 1 was" in str(changed.exception), changed


def test_another_position_is_another_table_whatever_the_request_is_called(server: Server) -> None:
    asked = json.loads(wanted(classic_position("R2", ""), [ME, BOT], secret()))

    def made(**change: Any) -> str:
        body = json.dumps({**asked, **change}).encode()
        status, answer = server.request("POST", "/api/tables", body)
        assert status == 201, answer
        return str(json.loads(answer)["table"])

    others: list[Json] = [
        {},
        {"position": classic_position("R3", "")},
        {"position": None},
        {"seats": [BOT, ME]},
        {"options": {"pause": 1}},
    ]
    tables = [made(**change) for change in others]
    assert len(set(tables)) == len(tables)
    assert [made(**change) for change in others] == tables


def test_where_a_game_cannot_go_on(server: Server) -> None:
    start, mine = classic_position("", ""), secret()
    thrown = classic_position("", "", phase="white", dice="41 3625")
    over = classic_position(sheet("", 4), "", phase="over")
    for position, seats, code in (
        (thrown, [ME, BOT], "bad_table"),
        (over, [ME, BOT], "bad_table"),
        (start, [ME], "bad_table"),
        (start, [ME, {"kind": "open"}], "bad_table"),
        (duel_position(), [ME, BOT], "bad_table"),
        (classic_position("R12", ""), [ME, BOT], "bad_position"),
        ([], [ME, BOT], "bad_message"),
    ):
        status, answer = server.request("POST", "/api/tables", wanted(position, seats, mine))
        assert (status, json.loads(answer)["code"]) == (400, code), answer
