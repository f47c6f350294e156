"""What forces people to authorize again, and what must not (handbook §9, safety §25)."""

from copy import deepcopy

import pytest

from connectors.catalogue.endpoints import origin_of, resolve_servers
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.errors import Refused
from connectors.manifest.reading import load_manifest
from tests.builders.packages import (
    BEARER,
    CLIENT_FIELDS,
    ENDPOINT_FIELD,
    build_manifest,
    build_oauth_manifest,
    build_program_manifest,
    build_static_manifest,
    remote_runtime,
)

HERE = {"endpoint": "https://tools.example.com/mcp"}


def fingerprint(document, configuration=HERE, **more):
    return compute_fingerprint(load_manifest(document), configuration, **more)


def changed(document, *path_and_value):
    *path, value = path_and_value
    copy = deepcopy(document)
    place = copy
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copy


FIELD = ("auth", "fields", 0)


@pytest.mark.parametrize(
    "change",
    [
        ("authorization_contract_version", "2"),
        (*FIELD, "key", "token"),
        (*FIELD, "type", "text"),
        (*FIELD, "required", False),
        (*FIELD, "max_length", 10),
        (*FIELD, "min_length", 2),
    ],
)
def test_a_change_of_what_is_asked_for_forces_reauthorization(change):
    static = build_static_manifest()
    runtime = static["runtime"]["options"]["credential_binding"]
    after = changed(static, *change)
    after["runtime"]["options"]["credential_binding"] = runtime
    assert fingerprint(after) != fingerprint(static)


@pytest.mark.parametrize(
    "change",
    [
        ("package_version", "1.0.1"),
        ("presentation", "icon", None),
        ("presentation", "category", "design"),
        ("presentation", "description_key", "other"),
        (*FIELD, "label_key", "other"),
        (*FIELD, "description_key", "other"),
        ("tool_policy", "rules", []),
        ("connection_policy", "multiple_per_user"),
        ("skills", [{"key": "search", "path": "skills/search"}]),
    ],
)
def test_a_change_of_words_tools_or_looks_does_not(change):
    static = build_static_manifest()
    assert fingerprint(changed(static, *change)) == fingerprint(static)


OPTIONS = ("auth", "options")
STATIC_PLACE = (*OPTIONS, "discovery")
MCP = {
    "type": "mcp",
    "resource_configuration_field": "endpoint",
    "expected_issuer": "https://identity.example.com/one",
}
OF_OAUTH = HERE | {"client_id": "mine"}


@pytest.mark.parametrize(
    "change",
    [
        (*OPTIONS, "scopes", ["records.read", "records.write"]),
        (*OPTIONS, "token_endpoint_auth_method", "client_secret_basic"),
        (*STATIC_PLACE, "token_url", "https://identity.example.com/oauth/token2"),
        (*STATIC_PLACE, "authorization_url", "https://identity.example.com/oauth/authorize2"),
        (*STATIC_PLACE, "revocation_url", "https://identity.example.com/oauth/revoke"),
        (*STATIC_PLACE, "resource", "https://mcp.example.com"),
        (*STATIC_PLACE, "issuer", "https://identity.example.com/"),
        (*OPTIONS, "discovery", MCP),
    ],
)
def test_what_a_sign_in_is_for_and_where_forces_reauthorization(change):
    oauth = build_oauth_manifest()
    assert fingerprint(changed(oauth, *change), OF_OAUTH) != fingerprint(oauth, OF_OAUTH)


@pytest.mark.parametrize(
    "configuration",
    [OF_OAUTH | {"endpoint": "https://tools.example.com/other"}, HERE | {"client_id": "other"}, HERE],
    ids=["another resource", "another client", "no client of the administrator's"],
)
def test_what_an_administrator_configures_of_a_sign_in_counts(configuration):
    oauth = changed(build_oauth_manifest(), *OPTIONS, "discovery", MCP)
    assert fingerprint(oauth, configuration) != fingerprint(oauth, OF_OAUTH)


def test_another_expected_issuer_is_another_authorization():
    oauth = changed(build_oauth_manifest(), *OPTIONS, "discovery", MCP)
    other = changed(oauth, *STATIC_PLACE, "expected_issuer", "https://identity.example.com/two")
    assert fingerprint(other, OF_OAUTH) != fingerprint(oauth, OF_OAUTH)


@pytest.mark.parametrize(
    "change",
    [
        ("configuration", "fields", 1, "label_key", "other"),
        ("configuration", "fields", 2, "required", False),
        ("presentation", "connection_actions", [{"type": "reauthorize", "label_key": "name"}]),
        ("runtime", "transport", "sse"),
        ("tool_policy", "rules", [{"tool": "search_records", "effect": "write", "retry": "never", "confirmation": "user_required"}]),
        ("locales", ["zh-CN", "en"]),
    ],
)  # fmt: skip
def test_what_is_around_a_sign_in_does_not_count(change):
    oauth = build_oauth_manifest()
    assert fingerprint(changed(oauth, *change), OF_OAUTH) == fingerprint(oauth, OF_OAUTH)


