from tests.verify.conftest import tree as tree
