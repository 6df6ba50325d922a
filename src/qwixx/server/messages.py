"""Every message between server and page, with a bound on every field.
The page's types are made from these."""

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import Meta, Struct

from qwixx.study.grading import Label
from qwixx.study.kinds import Kind
from qwixx.study.reasons import ReasonKey

Number: TypeAlias = Annotated[
    int, Meta(ge=0, le=2**31 - 1, description="The number of an event at its table.")
]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=4)]
Name: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=60, description="A person's name, in any script.")
]
Face: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[a-z]{2,12}$",
        description="The face a person chose, by its name; the page draws it.",
    ),
]
CommandId: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9_-]{8,64}$",
        description="Chosen by the sender; the same id is applied once.",
    ),
]
Secret: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9_-]{22,86}$",
        description="At least 128 random bits in base64url, made by the page and kept by it.",
    ),
]
TableId: TypeAlias = Annotated[str, Meta(pattern="^[a-z2-7]{20}$")]
Level: TypeAlias = Annotated[str, Meta(min_length=1, max_length=20)]
GameId: TypeAlias = Annotated[str, Meta(min_length=1, max_length=20)]
MoveText: TypeAlias = Annotated[str, Meta(min_length=1, max_length=3)]
EventText: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=20, description="A throw or a choice, as records write it.")
]
Emote: TypeAlias = Literal["hello", "bravo", "wow", "ouch", "think", "thanks"]
Link: TypeAlias = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{64}$",
        description="A link of a page's hash chain, or its end: 32 bytes, hexadecimal.",
    ),
]


class Options(Struct, frozen=True, forbid_unknown_fields=True):
    """How a table is played."""

    pause: Annotated[
        float, Meta(ge=0, le=10, description="Seconds a bot waits before it acts.")
    ] = 0.8
    clock: Annotated[
        float, Meta(ge=0, le=600, description="Seconds for a decision; 0 is no clock.")
    ] = 0
    away: Annotated[
        float, Meta(ge=0, le=3600, description="Seconds until one who is away can be replaced.")
    ] = 60
    idle: Annotated[
        float,
        Meta(
            ge=0,
            le=3600,
            description="Seconds that others wait until one who is here can be replaced; 0: never.",
        ),
    ] = 120
    watchers: Annotated[bool, Meta(description="Whether people without a seat may watch.")] = True
    stand_in: Level = "greedy"
    listed: Annotated[bool, Meta(description="Shown in the list of open tables.")] = False
    hints: Annotated[
        bool | None,
        Meta(
            description="Whether players may ask for hints; null: if one person plays with bots alone."
        ),
    ] = None
    chances: Annotated[
        bool, Meta(description="Whether those who watch are told everybody's chances.")
    ] = False


class SeatPlan(Struct, frozen=True, forbid_unknown_fields=True):
    """A seat of a new table: open, a bot's, or the creator's own."""

    kind: Literal["open", "bot", "me"]
    level: Level | None = None
    name: Name | None = None
    face: Face | None = None


class NewTable(Struct, frozen=True, forbid_unknown_fields=True):
    """What it takes to make a table."""

    id: CommandId
    secret: Secret
    game: GameId
    seats: Annotated[list[SeatPlan], Meta(min_length=1, max_length=5)]
    options: Options = Options()
    position: (
        Annotated[
            dict[str, Any],
            Meta(max_length=12, description="Before a throw: the first round goes on from it."),
        ]
        | None
    ) = None


class Made(Struct, frozen=True):
    """The answer to a new table."""

    table: TableId


# --- from the page, over the socket ---


class Hello(Struct, frozen=True, tag_field="do", tag="hello"):
    """The first message: who is there, and what was seen last. A code moves a seat to this device."""

    secret: Secret | None = None
    version: Number | None = None
    code: Annotated[str, Meta(max_length=20)] | None = None


class Sit(Struct, frozen=True, tag_field="do", tag="sit"):
    """Take an open seat, any or a certain one."""

    id: CommandId
    name: Name
    seat: SeatNumber | None = None
    face: Face | None = None


