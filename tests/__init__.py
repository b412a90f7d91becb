"""What checks types and shapes while tests run; an int passes for a float."""

from beartype import BeartypeConf, beartype

check_types = beartype(conf=BeartypeConf(is_pep484_tower=True))
