"""Which URLs are accepted before anything is looked up (safety §12)."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.egress import policy as policies
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import EgressPolicy, check_url, configure, current_policy
from connectors.egress.urls import LONGEST_URL, parse_url


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("javascript:alert(1)", "scheme"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://x.test/", "scheme"),
        ("//x.test/", "scheme"),
        ("", "scheme"),
        ("http:///path", "malformed_host"),
        ("http://user@x.test/", "userinfo"),
        ("http://user:pass@x.test/", "userinfo"),
        ("http://:@x.test/", "userinfo"),
        ("http://x.test:0/", "port"),
        ("http://x.test:22/", "port"),
        ("http://x.test:6667/", "port"),
        ("http://x.test:65536/", "malformed"),
        ("http://x.test:abc/", "malformed"),
        ("http://x.test/\r\nX: y", "forbidden_character"),
        ("http://x.test/a b", "forbidden_character"),
        ("http://x.test/\x00", "forbidden_character"),
        ("http://x.test/\x7f", "forbidden_character"),
        ("http://x.test\\@127.0.0.1/", "forbidden_character"),
        ("http://127.1/", "malformed_host"),
        ("http://2130706433/", "malformed_host"),
        ("http://0x7f000001/", "malformed_host"),
        ("http://0x7f.0.0.1/", "malformed_host"),
        ("http://017700000001/", "malformed_host"),
        ("http://127.0.0.1./", "malformed_host"),
        ("http://a%2eb.test/", "malformed_host"),
        ("http://x..test/", "malformed_host"),
        ("http://-x.test/", "malformed_host"),
        ("http://[fe80::1%25eth0]/", "malformed_host"),
        ("http://[::1/", "malformed"),
    ],
)
def test_a_url_we_would_never_connect_to_is_refused_with_its_reason(url, reason):
    with pytest.raises(AddressRefused) as refused:
        parse_url(url)
    assert (refused.value.parameters["stage"], refused.value.parameters["reason"]) == ("address", reason)


@pytest.mark.parametrize(
    "url",
    [
        "https://x.test/mcp?a=b",
        "http://x.test.:8080/",
        "http://[2606:4700::1111]/",
        "http://a_b.test/",
        "https://例え.test/路径?q=值",
    ],
)
def test_an_ordinary_url_is_accepted(url):
    assert parse_url(url).raw_host


def test_a_url_may_be_as_long_as_the_limit_and_no_longer():
    stem = "http://x.test/"
    parse_url(stem + "a" * (LONGEST_URL - len(stem)))
    with pytest.raises(AddressRefused):
        parse_url(stem + "a" * (LONGEST_URL - len(stem) + 1))


@given(st.text(max_size=60))
def test_any_text_is_either_a_url_with_a_host_or_refused(text):
    for url in (text, "http://" + text):
        with suppress(AddressRefused):
            assert parse_url(url).raw_host


def test_full_width_digits_are_checked_as_the_address_they_become():
    with pytest.raises(AddressRefused) as refused:
        EgressPolicy().check_url("http://１２７.0.0.1/")
    assert refused.value.parameters["reason"] == "private_address"


def test_the_configured_policy_is_the_one_that_checks():
    before = current_policy()
    try:
        configure(EgressPolicy())
        with pytest.raises(AddressRefused):
            check_url("http://127.0.0.1/")
        configure(EgressPolicy(("127.0.0.0/8",)))
        check_url("http://127.0.0.1/")
    finally:
        configure(before)


def test_remembered_urls_are_bounded(monkeypatch):
    monkeypatch.setattr(policies, "_REMEMBERED", 2)
    policy = EgressPolicy()
    for number in range(5):
        policy.check_url(f"http://x.test/{number}")
        assert policy.check_url(f"http://x.test/{number}").path == f"/{number}"
    assert len(policy._checked) <= 2