class Leave(Struct, frozen=True, tag_field="do", tag="leave"):
    """Get up; while a game runs a bot goes on in one's place."""

    id: CommandId
    seat: SeatNumber


class Ready(Struct, frozen=True, tag_field="do", tag="ready"):
    """Ready to begin, with the end of the chain that this page's part in the dice comes from."""

    id: CommandId
    seat: SeatNumber
    chain: Link


class CommitChain(Struct, frozen=True, tag_field="do", tag="chain"):
    """This page does not have the chain of its seats (they moved here, say): here is the end of another."""

    id: CommandId
    chain: Link


class Bring(Struct, frozen=True, tag_field="do", tag="link"):
    """The link that was asked for. Needs no id: what comes too late is left out."""

    link: Link
    throw: Number | None = None  # as it was asked for


class Start(Struct, frozen=True, tag_field="do", tag="start"):
    """The creator begins without waiting; open seats fall away."""

    id: CommandId


class Roll(Struct, frozen=True, tag_field="do", tag="roll"):
    """The active player throws the dice, with the page's own link at once.
    `seen` is the last event the sender knew."""

    id: CommandId
    seat: SeatNumber
    seen: Number
    link: Link | None = None


class Choose(Struct, frozen=True, tag_field="do", tag="choose"):
    """A choice. While others still choose at the same time it can be taken back; else it is final."""

    id: CommandId
    seat: SeatNumber
    move: MoveText
    seen: Number


class Withdraw(Struct, frozen=True, tag_field="do", tag="withdraw"):
    """Take back one's own choice while it is sealed, to choose anew."""

    id: CommandId
    seat: SeatNumber
    seen: Number


class Replace(Struct, frozen=True, tag_field="do", tag="replace"):
    """Let a bot play for somebody who is away, or keeps everybody waiting."""

    id: CommandId
    seat: SeatNumber


class Remove(Struct, frozen=True, tag_field="do", tag="remove"):
    """Have somebody leave: the creator before a game; in it all other players, of one mind."""

    id: CommandId
    seat: SeatNumber


class AllowWatchers(Struct, frozen=True, tag_field="do", tag="watchers"):
    """The creator says whether people without a seat may watch."""

    id: CommandId
    allowed: bool


class Report(Struct, frozen=True, tag_field="do", tag="report"):
    """Tell whoever runs the server about somebody's name."""

    id: CommandId
    seat: SeatNumber


class Rematch(Struct, frozen=True, tag_field="do", tag="rematch"):
    """Another round with the same people; who begins is drawn again."""

    id: CommandId


class React(Struct, frozen=True, tag_field="do", tag="react"):
    """Show the others how one feels. Nothing of it is kept."""

    id: CommandId
    seat: SeatNumber
    emote: Emote


class Hurry(Struct, frozen=True, tag_field="do", tag="hurry"):
    """Bots that pause before they act go on at once."""

    id: CommandId


class AskHint(Struct, frozen=True, tag_field="do", tag="hint"):
    """Ask what would be best, in a decision of one's own."""

    id: CommandId
    seat: SeatNumber
    seen: Number


class AskCode(Struct, frozen=True, tag_field="do", tag="code"):
    """Ask for a code that moves one's seats to another device."""

    id: CommandId


class Ping(Struct, frozen=True, tag_field="do", tag="ping"):
    """Is the line still up? Answered with a pong; a browser sees no pings of the socket's own."""


Command: TypeAlias = (
    Sit
    | Leave
    | Ready
    | CommitChain
    | Start
    | Roll
    | Choose
    | Withdraw
    | Replace
    | Remove
    | AllowWatchers
    | Report
    | Rematch
    | React
    | Hurry
    | AskHint
    | AskCode
)
Request: TypeAlias = Hello | Ping | Bring | Command


# --- to the page ---


class SeatView(Struct, frozen=True):
    """A seat as everybody sees it."""

    kind: Literal["open", "person", "bot"]
    name: str | None
    face: str | None  # a person's, if they chose one
    level: str | None  # of the bot that plays here just now
    ready: bool
    stand_in: bool  # a bot plays for the person just now
    hints: int = 0  # that this seat has taken in this round
    unwanted: int = 0  # how many others want this player to leave


