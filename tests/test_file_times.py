from types import SimpleNamespace

from tests.file_times import long_files


def test_a_file_is_told_whose_tests_and_fixtures_take_long_together():
    phases = [("a.py::one", 6.0), ("b.py::one", 9.0), ("a.py::two[x::y]", 5.0), ("c.py::one", 30.0)]
    reports = [SimpleNamespace(nodeid=name, duration=seconds) for name, seconds in phases]
    without = SimpleNamespace(nodeid="d.py")  # of a file that could not be collected
    assert long_files([*reports, without]) == [("c.py", 30.0), ("a.py", 11.0)]