@pytest.mark.parametrize("interaction", ["none", "redirect"])
def test_another_way_to_sign_in_is_another_authorization(interaction):
    program = build_program_manifest()
    assert fingerprint(changed(program, "auth", "interaction", interaction)) != fingerprint(program)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"type": "integer", "minimum": 1}, {"type": "integer", "minimum": 2}),
        ({"type": "integer", "maximum": 1}, {"type": "integer", "maximum": 2}),
        ({"type": "text", "default": "a"}, {"type": "text", "default": "b"}),
    ],
)
def test_a_fields_range_and_default_count(one, other):
    field = {"key": "extra", "label_key": "l", "required": True}
    static = build_static_manifest()
    with_one, with_other = (
        changed(static, "auth", "fields", [static["auth"]["fields"][0], field | more]) for more in (one, other)
    )
    assert fingerprint(with_one) != fingerprint(with_other)


def test_another_strategy_is_another_authorization():
    assert len({fingerprint(build()) for build in (build_manifest, build_static_manifest)}) == 2


def test_the_order_of_fields_and_options_does_not_count():
    region = {"key": "region", "type": "select", "label_key": "l", "required": True}
    options = [{"value": "cn", "label_key": "l"}, {"value": "global", "label_key": "l"}]
    base = build_static_manifest()
    key = base["auth"]["fields"][0]
    one = changed(base, "auth", "fields", [key, region | {"options": options}])
    other = changed(base, "auth", "fields", [region | {"options": options[::-1]}, key])
    assert fingerprint(one) == fingerprint(other) != fingerprint(base)
    fewer = changed(base, "auth", "fields", [key, region | {"options": options[:1]}])
    assert fingerprint(fewer) != fingerprint(one)


@pytest.mark.parametrize(
    "address", ["http://tools.example.com/mcp", "https://tools.example.org/mcp", "https://tools.example.com:8443/mcp"]
)
def test_a_credential_does_not_follow_the_address_to_another_origin(address):
    static = build_static_manifest()
    assert fingerprint(static, {"endpoint": address}) != fingerprint(static)


@pytest.mark.parametrize(
    "address",
    ["https://tools.example.com/mcp/v2", "https://TOOLS.example.com:443/mcp", "https://tools.example.com./mcp?team=1"],
)
def test_another_path_or_spelling_of_one_origin_changes_nothing(address):
    static = build_static_manifest()
    assert fingerprint(static, {"endpoint": address}) == fingerprint(static)


def test_without_a_credential_an_address_may_move():
    assert fingerprint(build_manifest(), {"endpoint": "http://other.example"}) == fingerprint(build_manifest())


def test_of_several_servers_each_origin_counts():
    servers = [
        {"key": "documents", "endpoint": {"url": "https://a.example.com/mcp"}},
        {"key": "sheets", "endpoint": {"configuration_field": "endpoint"}},
    ]
    document = build_static_manifest(runtime=remote_runtime(servers=servers, credential_binding=BEARER))
    assert fingerprint(document, {"endpoint": "https://b.example.com"}) != fingerprint(document)
    assert [(server.key, server.url) for server in resolve_servers(load_manifest(document), HERE)] == [
        ("documents", "https://a.example.com/mcp"),
        ("sheets", HERE["endpoint"]),
    ]


def test_the_client_id_counts_and_a_rotated_client_secret_does_not():
    oauth = build_oauth_manifest(configuration={"fields": [ENDPOINT_FIELD, *CLIENT_FIELDS]})
    mine = HERE | {"client_id": "mine"}
    assert fingerprint(oauth, HERE | {"client_id": "other"}) != fingerprint(oauth, mine)
    assert fingerprint(oauth, mine | {"client_secret": "rotated"}) == fingerprint(oauth, mine)


def test_a_programs_identity_counts():
    program = build_program_manifest()
    assert fingerprint(program, identity={"client": 1}) != fingerprint(program, identity={"client": 2})


def test_an_endpoint_without_a_value_is_refused_rather_than_guessed():
    with pytest.raises(Refused, match="configuration_incomplete"):
        resolve_servers(load_manifest(build_manifest()), {})


def test_a_programs_runtime_has_no_servers():
    assert resolve_servers(load_manifest(build_program_manifest()), {}) == ()


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("HTTPS://Example.com/x", "https://example.com:443"),
        ("http://例子.测试/", "http://xn--fsqu00a.xn--0zwm56d:80"),
        ("http://[::1]:8080/mcp", "http://[::1]:8080"),
        ("", "://:0"),
    ],
)
def test_an_origin_has_one_spelling(url, origin):
    assert origin_of(url) == origin
