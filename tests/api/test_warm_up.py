"""What a web process does before its first request."""

import gc

from connectors.api.warm_up import warm_up


def test_what_lasts_is_left_out_of_garbage_collections():
    lasting = [[] for _ in range(1000)]
    before = gc.get_freeze_count()
    warm_up()
    assert gc.get_freeze_count() >= before + len(lasting)
