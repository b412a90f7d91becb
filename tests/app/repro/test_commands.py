import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread

import pytest
from psutil import pid_exists

from embspace.app.repro.commands import Command, End, Line, undisturbed


@pytest.fixture
def start(tmp_path: Path):
    """Start a line of shell; the command, and where its news come."""
    with (tmp_path / "held").open("w") as held:

        def begin(shell: str) -> tuple[Command, "Queue[Line | End]"]:
            news: Queue[Line | End] = Queue()
            arguments = ["/bin/sh", "-c", shell]
            command = Command("a", arguments, tmp_path, os.environ, held.fileno(), news)
            return command, news

        yield begin


def test_lines_come_before_the_end_with_its_status(start):
    _, news = start("echo one; echo two >&2; exit 3")
    assert [news.get(timeout=20) for _ in range(3)] == [
        *(Line("a", "one"), Line("a", "two")),
        End("a", 3),
    ]


def test_a_signal_is_a_negative_status(start):
    _, news = start("kill -9 $$")
    assert news.get(timeout=20) == End("a", -9)


def test_the_end_reaches_what_the_command_has_started(start):
    command, news = start("sleep 600 & echo $!; wait")
    line = news.get(timeout=20)
    assert isinstance(line, Line)
    command.end()
    command.wait()
    deadline = time.monotonic() + 20
    while pid_exists(int(line.text)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not pid_exists(int(line.text))
    command.end()  # once more, where nothing is left, is no error


def test_a_process_that_is_left_behind_does_not_hold_up_the_end(start):
    _, news = start("sleep 15 & exit 0")
    begun = time.monotonic()
    assert news.get(timeout=20) == End("a", 0)
    assert time.monotonic() - begun < 10


def test_a_byte_that_is_no_text_is_shown_all_the_same(start):
    _, news = start(f"{sys.executable} -c \"import os; os.write(1, b'x\\xff\\n')\"")
    assert news.get(timeout=20) == Line("a", "x�")


@pytest.fixture
def python_handler() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt, whatever a command that was called here has set."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_a_signal_waits_for_what_must_be_whole(python_handler: None):
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        done.append("whole")
    assert done == ["whole"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_has_no_signals_to_wait_for():
    def enter() -> None:
        with undisturbed():
            done.append("entered")

    done: list[str] = []
    thread = Thread(target=enter)
    thread.start()
    thread.join()
    assert done == ["entered"]
