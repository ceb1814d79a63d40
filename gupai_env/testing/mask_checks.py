"""Checks of the action mask: its form, what it allows, and when it is empty."""

from collections.abc import Callable, Mapping

import numpy as np

from gupai_env.testing.games import Game, all_actions, mask_of
from gupai_env.testing.refusals import attempt, attempts
from gupai_env.testing.report import NotRun
from gupai_env.testing.trial import Trial, check

SAMPLES = 40  # at most, for each legal action: one of equal chances is missing once in 1e17 positions


def require_mask(trial: Trial) -> None:
    game = trial.fresh(trial.seeds[0])
    if mask_of(game.env, game.env.agent_selection) is None:
        raise NotRun("there is no action_mask in the observation or in the info")


def judges(trial: Trial, game: Game) -> dict[str, Callable[[int], bool]]:
    """The independent readings of the rules that the hooks give, by name."""
    by_name: dict[str, Callable[[int], bool]] = {}
    hooks = trial.hooks
    if hooks.legal_actions:
        by_name["legal_actions"] = {int(action) for action in hooks.legal_actions(game.env)}.__contains__
    if rules_accept := hooks.rules_accept:
        by_name["rules_accept"] = lambda action: bool(rules_accept(game.env, action))
    return by_name


@check()
def observation_form(trial: Trial) -> None:
    """Every seat's observation is in its space, dtype included, and is finite, also off turn."""
    for game in trial.positions():
        for agent in game.env.agents:
            observation, space = game.env.observe(agent), game.env.observation_space(agent)
            if not space.contains(observation):
                trial.fail(f"the observation is not in its space {space}", agent)
            parts = observation if isinstance(observation, Mapping) else {"observation": observation}
            for name, part in parts.items():
                declared = space[name] if isinstance(observation, Mapping) else space
                part = np.asarray(part)
                trial.fail_if(
                    name != "action_mask" and declared.dtype is not None and part.dtype != declared.dtype,
                    f"{name} has dtype {part.dtype}, its space {declared.dtype}",
                    agent,
                )
                trial.fail_if(part.dtype.kind == "f" and not np.isfinite(part).all(), f"{name} is not finite", agent)


@check(given=require_mask)
def mask_form(trial: Trial) -> None:
    """A mask is a flat array of 0 and 1, one for each action, the same in the observation and in the info."""
    for game in trial.positions():
        for agent in game.env.agents:
            mask, actions = mask_of(game.env, agent), all_actions(game.env, agent)
            if mask is None:
                continue
            trial.fail_if(
                not isinstance(mask, np.ndarray) or mask.dtype.kind not in "biu",
                "the mask is not an array of bool or integer",
                agent,
            )
            trial.fail_if(
                mask.shape != (len(actions),), f"the mask has shape {mask.shape} for {len(actions)} actions", agent
            )
            trial.fail_if(not np.isin(mask, (0, 1)).all(), "the mask holds values other than 0 and 1", agent)
            seen = game.env.infos[agent].get("action_mask")
            trial.fail_if(
                seen is not None and not np.array_equal(seen, mask),
                "the mask in the info is not the one in the observation",
                agent,
            )


@check(given=require_mask)
def non_empty_mask(trial: Trial) -> None:
    """The seat to act always has a legal action."""
    for game in trial.positions():
        trial.fail_if(not game.legal(), "the game is not over, but the mask allows nothing", game.env.agent_selection)


@check(given=require_mask)
def off_turn_masks(trial: Trial) -> None:
    """The mask of a seat that is not to act allows nothing."""
    for game in trial.positions():
        for agent in game.env.agents:
            trial.fail_if(
                agent != game.env.agent_selection and np.any(mask_of(game.env, agent)),
                f"its mask allows actions while {game.env.agent_selection} is to act",
                agent,
            )


@check(rests_on=("replay-round-trip",), given=require_mask)
def mask_soundness(trial: Trial) -> None:
    """Every masked action is legal: `step` takes it on a copy, and so do the rules given as hooks."""
    for game in trial.positions():
        seat = game.env.agent_selection
        rules = judges(trial, game)
        for action in trial.some(game, game.legal()):
            for name, allows in rules.items():
                trial.fail_if(not allows(action), f"action {action} is in the mask, but {name} does not allow it", seat)
            answer = attempt(trial.hooks, trial.copy(game).env, action)
            trial.fail_if(
                answer.kind not in ("taken", "end"), f"action {action} is in the mask, but step {answer}", seat
            )
    if not trial.hooks.legal_actions and not trial.hooks.rules_accept:
        trial.note("judged by step alone, missing hook: legal_actions or rules_accept")


@check(rests_on=("replay-round-trip", "non-empty-mask"), given=require_mask)
def mask_completeness(trial: Trial) -> None:
    """Every legal action is masked: the rules given as hooks, else `step` on a copy, take no other."""
    for game in trial.positions():
        seat, legal, rules = game.env.agent_selection, set(game.legal()), judges(trial, game)
        unmasked = [action for action in all_actions(game.env, seat) if action not in legal]
        for name, allows in rules.items():
            if left_out := [action for action in unmasked if allows(action)]:
                trial.fail(f"{name} allows action {left_out[0]}, but the mask does not", seat)
        if not rules and not trial.hooks.illegal:
            raise NotRun("step promises nothing, and there is no hook legal_actions or rules_accept")
        if not rules:
            for action, answer in attempts(trial, game, unmasked):
                trial.fail_if(
                    answer.kind == "taken", f"step takes action {action}, but the mask does not allow it", seat
                )


@check(needs=("sample",), rests_on=("mask-soundness", "mask-completeness"), given=require_mask)
def sampled_actions(trial: Trial, sample: Callable[..., int]) -> None:
    """Sampled actions are legal, and by other random numbers every legal action is sampled in the end."""
    for game in trial.positions():
        seat, missing = game.env.agent_selection, set(legal := game.legal())
        rng = np.random.default_rng([game.seed, len(game.moves), 4])
        for _ in range(SAMPLES * len(legal)):
            if (action := int(sample(game.env, rng))) not in legal:
                trial.fail(f"action {action} is sampled, but the mask does not allow it", seat)
            missing.discard(action)
            if not missing:
                break
        else:
            trial.fail(f"action {min(missing)} is legal, but none of {SAMPLES * len(legal)} samples is it", seat)
