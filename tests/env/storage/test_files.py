"""Files are written whole or not at all, to regular files only, and never over what is there without being told to."""

import errno
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gupai_env.storage import files
from gupai_env.storage.files import (
    NewFile,
    check_target,
    describe,
    locked,
    mend_lines,
    new_file,
    read_text,
    write_file,
    write_output,
)

posix = pytest.mark.skipif(os.name != "posix", reason="devices, pipes and rights of POSIX")


def left(folder):
    """The names in a folder."""
    return sorted(path.name for path in folder.iterdir())


def socket_at(path):
    here = os.getcwd()
    os.chdir(path.parent)  # a socket's path is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)
    os.chdir(here)
    return path


def linked(path, target):
    path.symlink_to(target)
    return path


def read_only(path):
    path.mkdir()
    path.chmod(0o500)
    return path / "x"


NO_TARGETS = {  # made in a folder: what is named, and what is said of it
    "empty": (lambda at: "", "not a name of a file"),
    "spaces": (lambda at: "  ", "not a name of a file"),
    "a hyphen": (lambda at: "-", "not a name of a file"),
    "a null character": (lambda at: "a\0b", "not a name of a file"),
    "a device": (lambda at: "/dev/null", "not a regular file"),
    "a full device": (lambda at: "/dev/full", "not a regular file"),
    "a terminal's name": (lambda at: "/dev/tty", "not a regular file|no such|permission|reports"),
    "standard error": (lambda at: "/dev/stderr", "not a regular file|exists already"),
    "a pipe": (lambda at: os.mkfifo(at / "pipe") or at / "pipe", "not a regular file"),
    "a socket": (lambda at: socket_at(at / "socket"), "not a regular file"),
    "a folder": (lambda at: at, "this is a folder; name a file"),
    "this folder": (lambda at: ".", "this is a folder; name a file"),
    "a folder to be": (lambda at: f"{at}/new/", "this is a folder; name a file"),
    "the root": (lambda at: "/", "this is a folder; name a file"),
    "no folder": (lambda at: at / "none" / "x", "there is no folder"),
    "in a file": (lambda at: Path(__file__) / "x", "not a folder|there is no folder"),
    "a link to a device": (lambda at: linked(at / "link", "/dev/null"), "not a regular file"),
    "a link to a folder": (lambda at: linked(at / "link", at), "this is a folder"),
    "a link to nowhere": (lambda at: linked(at / "link", at / "none" / "x"), "there is no folder"),
    "links in a circle": (lambda at: linked(at / "link", at / "link"), "too many symbolic links"),
    "a long name": (lambda at: at / ("x" * 300), "the name is too long"),
    "a very long path": (lambda at: f"{at}/" + "x/" * 5000 + "x", "the name is too long"),
    "an existing file": (lambda at: Path(__file__), "exists already; choose another name"),
}


@posix
@pytest.mark.parametrize(("make", "said"), NO_TARGETS.values(), ids=NO_TARGETS)
def test_invalid_target_file_is_refused_in_one_line_and_stays(make, said, tmp_path):
    target = make(tmp_path)
    before = left(tmp_path)
    for write in (check_target, lambda path: write_file(path, "x"), lambda path: NewFile(path)):
        with pytest.raises(ValueError, match=said) as refused:
            write(target)
        assert len(str(refused.value)) < 500 and "\n" not in str(refused.value)
    if "exists" not in said:
        with pytest.raises(ValueError, match=said):
            write_file(target, "x", force=True)
    assert left(tmp_path) == before
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write everywhere")
def test_unwritable_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be written to"):
        check_target(read_only(tmp_path / "closed"))


def test_existing_file_is_replaced_on_demand_and_keeps_permissions(tmp_path):
    path = tmp_path / "x"
    write_file(path, "old")
    path.chmod(0o600)
    with pytest.raises(ValueError, match="exists already"):
        write_file(path, "new")
    assert path.read_text() == "old"
    write_file(path, "new", force=True)
    assert (path.read_text(), left(tmp_path)) == ("new", ["x"])
    assert os.name != "posix" or stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_links_are_followed_and_stay(tmp_path):
    write_file(tmp_path / "file", "old")
    link, dangling = linked(tmp_path / "link", "file"), linked(tmp_path / "dangling", "made")
    with pytest.raises(ValueError, match="exists already"):
        write_file(link, "new")
    write_file(link, "new", force=True)
    write_file(dangling, "first")
    assert link.is_symlink() and dangling.is_symlink()
    assert ((tmp_path / "file").read_text(), (tmp_path / "made").read_text()) == ("new", "first")


@pytest.mark.parametrize("name", ["x" * 255, "牌" * 85, "a b,c@d=e 牌.onnx", "-x", ".part", "\udcff" * 80])
def test_names_may_be_as_long_and_odd_as_the_disk_allows(name, tmp_path):
    if os.name != "posix":
        pytest.skip("other names elsewhere")
    write_file(tmp_path / name, b"\x00whole")
    assert left(tmp_path) == [name]
    assert (tmp_path / name).read_bytes() == b"\x00whole"


@pytest.mark.parametrize("failing", ["write", "flush", "sync", "rename", "block", "interrupt"])
@pytest.mark.parametrize("force", [False, True])
def test_failure_leaves_the_old_file_and_nothing_else(failing, force, tmp_path, monkeypatch):
    path = tmp_path / "x"
    if force:
        path.write_text("old")
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def fails(*_, **__):
        raise full

    if failing == "sync":
        monkeypatch.setattr(files.os, "fsync", fails)
    if failing == "rename":
        monkeypatch.setattr(files.os, "replace", fails)
        monkeypatch.setattr(files.os, "link", fails)
    expected = {"block": ZeroDivisionError, "interrupt": KeyboardInterrupt}.get(failing, OSError)

    def half_written():
        with new_file(path, force=force) as file:
            file.write(b"half")
            if failing in ("write", "flush"):
                full_disk(file, failing)
            if expected is not OSError:
                raise expected

    with pytest.raises(expected) as error:
        half_written()
    if expected is OSError:
        assert describe(error.value) == f"{path}: the disk is full"
    assert left(tmp_path) == (["x"] if force else [])
    assert not force or path.read_text() == "old"


