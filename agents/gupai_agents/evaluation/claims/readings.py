"""What a reading of a claim does: every kind is a class that says how it is checked, planned, tested and worded.

The kinds are in modules of their own: `exacts`, `rates`, `policies`, `actions`, `orderings`. `Played` has what those
share that play deals, `Comparison` what those share that compare two ways of playing, at every dose.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field, model_validator

from gupai_agents.agent import Agent
from gupai_agents.evaluation.claims import verdicts
from gupai_agents.evaluation.claims.check import Place
from gupai_agents.evaluation.claims.effects import (
    Cell,
    Compared,
    counted_effects,
    discovered,
    dose_text,
    examples,
    in_words,
    judged,
    sentence_of,
    subgroups_of,
)
from gupai_agents.evaluation.claims.features import (
    Feature,
    check_feature,
    hand_features_of,
    metrics_of,
    position_features_of,
)
from gupai_agents.evaluation.claims.masters import masters
from gupai_agents.evaluation.claims.players import STRONG, UNSKILLED, labels_in
from gupai_agents.evaluation.claims.results import Effect, Example, Finding, Level
from gupai_agents.evaluation.claims.sampling import Sampler
from gupai_agents.evaluation.claims.schema import MOST, Alternative, Condition, Dose, Doses, Named, Population
from gupai_agents.evaluation.claims.setting import DOSE_STREAMS, Choice, Pair, Setting
from gupai_agents.evaluation.statistics import NOTHING, estimate, holm, t_test
from gupai_agents.registry import agent_names
from gupai_agents.shipped import BEST
from gupai_env.core.game import Game
from gupai_env.core.variant import Variant
from gupai_env.core.variant import in_words as options_in_words
from gupai_env.messages import capitalized, joined, say
from gupai_env.storage.models import Written

# About how many times as long such a player takes.
SLOW = {"search": 200, "best": 20, "checkpoint": 20, "sample": 20, "onnx": 20}
Panel = Annotated[list[str], Field(min_length=1, max_length=12, description="players; each plays all seats by itself")]
PanelOrNone = Annotated[list[str], Field(max_length=12, description="players; each plays all seats by itself")]
Fields = Annotated[
    list[Annotated[list[str], Field(min_length=2, max_length=8)]],
    Field(max_length=12, description="instead: players of whom every seat of a deal draws one"),
]
MASTERS_TAKE = 16_000.0  # to ask them what they do, as long as so many deals of rule-based players


class Reading(Written, ABC):
    """What all readings have, and what each kind does in its own way."""

    if TYPE_CHECKING:
        kind: str
    name: str = Field(min_length=1, max_length=120, description="which reading this is, in a few words")
    variant: dict[str, Any] = Field({}, description="options of the rules that differ from the defaults")
    note: str = Field("", description="what is to be known of this reading")
    sides: ClassVar[tuple[str, ...]] = ()  # the two ways in which a deal to look at is played
    signed: ClassVar[bool] = True  # figures are gains
    several: ClassVar[bool] = False  # it may come up several times in a deal
    exact: ClassVar[bool] = True  # how often it comes up is worked out, not counted
    _played: tuple[Game, Variant]
    members: ClassVar[str] = "Players, at all seats"  # whom figures are of; "" if of anything else
    seated: ClassVar[str] = "{player} at all seats"  # one of them

    @property
    def played(self) -> tuple[Game, Variant]:
        """The game and the variant that it is about, once its claim is read."""
        return self._played

    def placed(self, game: Game, variant: Variant) -> Self:
        """Set what it is about, and return it."""
        self._played = game, variant
        return self

    @property
    def seating(self) -> list[list[str]]:
        """The players of every figure; of what nobody plays there are none."""
        return []

    @abstractmethod
    def check(self, place: Place) -> None:
        """Raise ValueError in one line, beginning with the key, for what the game does not have."""

    @abstractmethod
    def weights(self, deals: int | None, masters: bool) -> list[float]:
        """Return about how long each figure takes, in the order in which they are worked out."""

    @abstractmethod
    def test(self, setting: Setting) -> Finding:
        """Put it to the test."""

    def with_panel(self, panel: Sequence[str | Agent] | None, strong: bool) -> Self:
        """Return it with other players than the file's, if there are any, and with strong ones."""
        return self

    def planned(self, setting: Setting) -> dict[str, Any]:
        """Return how often it is eligible and how many deals it would play, having played a few."""
        return {}

    def tested(self) -> str:
        """Return in words what is put to the test."""
        return f"{self.name} (changed)"

    def finding(self, verdict: str, sentence: str, **more: Any) -> Finding:
        """Return what it has come to; more: other fields."""
        own = self.name, self.kind, self.variant
        is_exact = None if more.get("frequency") is None else self.exact
        more = {"headline": verdict, "note": self.note, "frequency_is_exact": is_exact, **more}
        return Finding(*own, verdict, sentence, **more)