class ChainView(Struct, frozen=True):
    """What a page has committed to: the end of its chain, and whose page it is."""

    end: str
    seats: list[int]
    since: int = 0  # the first throw that it counts in, from 0


class TableView(Struct, frozen=True):
    """A table as everybody sees it."""

    id: TableId
    game: GameId
    status: Literal["gathering", "playing", "over"]
    round: int
    seats: list[SeatView]
    options: Options
    commitment: str
    first: int | None
    proof: dict[str, Any] | None  # revealed when the round is over; the record has all of it
    continued: bool = False  # this round goes on from a position, so that nobody was drawn to begin
    chains: list[ChainView] = []  # in the order in which they were committed to, after the server's


# Skips, closes, captures, raises, leads, forgoes, narrows, failed.
Effects: TypeAlias = dict[str, int]


class MoveView(Struct, frozen=True, omit_defaults=True):
    """A legal move and what it does: skips, closes, captures, raises,
    leads, forgoes, narrows, failed.

    `gains` is what it adds to the total of whoever makes it. `ends` is there only if the move ends
    the game, all others passing: every seat's total if they do.
    """

    move: str
    effects: Effects
    ends: tuple[int, ...] | None = None
    gains: int = 0


class ResultView(Struct, frozen=True):
    """The score as it stands."""

    totals: tuple[int, ...]
    rows: tuple[tuple[int, ...], ...]
    over: bool
    winners: tuple[int, ...] | None
    reason: Literal["rows", "failed", "pieces"] | None


class PanelView(Struct, frozen=True, omit_defaults=True):
    """A seat's own sheet, or the board that all share, as it lies there.

    A row is a text with a character for every cell, the lock last: `.` is empty, `-` is lost to the
    owner of the panel for good, and a letter is a mark: `a` of seat 0, `b` of seat 1 ..., a capital
    for the foremost of its row.
    """

    rows: list[str]
    seat: int | None = None  # whose sheet it is; null if it is the board that all share
    closed: str = ""  # the rows that are closed, each by the colour of its lock
    stacks: dict[str, int] = {}  # how many marks lie on a field, where there are several
    failed: str = ""  # whose marks lie in the boxes for failed throws, a letter for each


class Play(Struct, frozen=True):
    """The game as everybody sees it: no sealed choice is in it."""

    active: int
    phase: Literal["roll", "white", "colour", "over"]
    dice: str | None  # the throw that the choices are about
    in_play: str  # the dice still in the game, a dot for each that has left it: `RY.B`
    panels: list[PanelView]
    left: list[int] | None  # the pieces that each seat has not placed, where there are pieces
    thrown: int  # how often the dice have been thrown in this round
    to_act: list[int]  # the seats that have not chosen yet
    moves: dict[str, list[MoveView]]  # of these, and of those that can take back their choice
    result: ResultView
    deadline: int | None  # when the clock runs out, in milliseconds since 1970
    opened: int  # when this decision was opened, in milliseconds since 1970
    # Of everything before the throw that is to come, which it seals; in the end of the whole record.
    digest: str | None


EventKind: TypeAlias = Literal[
    "created",
    "committed",
    "sat",
    "left",
    "readied",
    "chained",
    "started",
    "rolled",
    "chose",
    "withdrew",
    "replaced",
    "returned",
    "weakened",
    "hinted",
    "moved",
    "agreed",
    "removed",
    "allowed",
]


class Happened(Struct, frozen=True, tag_field="type", tag="event", omit_defaults=True):
    """One event, the same for everybody. What it changes comes along:
    the table, the game, or who has chosen."""

    number: int
    at: int
    kind: EventKind
    id: str | None = None  # of the command that caused it
    more: bool = False  # the next event follows at once, and brings what both have changed
    seat: int | None = None
    dice: str | None = None
    without: list[int] | None = None  # seats whose pages were left out of this throw
    why: Literal["only", "clock", "bot"] | None = None
    # Every choice of the action that this event completes, by seat.
    revealed: dict[str, str] | None = None
    # What each of them did, where it did something to tell.
    effects: dict[str, Effects] | None = None
    chosen: list[int] | None = None
    table: TableView | None = None
    play: Play | None = None


