"""Where a person reads: a long text goes to a pager, which may be left early."""

import itertools
import shlex
import sys
from types import SimpleNamespace

from gupai_app.shell.terminal import paged


def test_pager_of_a_terminal_is_left_before_all_is_made(monkeypatch, capfd):
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("PAGER", shlex.join([sys.executable, "-c", "print(input().upper())"]))
    paged(f"line {number}\n" for number in itertools.count())
    assert capfd.readouterr().out == "LINE 0\n"


def test_texts_are_printed_where_no_person_reads(monkeypatch, capsys):
    monkeypatch.setenv("PAGER", "false")
    paged(["one\n", "two\n"])
    assert capsys.readouterr().out == "one\ntwo\n"