class Played(Reading):
    """A reading for which the players of a panel play deals."""

    if TYPE_CHECKING:  # fields, which every kind lists in its own order
        panel: list[str]
        deals: int

    @property
    def seating(self) -> list[list[str]]:
        return [[spec] for spec in self.panel]

    def population_at(self, dose: Dose | None) -> Population:
        """Return the population at a dose; None: at any from the lowest to the highest."""
        return Population()

    def sampler(self, dose: Dose | None = None) -> Sampler:
        """Return what deals are drawn with, at a dose or at any."""
        return Sampler(*self.played, self.population_at(dose))

    def check(self, place: Place) -> None:
        for number, spec in enumerate(self.panel):
            place.player(f"panel.{number}", spec)

    def with_panel(self, panel: Sequence[str | Agent] | None, strong: bool) -> Self:
        if not self.panel:
            return self
        members = [*(labels_in(panel) if panel else self.panel), *(self.strong() if strong else ())]
        return self.model_copy(update={"panel": members})

    def strong(self) -> list[str]:
        """Return the players of STRONG that it can take."""
        return []

    def games(self, deals: int | None) -> int:
        """Return how many games a figure takes at most."""
        return deals or self.deals

    def weights(self, deals: int | None, masters: bool) -> list[float]:
        games = self.games(deals)
        return [float(games * max(SLOW.get(spec.partition(":")[0], 1) for spec in specs)) for specs in self.seating]

    def planned(self, setting: Setting) -> dict[str, Any]:
        sampler = self.sampler()
        players = {"players": len(self.seating), "share_of_hands": float(sampler.probability)}
        return players | self.planned_deals(setting, sampler)

    def planned_deals(self, setting: Setting, sampler: Sampler) -> dict[str, Any]:
        """Return how many deals of a figure it would play, and how many figures there are."""
        return {"deals": self.deals, "figures": len(self.seating)}

    def tested_in(self, change: str, population: Population, doses: Doses | None = None) -> str:
        """Return a change in words, and where it is tested.

        Args:
            change: What is done, in words.
            population: Where.
            doses: Its doses, None for none.
        """
        where = [str(condition) for condition in (*population.hand, *population.position)]
        where += [f"{doses.what}: {', '.join(doses.values)}"] if doses else []
        options = options_in_words(self.variant, "")
        return ", ".join(filter(None, [change, say("with {where}", where=", ".join(where)) if where else "", options]))


class Measuring(Played):
    """A reading of a metric, in deals of each player of a panel, or of players that every seat draws from a field."""

    if TYPE_CHECKING:
        metric: str
        fields: list[list[str]]

    @model_validator(mode="after")
    def _somebody_plays(self) -> Self:
        if bool(self.panel) == bool(self.fields):
            raise ValueError("write `panel` or `fields`")
        return self

    @property
    def seating(self) -> list[list[str]]:
        return super().seating or self.fields

    @property
    def labels(self) -> list[str]:
        """The players of every figure in words."""
        return self.panel or [" or ".join(field) for field in self.fields]

    def check_fields(self, place: Place) -> None:
        """Raise ValueError for fields of players that the game lacks, or without a metric of who was drawn."""
        for number, field in enumerate(self.fields):
            for spec in field:
                place.player(f"fields.{number}", spec)
        if metrics_of(place.game)[self.metric].drawn != bool(self.fields):
            raise ValueError(f"{place.key}.metric: `fields` and the metric skill_share need each other")