def full_disk(file, failing):
    """Have what is written to a file end on a full disk, in the midst or at the end."""
    if not Path("/dev/full").exists():
        pytest.skip("a disk that is always full")
    full = os.open("/dev/full", os.O_WRONLY)
    os.dup2(full, file.fileno())
    os.close(full)
    if failing == "write":
        file.write(b"x" * 1_000_000)


@pytest.mark.skipif(not shutil.which("mount") or os.name != "posix" or os.geteuid() != 0, reason="mounts a small disk")
def test_small_disk_leaves_no_partial_file(tmp_path):
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", tmp_path], capture_output=True).returncode:
        pytest.skip("no mounts here")
    try:
        write_file(tmp_path / "old", "old")
        for force in (False, True):
            with pytest.raises(OSError, match="the disk is full") as error:
                write_file(tmp_path / ("old" if force else "new"), b"x" * 200_000, force=force)
            assert describe(error.value).startswith(f"{tmp_path}/")
            assert (left(tmp_path), (tmp_path / "old").read_text()) == (["old"], "old")
    finally:
        subprocess.run(["umount", tmp_path], check=True)


RACER = """
import sys, time
sys.path[:0] = {path!r}
from gupai_env.storage.files import NewFile
new = NewFile({target!r})
new.file.write(sys.argv[1].encode() * 1000)
print("ready", flush=True)
sys.stdin.readline()
try:
    new.finish()
    print("won")
except ValueError as error:
    print(error)
"""


def racer(target, letter):
    code = RACER.format(path=sys.path, target=str(target))
    process = subprocess.Popen(
        [sys.executable, "-c", code, letter], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    return process


def test_two_processes_with_one_target_have_one_winner(tmp_path):
    target = tmp_path / "x"
    racing = [racer(target, letter) for letter in "abk"]
    assert [process.stdout.readline() for process in racing] == ["ready\n"] * 3
    *two, killed = racing
    killed.kill()
    killed.communicate()
    assert not target.exists()
    for process in two:
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=60)[0].strip() for process in two]
    assert sorted(each == "won" for each in said) == [False, True]
    assert any(each.startswith(f"{target} exists already") for each in said)
    assert target.read_text() == "ab"[said.index("won")] * 1000
    assert len([name for name in left(tmp_path) if name != "x"]) == 1  # of the killed one; it has a name of its own
    write_file(target, "again", force=True)


@pytest.mark.usefixtures("signals")
@posix
def test_command_told_to_end_leaves_nothing(tmp_path):
    code = (
        f"import sys; sys.path[:0] = {sys.path!r}\n"
        "from gupai_app.shell.stop import Stop\nfrom gupai_env.storage.files import new_file\nimport time\n"
        f"with Stop(), new_file({str(tmp_path / 'x')!r}) as file:\n"
        "    file.write(b'half'); print('ready', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    begin = time.monotonic()
    assert process.communicate(timeout=60)[1] == "gupai: stopped\n"
    assert (process.returncode, time.monotonic() - begin < 30) == (128 + signal.SIGTERM, True)
    assert left(tmp_path) == []


def test_standard_output_may_stand_for_a_file(capfdbinary, tmp_path):
    for path in ("-", "/dev/stdout"):
        write_output(path, b"\x00\xff")
    write_output(tmp_path / "x", "text")
    assert capfdbinary.readouterr().out == b"\x00\xff" * 2
    assert left(tmp_path) == ["x"]


def test_lock_passes_on_foreign_errors(tmp_path):
    with pytest.raises(OSError) as error, locked(tmp_path, "testing"):  # noqa: PT011
        raise OSError(errno.ENOSPC, "full", "games.csv")
    assert describe(error.value) == "games.csv: the disk is full"
    with (
        locked(tmp_path, "testing"),
        pytest.raises(ValueError, match="another process is testing"),
        locked(tmp_path, "testing"),
    ):
        pytest.fail("it was locked")


@posix
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EIO])
def test_file_system_without_locks_needs_none(number, tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("fcntl.flock", refuse)
    if number == errno.EIO:
        with pytest.raises(OSError, match="the disk reports an error") as error, locked(tmp_path, "testing"):
            pytest.fail("it was locked")
        assert error.value.filename == str(tmp_path / "lock")
        return
    with locked(tmp_path, "testing"):
        assert left(tmp_path) == ["lock"]


@pytest.mark.parametrize(
    ("content", "cut"), [(b"", 0), (b"a\n", 0), (b"a\nb", 1), (b"a", 1), (b"a\n" + b"b" * 100_000, 100_000)]
)
def test_lines_are_mended(content, cut, tmp_path):
    path = tmp_path / "lines"
    assert mend_lines(path) == 0
    path.write_bytes(content)
    assert mend_lines(path) == cut
    assert path.read_bytes() == content[: len(content) - cut]


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"\xff\xfe", "is not UTF-8 text"), (b"a\x80", "is not UTF-8 text"), (b"x" * 101, "more than 100 bytes")],
)
def test_invalid_text_is_reported_with_the_files_name(content, said, tmp_path):
    path = tmp_path / "x.yaml"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"^{path} .*{said}$"):
        read_text(path, 100)
    path.write_bytes(b"\xef\xbb\xbfa: 1\n")
    assert read_text(path, 100) == "a: 1\n"
