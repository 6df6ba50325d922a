"""Learn Qwixx from nothing by proximal policy optimisation, on numpy alone, against a bot.

    python examples/train_ppo.py                        # classic against greedy, some minutes
    python examples/train_ppo.py --game duel --steps 1000000

It prints its share of wins as it learns, and the minutes of processor time that learning took, and
writes the curve to learning.svg. The net is one layer of hidden units beside a straight line from
what is seen to every action; what is seen is unfolded a little: the places of a row that are
passed, and dice by their faces. Nothing of the rules is in it.
"""

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from qwixx.rl import gymnasium as rl

ENVS, HORIZON = 512, 64
CHECKS = 12  # of its strength, while it learns
GAMES = 1000  # in each of them
EPOCHS, BATCH = 3, 4096
HIDDEN = 128
CLIP, DISCOUNT, TRACE, ENTROPY, VALUE = 0.2, 1.0, 0.97, 0.005, 0.5
SCALE = 1 / 25  # of a reward in points
NEVER = -1e9

Net = dict[str, Any]


def unfolded(coding: Any, observations: Any, masks: Any) -> Any:
    """What the net sees of a batch of observations."""
    parts = coding.named(observations)
    marks = parts["marks"] > 0
    passed = np.maximum.accumulate(marks[..., ::-1], axis=-1)[..., ::-1]
    faces = parts["dice"][..., None] == np.arange(1, 1 + parts["dice"].max(initial=6))
    counts = marks.sum(axis=-1) / 6
    columns = [
        passed,
        counts,
        parts["failed"] / 4,
        parts["closed"],
        faces,
        parts["phase"],
        parts["active"],
        parts["failing"],
        masks,
        np.ones((len(masks), 1)),
    ]
    return np.concatenate([one.reshape(len(masks), -1) for one in columns], 1).astype(np.float32)


def new_net(inputs: int, actions: int, rng: Any) -> Net:
    def layer(rows: int, columns: int, scale: float) -> Any:
        return (rng.standard_normal((rows, columns)) * scale / np.sqrt(rows)).astype(np.float32)

    return {
        "hidden": layer(inputs, HIDDEN, 1.4),
        "logits": layer(HIDDEN, actions, 0.01),
        "line": layer(inputs, actions, 0.01),
        "value": layer(HIDDEN, 1, 0.1),
    }


def forward(net: Net, seen: Any, masks: Any) -> tuple[Any, Any, Any]:
    """Hidden units, chances of the legal actions, and the value."""
    hidden = np.maximum(seen @ net["hidden"], 0)
    logits = np.where(masks > 0, hidden @ net["logits"] + seen @ net["line"], NEVER)
    logits -= logits.max(1, keepdims=True)
    chances = np.exp(logits)
    chances /= chances.sum(1, keepdims=True)
    return hidden, chances, (hidden @ net["value"])[:, 0]


def sampled(chances: Any, rng: Any) -> Any:
    drawn = rng.random((len(chances), 1)) * chances.sum(1, keepdims=True)
    return np.minimum((chances.cumsum(1) < drawn).sum(1), chances.shape[1] - 1)