class Ask(Struct, frozen=True, tag_field="type", tag="ask"):
    """The dice are being thrown: this page's next link is asked for, for what is told here alone."""

    round: int
    throw: int | None  # from 0; null: who begins is drawn
    digest: str  # of everything before it
    last: str  # the link of the page's chain that was known last, or its end


class Welcome(Struct, frozen=True, tag_field="type", tag="welcome"):
    """The table as it is, for whoever has just come (back)."""

    number: int
    now: int
    table: TableView
    play: Play | None
    chosen: list[int]
    yours: list[int]
    creator: bool
    mine: dict[str, str]  # one's own sealed choices
    here: list[bool]
    since: list[int | None]  # when the lines of the others went down
    # What happened since the version given; null if that is too long ago.
    missed: list[Happened] | None


class Here(Struct, frozen=True, tag_field="type", tag="here"):
    """Whose line is up; for the others, when it went down (milliseconds since 1970)."""

    seats: list[bool]
    since: list[int | None]


class Reaction(Struct, frozen=True, tag_field="type", tag="reaction"):
    """How somebody at the table feels about it, for a moment."""

    id: str  # of the command behind it
    seat: int
    emote: Emote


class Accepted(Struct, frozen=True, tag_field="type", tag="accepted"):
    """That command was applied already, as this event; or it is one that leads to none (hurry)."""

    id: str
    number: int


class Refused(Struct, frozen=True, tag_field="type", tag="refused"):
    """That command was not applied, and why."""

    id: str | None
    code: str
    message: str
    rule: str | None
    number: int


class Worth(Struct, frozen=True):
    """What a choice is worth to its seat: the chance to win, from 0 to 1, and points in the end."""

    win: float
    points: float


class ReasonView(Struct, frozen=True, omit_defaults=True):
    """Why a choice is the best, as a key and its number; `other` is the choice it is compared with."""

    key: ReasonKey
    n: float = 0
    other: str | None = None


class HintView(Struct, frozen=True, tag_field="type", tag="hint"):
    """The best choice of a seat in its present decision, for whoever sits there alone."""

    id: str  # of the command that asked for it
    seat: int
    opened: int  # the decision it is about, as `play` names it
    level: Level  # who judged
    best: str
    reason: ReasonView
    values: dict[str, Worth | None]  # of every legal choice; null where the level does not say


class Chances(Struct, frozen=True, tag_field="type", tag="chances"):
    """What the table was worth to every seat before the throw of a turn: the chance to win, from 0 to 1,
    and points in the end. For those who watch, never for players."""

    round: int
    turn: int  # of the round, counted from 0
    win: list[float]
    points: list[float]


class MoveCode(Struct, frozen=True, tag_field="type", tag="code"):
    """A code that moves the asker's seats to another device, once."""

    id: str
    code: str
    seconds: int


class Pong(Struct, frozen=True, tag_field="type", tag="pong"):
    """The line is up."""


Message: TypeAlias = (
    Welcome
    | Ask
    | Happened
    | Here
    | Reaction
    | Accepted
    | Refused
    | HintView
    | Chances
    | MoveCode
    | Pong
)


# --- over HTTP ---


class RowView(Struct, frozen=True):
    """A row as it is printed."""

    colour: str  # of its lock, by which it is named
    fields: list[str]  # left to right, each written with its own colour and number: `R7`


class GameView(Struct, frozen=True):
    """A game that can be played here."""

    id: GameId
    title: str
    fewest: int
    most: int
    family: GameId  # the game of which this is another sheet; its own id, if of none
    rows: list[RowView]
    faces: int  # of a die
    points: tuple[int, ...]  # of 1, 2, 3 ... marks in a row
    failed: int  # boxes for failed throws
    cost: int  # of each
    to_lock: int  # marks that a row needs before its last number may be taken
    pieces: int | None  # a player's supply, where there is one
    sealed: bool  # whether there are choices that all make at once, unseen by the others
    levels: list[str]  # of the bots that can play it, from weak to strong


