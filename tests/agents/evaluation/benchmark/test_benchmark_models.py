"""Suites as they are kept: the same for ever, with two ends to every scale."""

from gupai_agents.evaluation.benchmark.cards import REPLACED, play_benchmark
from gupai_agents.evaluation.benchmark.models import read_suite, suite_names

DIGESTS = {
    "v1": "503f4d1d087f988d32030ebeeb218bd1700cd06859c2844eefb25c22f8775469",
    "v2": "f6c0f54ed6432380d664b8cb548478a5ffdb821ffc4cce79bd1046fd9365be86",
}


def test_suite_keeps_its_digest():
    """A card of it means the same for ever: other tasks, players or deals are another suite."""
    assert {name: read_suite(name).digest for name in suite_names()} == DIGESTS


def test_scale_may_begin_with_a_player_outside_the_population():
    suite = read_suite("v2").part(["deer-hunt"], 8)
    assert suite.tasks[0].scale == ("greedy", "best") and list(suite.tasks[0].population) == ["tuned", "best"]
    recorded = f"checkpoint:{REPLACED / suite.tasks[0].population['best']}.safetensors"  # a later one is `best` now
    for spec, score in (("greedy", 0.0), (recorded, 100.0)):
        card = play_benchmark({"deer-hunt": spec}, suite=suite)
        assert (card.score.mean, card.score.low, card.score.high) == (score, score, score)
        assert set(card.results[0].chips) == {"tuned", "best"}
