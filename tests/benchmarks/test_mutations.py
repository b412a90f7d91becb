import ast

from benchmarks.mutations import mutants_of

SOURCE = '''"""One + one."""

BAND = (0.5, 2.0)


@measure(order=3)
def f(x: Array[3], *, n: int = 4) -> float:
    """Two - one."""
    if n < 5:
        raise ValueError(f"found {n + 1}")
    return -x.mean(axis=0) @ x
'''


def test_each_site_is_changed_once_and_what_declares_is_none():
    assert [(mutant.line, mutant.before, mutant.after) for mutant in mutants_of(SOURCE)] == [
        (3, "0.5", "0.485"),
        (3, "2.0", "3.0"),
        (9, "n < 5", "n <= 5"),
        (9, "5", "6"),
        (11, "-x.mean(axis=0) @ x", "-x.mean(axis=0) * x"),
        (11, "-x.mean(axis=0)", "x.mean(axis=0)"),
        (11, "x.mean", "x.median"),
        (11, "0", "1"),
    ]


def test_a_mutant_is_code_with_this_change_alone():
    whole = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in mutants_of(SOURCE):
        code = ast.unparse(ast.parse(mutant.code)).splitlines()
        assert sum(line != other for line, other in zip(code, whole, strict=True)) == 1


def test_equal_changes_of_a_line_and_of_two_functions_are_told_apart():
    source = """class A:
    def f(x):
        return g(1, 1, x)

    def g(x):
        return g(1, 1, x)
"""
    mutants = {(mutant.function, mutant.becomes) for mutant in mutants_of(source)}
    calls = ("return g(2, 1, x)", "return g(1, 2, x)")
    assert mutants == {(name, call) for name in ("A.f", "A.g") for call in calls}


def test_a_number_too_large_to_grow_by_one_is_left():
    assert mutants_of("LARGEST = 1e60") == []