class Offer(Struct, frozen=True):
    """What this server offers."""

    games: list[GameView]
    levels: list[str]
    # None: they cannot.
    address: Annotated[str, Meta(description="Where other devices reach this server.")] | None
    addresses: Annotated[list[str], Meta(description="All such addresses, the likeliest first.")]
    only_here: Annotated[bool, Meta(description="It listens to its own machine alone.")]


class Step(Struct, frozen=True):
    """A moment of a finished round: after a throw, or after the choices of one action."""

    dice: str | None
    choices: dict[str, str] | None
    effects: dict[str, Effects] | None  # what each choice did, where it did something to tell
    active: int
    panels: list[PanelView]
    left: list[int] | None  # the pieces that each seat has not placed, where there are pieces
    in_play: str  # the dice still in the game, a dot for each that has left it
    result: ResultView
    position: dict[str, Any]  # the same as the engine and the explorer read it


class Story(Struct, frozen=True):
    """A finished round, moment by moment, from the empty table on."""

    game: GameId
    seats: list[str]
    first: int
    round: int
    steps: list[Step]
    hints: list[int] = []  # how many each seat took; none if nobody took any


class RoundLog(Struct, frozen=True):
    """The throws and the revealed choices of a table's present round, oldest first;
    what is sealed is not in it."""

    round: int
    number: int  # of the last event that was looked at
    events: list[Happened]


class MomentWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """A game as far as it was played, to see what it looks like then."""

    game: GameId
    players: Annotated[int, Meta(ge=1, le=5)]
    events: Annotated[list[EventText], Meta(max_length=400)]
    first: SeatNumber = 0


class Moment(Play, frozen=True):
    """The game after these events, as at a table where all of them had happened."""

    chosen: list[int]  # who has chosen in this action
    # The choices of the action that the last event completed, by seat.
    revealed: dict[str, str] | None
    effects: dict[str, Effects] | None  # what each of them did, where it did something to tell
    # The same as the engine and the explorer read it; null while something is sealed.
    position: dict[str, Any] | None = None


class Worths(Struct, frozen=True):
    """What something is worth to every seat: chances to win, from 0 to 1, and points in the end;
    or how much of these it gave or took."""

    win: list[float]
    points: list[float]


class ThrowReview(Struct, frozen=True):
    """A turn of a reviewed round, by its throw. For every seat, after = before + luck − the losses of
    its own choices in this turn + others + rest."""

    event: int  # its place in the record
    luck: Worths
    others: Worths  # what the choices of the other seats did
    rest: Worths  # what the judgement itself corrected
    before: Worths  # the table before the throw
    after: Worths  # and after the turn


class DecisionReview(Struct, frozen=True):
    """A choice of a reviewed round, beside what could have been."""

    event: int  # its place in the record
    seat: int
    move: str
    best: str
    then: str | None  # the colour action that the best white choice was to be followed by
    loss: Worth  # never negative
    label: Label
    kind: Kind | None  # of error; null if nothing was lost
    reason: str  # why the best is better than the choice made, or than the next best: in English
    why: ReasonView  # the same for whoever has the words
    values: dict[str, Worth]  # of every legal choice, with the best that could follow


class ErrorsReview(Struct, frozen=True):
    """Errors of one kind."""

    count: int
    loss: Worth


class PlayerReview(Struct, frozen=True):
    """A seat's round: result = start + luck − loss + others + rest, in wins and in points."""

    luck: Worth
    loss: Worth
    others: Worth
    rest: Worth
    result: Worth
    decisions: int  # with something to choose
    rate: Worth  # what such a choice lost in the mean
    labels: dict[Label, int]
    errors: dict[Kind, ErrorsReview]
    plays_like: str | None  # the level whose choices lose about as much


class ReviewView(Struct, frozen=True):
    """A finished round, judged; while it is being judged, the turns not yet seen."""

    format: Literal["qwixx-review/1"]
    game: GameId
    seats: list[str]
    start: Worths | None  # null until the first turn is judged
    throws: list[ThrowReview]
    decisions: list[DecisionReview]
    players: list[PlayerReview] | None  # null until all is judged


