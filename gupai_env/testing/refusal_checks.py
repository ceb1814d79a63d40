"""Checks of what `step` does with anything except a legal action."""

from contextlib import suppress
from dataclasses import replace

from gupai_env.testing.games import Game, all_actions, snapshot
from gupai_env.testing.hooks import Hooks
from gupai_env.testing.mask_checks import judges
from gupai_env.testing.refusals import attempt, attempts, malformed, refusal
from gupai_env.testing.report import NotRun
from gupai_env.testing.trial import Trial, check


def require_promise(trial: Trial) -> None:
    if not trial.hooks.illegal:
        raise NotRun("the environment promises nothing about illegal actions (Hooks.illegal is empty)")


def illegal(trial: Trial, game: Game) -> list[int]:
    """The actions of the space that neither the mask nor the rules given as hooks allow."""
    legal, rules = set(game.legal()), judges(trial, game).values()
    space = all_actions(game.env, game.env.agent_selection)
    return [action for action in space if action not in legal and not any(allows(action) for allows in rules)]


@check(rests_on=("replay-round-trip",), given=require_promise)
def illegal_actions(trial: Trial) -> None:
    """Every illegal action of the space is refused as `Hooks.illegal` says, with a text of one line."""
    for game in trial.positions():
        for action, answer in attempts(trial, game, illegal(trial, game)):
            trial.fail_if(
                answer.kind not in trial.hooks.illegal,
                f"action {action} is illegal, but step {answer}",
                game.env.agent_selection,
            )
            trial.note(f"seen: {answer.kind}")
    if not trial.notes:
        raise NotRun("no action of the space was ever illegal")


@check(rests_on=("replay-round-trip",), given=require_promise)
def malformed_actions(trial: Trial) -> None:
    """What is not an action at all is refused likewise: out of range, negative, float, NaN, None, text, bool."""
    for game in trial.positions():
        seat = game.env.agent_selection
        for action, answer in attempts(trial, game, malformed(all_actions(game.env, seat), game.legal())):
            trial.fail_if(
                answer.kind not in trial.hooks.illegal, f"{action!r} is not an action, but step {answer}", seat
            )


@check(rests_on=("replay-round-trip", "observe-purity"), given=require_promise)
def refusal_purity(trial: Trial) -> None:
    """A refused action changes nothing: not the position, not the rest of the game, not the next deal."""
    refused = 0

    def be_refused(game: Game) -> None:
        nonlocal refused
        seat = game.env.agent_selection
        bad = [*illegal(trial, game), *malformed(all_actions(game.env, seat), game.legal())]
        harmless = [action for action, answer in attempts(trial, game, bad) if answer.kind in ("raise", "ignore")]
        for action in harmless:
            refused += 1
            with suppress(Exception):
                game.env.step(action)

    trial.same_game(be_refused, "after refused actions")
    if not refused:
        raise NotRun("no illegal action leaves the game running")


def out_of_play(hooks: Hooks) -> Hooks:
    """The same hooks where nobody is to act: there a step may raise RuntimeError as well."""
    return replace(hooks, refusals=(*hooks.refusals, RuntimeError))


@check(rests_on=("seed-repeats",))
def step_after_end(trial: Trial) -> None:
    """A finished seat takes only None, an empty table nothing; the environment stays usable."""
    hooks = out_of_play(trial.hooks)
    for game in trial.finished_games():
        env, seed = game.env, game.seed
        action = all_actions(env, env.agent_selection)[0]
        answer = attempt(hooks, env, action)
        trial.fail_if(
            answer.kind not in ("raise", "ignore"),
            f"the game is over, but on action {action} step {answer}",
            env.agent_selection,
        )
        game.clear_table()
        trial.fail_if(env.agents, f"{env.agents} are still there after each seat has stepped None")
        for late in (None, action):
            answer = attempt(hooks, env, late)
            trial.fail_if(
                answer.kind not in ("raise", "ignore") or answer.changed,
                f"no seat is left, but on action {late} step {answer}",
            )
        env.reset(seed=seed)
        trial.fail_if(snapshot(env) != snapshot(trial.fresh(seed).env), "stepping after the end spoils the next deal")


@check()
def step_before_reset(trial: Trial) -> None:
    """Stepping an environment that was never reset raises one of `refusals` or RuntimeError, in one line."""
    env = trial.make_env()
    action = all_actions(env, env.possible_agents[0])[0]
    try:
        env.step(action)
    except Exception as error:
        kind, text = refusal(out_of_play(trial.hooks), error)
        trial.fail_if(kind != "raise", f"step {text}")
        return
    trial.fail("step takes an action before any reset")
