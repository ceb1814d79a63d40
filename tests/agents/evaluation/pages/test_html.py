"""The page of a tournament: one file that loads nothing, with what the tables say."""

import re

from gupai_agents import make_agent
from gupai_agents.evaluation import play_into, schedule, verify


def test_report_is_one_file_with_its_pictures_inside(tmp_path):
    odd = make_agent("greedy")
    odd.name = "<script>$x_1$</script>"
    plan = schedule("jie-long", [odd.name, "variety", "random"], 30, table="all", seed=1)
    found = play_into(tmp_path / "run", plan, [odd, "variety", "random"])
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") == 3 and "Who wins from whom" in page
    assert "<script" not in page
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert not re.search(r"url\((?!#)", page)
    for performance in found.performances:
        row = f"<td>{performance.chips}</td><td>{'<0.001' if performance.p < 0.001 else f'{performance.p:.3f}'}</td>"
        assert row.replace("<0", "&lt;0") in page
    sure = {pair: p for pair, p in found.standings.adjusted().items() if p < 0.05}
    assert sure and len(re.findall(r'<td class="(?:won|lost)[123]">', page)) == len(sure)
    assert "prefers-color-scheme: dark" in page
    verify(tmp_path / "run")