class Comparison(Played):
    """A reading of what a trait or an action gains, in all deals or at each of its doses."""

    if TYPE_CHECKING:
        population: Population
        alternative: Alternative
        margin: float
        doses: Doses | None
        subgroups: list[Condition]

    @abstractmethod
    def claimed(self, setting: Setting) -> Choice | Pair | None:
        """Return what distinguishes the claimed action and the other; None for a trait that no player here has."""

    @abstractmethod
    def play(self, setting: Setting, sampler: Sampler, member: str, number: int) -> Any:
        """Play the deals of a stream both ways with a player of the panel; return the sample.

        It has `gains`, [N], and `groups`, the values of subgroups and last that of doses; `at` returns what was played
        at a dose of the position, and `compared` what was played otherwise.

        Args:
            setting: What is played, and how.
            sampler: The population of deals.
            member: A player of the panel.
            number: Of the stream of deals.
        """

    @abstractmethod
    def level(self, setting: Setting, cell: Cell, dose: Dose | None, played: Sequence[Any], **more: Any) -> Level:
        """Return what was found at a dose with all players; more: other fields of the level.

        Args:
            setting: What was played.
            cell: The population, and its doses.
            dose: The one in question, None for all.
            played: What `play` returned, for each player of the panel.
            more: Other fields of the level.
        """

    @abstractmethod
    def words(self) -> dict[str, Any]:
        """Return fields of the finding that say what was compared, and `who` gains."""

    @abstractmethod
    def ways(self, setting: Setting, example: Example) -> list[tuple[Agent, dict[int, int]]]:
        """Return how a deal to look at is played, with what is claimed and without: who sits at the seats in question,
        and the actions that are taken whoever sits there, by the number of their move.
        """

    def strong(self) -> list[str]:
        missing = {BEST} - set(agent_names(*self.played))
        return [spec for spec in STRONG if spec not in missing]

    @property
    def is_hand_dose(self) -> bool:
        """Whether the doses are dealt to order, as features of a hand are."""
        return self.doses is not None and self.doses.feature in hand_features_of(self.played[0])

    def population_at(self, dose: Dose | None) -> Population:
        if self.doses is None or not self.is_hand_dose:
            return self.population
        doses = self.doses.doses
        least, most = (dose.least, dose.most) if dose else (doses[0].least, doses[-1].most)
        feature, number = self.doses.feature, self.doses.number
        met = Condition(feature=feature, number=number, at_least=least, at_most=None if most >= MOST else most)
        return self.population.model_copy(update={"hand": [met, *self.population.hand]})

    def cells(self) -> list[Cell]:
        """Return what is to be dealt."""
        doses = self.doses.doses if self.doses else [None]
        if not self.is_hand_dose:
            return [Cell(None, self.sampler(), 0, doses)]
        return [Cell(dose, self.sampler(dose), DOSE_STREAMS * place, [dose]) for place, dose in enumerate(doses, 1)]

    @property
    def recorded(self) -> list[Named]:
        """The features of positions that are looked at: those of subgroups, and last that of doses."""
        return [*self.subgroups, *([] if self.doses is None or self.is_hand_dose else [self.doses])]

    def check_groups(self, place: Place) -> None:
        """Raise ValueError for subgroups and doses of no feature, and for doses that no hand of the population has."""
        place.positions("subgroups", self.subgroups)
        doses, game = self.doses, place.game
        if doses is None:
            return
        with place.at("doses"):
            known: dict[str, Feature] = {**position_features_of(game), **hand_features_of(game)}
            check_feature(doses, known, f"a hand or a position of {game.id}")
        if not self.is_hand_dose:
            return
        if any(condition.what == doses.what for condition in self.population.hand):
            with place.at("doses"):
                raise ValueError(f"they say how many {doses.what}; leave that condition out of the population")
        for number, dose in enumerate(doses.doses):
            with place.at(f"doses.values.{number}"):
                self.sampler(dose)

    def weights(self, deals: int | None, masters: bool) -> list[float]:
        cells = len(self.doses.values) if self.doses and self.is_hand_dose else 1
        return [*super().weights(deals, masters), *([MASTERS_TAKE] if masters else [])] * cells

    def test(self, setting: Setting) -> Finding:
        """Play both ways with each member of the panel, at every dose."""
        levels: list[Level] = []
        groups: list[Effect] = []
        compared: list[list[Compared]] = [[] for _ in self.panel]
        for cell in self.cells():
            played = []
            for number, member in enumerate(self.panel):
                dealt = f"with {in_words(cell.dose)}, " if cell.dose else ""
                seated = f"{self.seated[0].lower()}{self.seated[1:]}".format(player=member)
                setting.meter.begin(dealt + seated)
                sample = self.play(setting, cell.sampler, member, cell.stream + number)
                compared[number].append(sample.compared(cell.stream + number, cell.dose))
                groups += subgroups_of(self.subgroups, sample.gains, sample.groups, cell.named(member))
                played.append(sample)
            strong = masters(setting, self.claimed(setting), cell, self.recorded) if setting.masters else {}
            for dose in cell.doses:
                some = played if dose == cell.dose or dose is None else [sample.at(dose) for sample in played]
                levels.append(self.level(setting, cell, dose, some, masters=strong.get(dose, ())))
        return self.dose_finding(
            levels, **self.words(), subgroups=tuple(discovered(groups)), examples=examples(self.panel, compared)
        )

    def effect(self, label: str, gains: np.ndarray, deals: int, **more: Any) -> Effect:
        """Return what was gained, [N], in so many deals as an effect with its verdict; more: other fields of it.

        Args:
            label: What it is called, the player.
            gains: Chips, or what is measured, float64 [N].
            deals: How many were played.
            more: Other fields of the effect.
        """
        gain = estimate(gains) if len(gains) else NOTHING._replace(samples=deals)
        verdict = verdicts.unjudged([gain], deals) or verdicts.judge(gain, self.margin, self.alternative).verdict
        p = t_test(gains) if len(gains) else 1.0
        return Effect(label, gain, verdict, p, counted=label != UNSKILLED, **more)

    def level_of(self, effects: Sequence[Effect], dose: Dose | None, deals: int, **more: Any) -> Level:
        """Return what opponents come to at a dose: p adjusted by Holm, and the verdict of those that count.

        Args:
            deals: That were played with each.
            more: Other fields of the level.
        """
        counted, among = counted_effects(effects), len(self.doses.values) if self.doses else 1
        p = holm([effect.p if effect.p is not None else 1.0 for effect in counted])
        adjusted = {effect.label: value for effect, value in zip(counted, p, strict=True)}
        members = [effect.estimate for effect in counted]
        member_verdicts = [effect.verdict for effect in counted]
        judged, pooled, remark = verdicts.judge_panel(members, member_verdicts, p, self.margin, self.alternative, among)
        if none := verdicts.unjudged(members, deals):
            judged, remark = verdicts.Judged(none), ""
        if judged.verdict == verdicts.DEPENDS:  # their mean is nobody's gain
            more["per_hundred"] = None
        return Level(
            dose,
            say("{feature}: {dose}", feature=self.doses.what, dose=in_words(dose)) if self.doses and dose else "",
            judged.verdict,
            pooled,
            remark,
            judged.deals_needed,
            effects=tuple(replace(effect, p=adjusted.get(effect.label, effect.p)) for effect in effects),
            **more,
        )

    def dose_finding(self, levels: Sequence[Level], who: str, quantity: str = "", **more: Any) -> Finding:
        """Return what it has come to: at all of its doses, or in all deals.

        Args:
            who: What gains or loses.
            quantity: Is measured, if it is no chips.
            more: Other fields of the finding.
        """
        if not self.doses:
            (one,) = levels
            return self.finding(
                one.verdict,
                sentence_of(one.pooled.effect, self.margin, who, quantity, one.pooled),
                remark=one.remark or verdicts.why(one.verdict),
                effects=one.effects,
                pooled=one.pooled,
                masters=one.masters,
                frequency=one.frequency,
                per_hundred=one.per_hundred,
                deals_needed=one.deals_needed,
                p=None if one.verdict in verdicts.UNJUDGED else one.pooled.p,
                **more,
            )
        verdict, headline = judged(levels, not quantity)
        # That nothing is so at any dose; where all agree, that it is not so at the one that is least sure.
        p = [level.pooled.p for level in levels]
        combined = min(1.0, len(p) * min(p)) if verdict == verdicts.DEPENDS else max(p)
        texts = joined("; ", [dose_text(level, quantity) for level in reversed(levels)])
        if quantity:
            texts = say("{findings} ({metric})", findings=texts, metric=say(quantity))
        return self.finding(
            verdict,
            say("{subject}, by {feature}: {text}.", subject=capitalized(who), feature=self.doses.what, text=texts),
            headline=headline,
            remark=verdicts.why(verdict),
            doses=tuple(levels),
            p=None if verdict in verdicts.UNJUDGED else combined,
            **more,
        )
