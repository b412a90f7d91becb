import pytest
import typer

from embspace.app.cli.shared.failures import clear_errors
from embspace.errors import InputError
from tests.app.cli.call import call


def test_an_error_of_the_user_is_one_message(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(typer.Exit) as end, clear_errors():
        raise InputError("params.yaml: key 'seed': \x1b[31m")
    assert end.value.exit_code == 1
    assert capsys.readouterr().err == "error: params.yaml: key 'seed': \\x1b[31m\n"


def test_an_error_of_ours_has_its_traceback():
    with pytest.raises(KeyError), clear_errors():
        raise KeyError("x")


def test_a_message_steers_no_terminal():
    failed = call("define", "x\x1b[31m")
    assert "\x1b" not in failed.output and "error: " in failed.output
