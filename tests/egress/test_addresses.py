"""Which addresses may be connected to (safety §11)."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.egress.addresses import Verdict, judge_address, parse_address
from connectors.egress.errors import AddressRefused
from connectors.egress.policy import EgressPolicy

EVERYTHING = EgressPolicy(("0.0.0.0/0", "::/0"))
ONLY_PUBLIC = EgressPolicy()

NEVER = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.0.1",
    "169.254.169.254",
    "169.254.170.2",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::",
    "fe80::1",
    "febf::1",
    "fec0::1",
    "feff::1",
    "ff02::1",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "fd20:ce::254",
    "::ffff:169.254.169.254",
    "::ffff:100.100.100.200",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::169.254.169.254",
    "2002:a9fe:a9fe::1",
    "::169.254.169.254",
    "::0.0.0.2",
]
PRIVATE = [
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "127.0.0.1",
    "127.255.255.255",
    "100.64.0.1",
    "100.127.255.255",
    "::1",
    "fc00::1",
    "fd12::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
]
SPECIAL = [
    "192.0.0.1",
    "192.0.2.1",
    "198.18.0.1",
    "198.19.255.255",
    "198.51.100.1",
    "203.0.113.1",
    "192.88.99.1",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "2002:808:808::1",
    "2001:0:102:304::f7f7:f7f7",
    "2001:db8::1",
    "2001:2::1",
    "2001:20::1",
    "3fff::1",
    "::8.8.8.8",
    "100::1",
    "4000::1",
    "5f00::1",
    "1::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "128.0.0.1",
    "126.255.255.255",
    "::ffff:8.8.8.8",
    "2606:4700::1111",
    "2a00::1",
]


@pytest.mark.parametrize("address", NEVER)
def test_metadata_link_local_multicast_and_unspecified_are_refused_whatever_is_listed(address):
    with pytest.raises(AddressRefused) as refused:
        EVERYTHING.check_address("named.test", address)
    assert refused.value.parameters["reason"] == "never_address"
    with pytest.raises(AddressRefused):
        EgressPolicy((f"[{address}]" if ":" in address else address, "named.test")).check_address("named.test", address)


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_needs_its_network_or_the_name_to_be_listed(address):
    with pytest.raises(AddressRefused):
        ONLY_PUBLIC.check_address("named.test", address)
    with pytest.raises(AddressRefused):
        EgressPolicy(("other.test",)).check_address("named.test", address)
    EVERYTHING.check_address("named.test", address)
    EgressPolicy(("Named.Test.",)).check_address("named.test", address)
    EgressPolicy(("named.test",)).check_address("NAMED.test.", address)


@pytest.mark.parametrize("address", SPECIAL)
def test_a_special_address_needs_its_network_to_be_listed_a_name_is_not_enough(address):
    with pytest.raises(AddressRefused) as refused:
        EgressPolicy(("named.test",)).check_address("named.test", address)
    assert refused.value.parameters["reason"] == "special_address"
    EVERYTHING.check_address("named.test", address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_allowed(address):
    ONLY_PUBLIC.check_address("named.test", address)


@pytest.mark.parametrize("text", ["fe80::1%eth0", "8.8.8.8%1", "127.1", "0x7f.0.0.1", "2130706433", "", "host"])
def test_an_odd_spelling_is_no_address(text):
    assert parse_address(text) is None
    with pytest.raises(AddressRefused):
        EVERYTHING.check_address("named.test", text)


@given(st.ip_addresses(v=4))
def test_a_mapped_address_is_judged_as_what_it_maps(address: IPv4Address):
    assert judge_address(IPv6Address(f"::ffff:{address}")) is judge_address(address)


@given(st.ip_addresses(v=4), st.sampled_from(["64:ff9b::{}", "64:ff9b:1::{}", "::{}"]))
def test_no_carrier_makes_an_ipv4_address_public(address: IPv4Address, carrier: str):
    assert judge_address(IPv6Address(carrier.format(address))) is not Verdict.PUBLIC


@given(st.ip_addresses())
def test_what_we_call_public_python_calls_global(address: IPv4Address | IPv6Address):
    if judge_address(address) is Verdict.PUBLIC:
        assert address.is_global or (isinstance(address, IPv6Address) and address.ipv4_mapped)


@pytest.mark.parametrize(
    "entry", ["10.0.0.5/8", "10.0.0.0/33", "a b", "", "http://x", "x:80", "x?y", "x#y", "u@h", "127.1", "*.corp"]
)
def test_an_entry_that_is_neither_name_nor_address_nor_network_is_refused(entry):
    with pytest.raises(ValueError):
        EgressPolicy((entry,))


def test_an_address_entry_opens_that_address_only():
    policy = EgressPolicy(("10.0.0.1", "[fd12::1]"))
    policy.check_address("x.test", "10.0.0.1")
    policy.check_address("x.test", "fd12::1")
    for other in ("10.0.0.2", "fd12::2"):
        with pytest.raises(AddressRefused):
            policy.check_address("x.test", other)


def test_a_chinese_name_is_matched_in_its_wire_form():
    EgressPolicy(("内网.test",)).check_address("xn--v6q792i.test", "10.0.0.1")


def test_every_listed_example_is_judged_once():
    examples = [ip_address(text) for text in NEVER + PRIVATE + SPECIAL + PUBLIC]
    assert {judge_address(address) for address in examples} == set(Verdict)
