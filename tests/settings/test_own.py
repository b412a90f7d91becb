"""What a user brought is told from what conf/ describes."""

from embspace.settings.own import called, is_own, own_description


def test_an_own_description_is_known_and_called_by_its_label():
    own = own_description("my_model", {"source": "path", "path": "my_model"})
    assert own["path"] == "my_model" and is_own(own)
    assert called("my_model-01234567", own) == "my_model"


def test_one_of_conf_is_called_by_its_name():
    for changed in ({"license": "MIT"}, {"language": "English"}):
        described = own_description("Mine", {}) | changed
        assert not is_own(described)
        assert called("mine", described) == "mine"
    assert called("mine", {}) == "mine"
