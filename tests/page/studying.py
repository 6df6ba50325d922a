"""What comes after a game, as anybody reads it in any browser: its review, one's own mistakes,
and the explorer."""

from client import Json, Server, secret
from playing import AnyPage, Person
from stage import Plan, idle, judged, over, staged
from visits import address

ERRORS = ("inaccuracy", "mistake", "blunder")
SHOWN = """(event) => {
  const root = document.querySelector('[data-review]');
  const worth = (one) => [one.dataset.value, one.querySelector('.worth').textContent];
  return root?.dataset.event === event
    && Object.fromEntries([...root.querySelectorAll('[data-value]')].map(worth));
}"""
AT = "Number(document.querySelector('[data-curve]').getAttribute('aria-valuenow'))"
STEPPED = f"(at) => {AT} === at"
BEST = "document.querySelector('.choice.best')?.textContent ?? ''"
PRESSED = "document.querySelector('[data-field=R5]').getAttribute('aria-pressed')"


def costly(review: Json, seat: int) -> Json:
    """A seat's dearest choice."""
    own = [one for one in review["decisions"] if one["seat"] == seat and one["label"] in ERRORS]
    found: Json = max(own, key=lambda one: float(one["loss"]["win"]))
    # Its action was the white one if the other seat has a choice beside it.
    beside = {one["event"] for one in review["decisions"] if one["seat"] != seat}
    return {**found, "white": bool(beside & {found["event"] - 1, found["event"] + 1})}


def look_back(person: Person, server: Server) -> None:
    """Step through the review of a game in which nobody took anything,
    then answer one of its mistakes."""
    page, mine = person.page, secret()
    table = staged(server, mine, Plan("classic", 2, over, idle))
    review = judged(server, table)["review"]
    page.goto(address(server))
    page.wait_for_selector("[data-play]")
    page.evaluate("(mine) => localStorage.setItem('qwixx.secret', mine)", mine)
    page.goto(address(server, f"/table/{table}/1/review"))
    page.wait_for_selector(".skill")
    check_steps(person)
    check_values(page, costly(review, 0))
    person.press(page.locator("[data-do=learn]"))
    page.wait_for_selector(".choice")
    person.press(page.locator(".choice").first)
    page.wait_for_selector(".verdict")
    person.press(page.locator("[data-do=next]"))


def check_steps(person: Person) -> None:
    """By its keys and by those of the keyboard."""
    page = person.page
    page.locator("[data-curve]").focus()
    page.keyboard.press("Home")
    page.wait_for_function(STEPPED, arg=0)
    person.press(page.locator("[data-do=on]"))
    page.wait_for_function(STEPPED, arg=1)
    page.keyboard.press("ArrowRight")
    page.wait_for_function(STEPPED, arg=2)
    person.press(page.locator("[data-do=back]"))
    page.wait_for_function(STEPPED, arg=1)


def check_values(page: AnyPage, worst: Json) -> None:
    """A choice that cost something, with what every other was worth."""
    event = str(worst["event"])
    page.locator(f"[data-turning='{event}']").click()
    page.wait_for_function(SHOWN, arg=event)
    worth = {move: f"{round(100 * value['win'])}%" for move, value in worst["values"].items()}
    assert page.evaluate(SHOWN, event) == worth


def explore(person: Person, server: Server) -> None:
    """Set a field and a die: what there is to choose is judged."""
    page = person.page
    page.goto(address(server, "/explore/classic"))
    page.wait_for_selector(".explore[data-judged]")
    person.press(page.locator("[data-field=R5]"))
    page.wait_for_function(f"() => {PRESSED} === 'true'")
    page.wait_for_selector(".explore[data-judged]")
    person.press(page.locator("[data-set='0']"))
    page.wait_for_selector(".explore[data-judged][data-phase=white]")
    page.wait_for_function(f"() => {BEST}.includes('%')")