def slopes(net: Net, batch: list[Any]) -> Net:
    """How the clipped objective changes with every weight."""
    seen, masks, actions, old, gains, goals = batch
    many = len(seen)
    hidden, chances, values = forward(net, seen, masks)
    mine = chances[np.arange(many), actions]
    ratio = mine / old
    open_ended = np.where(gains > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
    push = (gains * ratio * open_ended)[:, None]
    wanted = -chances * push
    wanted[np.arange(many), actions] += push[:, 0]
    logs = np.log(np.maximum(chances, 1e-12))
    spread = -(chances * logs).sum(1, keepdims=True)
    wanted -= ENTROPY * chances * (logs + spread)
    error = VALUE * (goals - values)[:, None]
    back = (wanted @ net["logits"].T + error @ net["value"].T) * (hidden > 0)
    return {
        "hidden": seen.T @ back / many,
        "logits": hidden.T @ wanted / many,
        "line": seen.T @ wanted / many,
        "value": hidden.T @ error / many,
    }


class Adam:
    """Steps of a size of their own for every weight."""

    def __init__(self, net: Net) -> None:
        self.net = net
        self.means = {name: np.zeros_like(one) for name, one in net.items()}
        self.squares = {name: np.zeros_like(one) for name, one in net.items()}
        self.steps = 0

    def step(self, found: Net, rate: float) -> None:
        self.steps += 1
        length = np.sqrt(sum(float((one**2).sum()) for one in found.values()))
        for name, one in found.items():
            slope = one * min(1.0, 0.5 / (length + 1e-9))
            self.means[name] += 0.1 * (slope - self.means[name])
            self.squares[name] += 0.001 * (slope**2 - self.squares[name])
            mean = self.means[name] / (1 - 0.9**self.steps)
            square = self.squares[name] / (1 - 0.999**self.steps)
            self.net[name] += rate * mean / (np.sqrt(square) + 1e-8)


def strength(net: Net, game: str, opponent: str, seed: int) -> float:
    """The share of wins of the best action, always taken, in the first game of many tables."""
    many = rl.vector(game, GAMES, [opponent])
    observations, info = many.reset(seed=seed)
    won, played = 0.0, np.zeros(GAMES, np.bool_)
    while not played.all():
        seen = unfolded(many.coding, observations, info["action_mask"])
        actions = forward(net, seen, info["action_mask"])[1].argmax(1)
        observations, rewards, ended, _, info = many.step(actions)
        won += rewards[ended & ~played].sum()
        played |= ended
    return won / GAMES


def collect(net: Net, many: Any, last: Any, rng: Any) -> tuple[list[Any], Any]:
    """Some steps in every environment: what was seen, allowed, done, how likely, and what it brought."""
    rows = []
    for _ in range(HORIZON):
        observations, masks, over = last
        seen = unfolded(many.coding, observations, masks)
        _, chances, values = forward(net, seen, masks)
        actions = sampled(chances, rng)
        observations, rewards, ended, _, info = many.step(actions)
        likely = chances[np.arange(ENVS), actions]
        rows.append((seen, masks, actions, likely, values, rewards * SCALE, ended, over))
        last = observations, info["action_mask"], ended
    return rows, last


def advantages(net: Net, rows: list[Any], many: Any, last: Any) -> tuple[Any, Any]:
    """How much better than its value each step was, looking ahead with a fading trace.
    The step after an end only begins the next game."""
    values = np.array([row[4] for row in rows])
    observations, masks, _ = last
    ahead = forward(net, unfolded(many.coding, observations, masks), masks)[2]
    gains, trace = np.zeros_like(values), np.zeros(ENVS, np.float32)
    for step in range(len(rows) - 1, -1, -1):
        _, _, _, _, value, rewards, ended, _ = rows[step]
        surprise = rewards + DISCOUNT * ahead * ~ended - value
        trace = surprise + DISCOUNT * TRACE * trace * ~ended
        gains[step], ahead = trace, value
    return gains, gains + values


def improve(adam: Adam, rows: list[Any], found: tuple[Any, Any], rate: float, rng: Any) -> None:
    """Some rounds through what was collected, in small batches."""
    real = ~np.concatenate([row[7] for row in rows])
    flat = [np.concatenate([row[part] for row in rows])[real] for part in range(4)]
    gained, wanted = (one.reshape(-1)[real] for one in found)
    gained = (gained - gained.mean()) / (gained.std() + 1e-6)
    for _ in range(EPOCHS):
        order = rng.permutation(len(gained))
        for at in range(0, len(order), BATCH):
            some = order[at : at + BATCH]
            batch = [part[some] for part in (*flat, gained, wanted)]
            adam.step(slopes(adam.net, batch), rate)


def learn(game: str, opponent: str, steps: int, seed: int, out: Path) -> None:
    rng = np.random.default_rng(seed)
    many = rl.vector(game, ENVS, [opponent], reward="difference")
    observations, info = many.reset(seed=seed)
    last = observations, info["action_mask"], np.zeros(ENVS, np.bool_)
    seen = unfolded(many.coding, observations, info["action_mask"])
    net = new_net(seen.shape[1], info["action_mask"].shape[1], rng)
    adam, curve, done, seconds = Adam(net), list[tuple[int, float]](), 0, 0.0
    while True:
        spent = min(1.0, done / steps)
        if spent >= len(curve) / CHECKS:
            curve.append((done, strength(net, game, opponent, 10**6 + seed)))
            print(
                f"{done:>10,} steps  {seconds / 60:4.1f} min  {curve[-1][1]:6.1%} against {opponent}",
                flush=True,
            )
            draw(out, f"{game} against {opponent}", curve)
        if spent == 1:
            return
        began = time.process_time()
        rows, last = collect(net, many, last, rng)
        found = advantages(net, rows, many, last)
        improve(adam, rows, found, 1e-3 * (1 - 0.9 * spent), rng)
        done += ENVS * HORIZON
        seconds += time.process_time() - began


def draw(path: Path, title: str, curve: list[tuple[int, float]]) -> None:
    """The curve as a picture: share of wins by steps."""
    most = max(1, curve[-1][0])
    points = " ".join(f"{50 + 500 * s / most:.1f},{250 - 220 * w:.1f}" for s, w in curve)
    lines = "".join(
        f'<path d="M50 {250 - 220 * w:.0f}h500" stroke="#ccc"/>'
        f'<text x="44" y="{254 - 220 * w:.0f}" text-anchor="end">{w:.0%}</text>'
        for w in (0, 0.25, 0.5, 0.75)
    )
    path.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 580 290" font-family="sans-serif" '
        f'font-size="12"><rect width="580" height="290" fill="#fff"/>{lines}'
        f'<text x="50" y="18">{title}: share of wins</text>'
        f'<text x="550" y="275" text-anchor="end">{most:,} steps</text>'
        f'<polyline points="{points}" fill="none" stroke="#2a6" stroke-width="2"/></svg>\n',
        encoding="utf-8",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--game", default="classic")
    parser.add_argument("--against", default="greedy")
    parser.add_argument("--steps", type=int, default=6_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("learning.svg"))
    options = parser.parse_args()
    learn(options.game, options.against, options.steps, options.seed, options.out)


if __name__ == "__main__":
    main()