class ReviewProgress(Struct, frozen=True):
    """A review as far as it is done; once all of it is, the whole, whatever was seen."""

    round: int
    done: int  # turns
    of: int
    review: ReviewView


class TapEdit(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="tap"):
    """A field is tapped, with a mark of this seat in hand, or with none to take one away."""

    place: Annotated[
        str, Meta(min_length=1, max_length=3, description="A field; a colour alone is a lock.")
    ]
    seat: SeatNumber | None = None


class FailEdit(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="fail"):
    """A seat has so many failed throws."""

    seat: SeatNumber
    count: Annotated[int, Meta(ge=0, le=9)]


class TurnEdit(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="turn"):
    """It is this seat's turn."""

    seat: SeatNumber


class DiceEdit(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="dice"):
    """These dice were thrown; null: they are still to be."""

    dice: EventText | None = None


Edit: TypeAlias = TapEdit | FailEdit | TurnEdit | DiceEdit


class PositionWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """Any position, how it is changed, and what happens then."""

    position: Annotated[dict[str, Any], Meta(max_length=12, description="As the engine reads it.")]
    edits: Annotated[list[Edit], Meta(max_length=8)] = []
    events: Annotated[list[EventText], Meta(max_length=60)] = []


class ValuesWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """Any position, to know what it is worth; with dice on the table, to which seat."""

    position: Annotated[dict[str, Any], Meta(max_length=12, description="As the engine reads it.")]
    seat: SeatNumber | None = None
    throws: Annotated[
        bool, Meta(description="Also the luck of every throw that may (or might) have come.")
    ] = False


class ThrowsView(Struct, frozen=True):
    """The luck of all throws with one white sum, to every seat: in the mean over the coloured dice,
    and the worst and the best of it."""

    sum: int
    ways: int  # in which two white dice make this sum
    luck: Worths
    low: Worths
    high: Worths


class Explored(Struct, frozen=True, omit_defaults=True):
    """What a position is worth: before a throw and at the end to every seat (`win`, `points`), with
    dice on the table every choice of the seat that was asked about."""

    win: list[float] | None = None
    points: list[float] | None = None
    values: dict[str, Worth] | None = None
    best: str | None = None
    then: str | None = None  # the colour action that the best white choice is to be followed by
    reason: str | None = None  # in English
    why: ReasonView | None = None
    luck: Worths | None = None  # of the throw, before anybody has chosen with it
    throws: list[ThrowsView] | None = None  # that may come, if they were asked for


class TablesWanted(Struct, frozen=True, forbid_unknown_fields=True):
    """Tables that a page knows, and the secret it sits there with."""

    secret: Secret
    tables: Annotated[list[TableId], Meta(max_length=24)]


class EarlierRound(Struct, frozen=True):
    """A finished round of a table that has gone on since."""

    round: int
    seats: list[str]  # as in its record
    totals: list[int]
    winners: list[int]


class MyTable(Struct, frozen=True):
    """A table as whoever sits there finds it in a list."""

    table: TableId
    game: GameId
    status: Literal["gathering", "playing", "over"]
    round: int
    seats: list[SeatView]
    yours: list[int]
    active: int | None  # whose turn it is, while a game runs
    acting: bool  # the table waits for one of these seats of yours
    at: int  # when something happened there last, in milliseconds since 1970
    result: ResultView | None  # once the round is over
    earlier: list[EarlierRound]  # the last few rounds before this one, the newest first


class MyTables(Struct, frozen=True):
    """Those of the tables asked for that can be read, in the same order,
    and those that are not there any more."""

    tables: list[MyTable]
    gone: list[TableId]


class LobbyTable(Struct, frozen=True):
    """An open table in the list."""

    table: TableId
    game: GameId
    names: list[str]
    free: int


class Lobby(Struct, frozen=True):
    """Tables that anybody may join."""

    tables: list[LobbyTable]


class Problem(Struct, frozen=True):
    """Why a request was not carried out."""

    code: str
    message: str
    rule: str | None = None
