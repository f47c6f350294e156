from connectors.manifest.difference import compare_manifests, hosts
from connectors.manifest.reading import load_manifest
from tests.builders.packages import (
    ENDPOINT_FIELD,
    build_manifest,
    build_oauth_manifest,
    build_program_manifest,
    build_static_manifest,
    remote_runtime,
)

READ = {"tool": "read", "effect": "read", "retry": "safe"}
WRITE = {"tool": "write", "effect": "write", "retry": "never", "confirmation": "user_required"}


def changes(old, new):
    found = compare_manifests(load_manifest(old), load_manifest(new))
    return [(change.kind, change.subject, change.before, change.after) for change in found]


def with_rules(*rules, **more):
    return build_manifest(tool_policy={"default": "deny", "rules": list(rules)}, **more)


def test_a_manifest_does_not_differ_from_itself():
    assert changes(build_oauth_manifest(), build_oauth_manifest()) == []


def test_what_is_more_dangerous_comes_first():
    old = with_rules(READ, WRITE)
    new = with_rules(
        {**READ, "effect": "destructive", "retry": "never", "confirmation": "user_required"},
        {**WRITE, "confirmation": "not_required"},
        {"tool": "another", "effect": "read", "retry": "safe"},
        package_version="1.1.0",
        authorization_contract_version="2",
    )

    assert changes(old, new) == [
        ("effect_raised", "read", "read", "destructive"),
        ("confirmation_dropped", "write", "user_required", "not_required"),
        ("tool_added", "another", "", "read"),
        ("contract_changed", "", "1", "2"),
        ("confirmation_added", "read", "not_required", "user_required"),
        ("retry_changed", "read", "safe", "never"),
        ("version_changed", "", "1.0.0", "1.1.0"),
    ]


def test_risk_says_what_needs_a_tick_of_its_own():
    found = compare_manifests(
        load_manifest(with_rules(READ)),
        load_manifest(with_rules(READ, WRITE, package_version="1.1.0", authorization_contract_version="2")),
    )

    assert [(change.kind, change.risk) for change in found] == [
        ("tool_added", "raised"),
        ("contract_changed", "notable"),
        ("version_changed", "plain"),
    ]


def test_lowered_effects_and_removed_tools_are_told_too():
    destructive = {**WRITE, "effect": "destructive"}

    assert changes(with_rules(destructive, READ), with_rules(WRITE)) == [
        ("effect_lowered", "write", "destructive", "write"),
        ("tool_removed", "read", "read", ""),
    ]


def test_hosts_scopes_skills_and_locales_are_compared_as_sets():
    old = build_oauth_manifest(skills=[{"key": "a", "path": "skills/a"}])
    new = build_oauth_manifest(skills=[{"key": "b", "path": "skills/b"}], locales=["en", "fr"])
    new["auth"]["options"]["scopes"] = ["records.write"]
    for name in ("issuer", "authorization_url", "token_url"):
        url = new["auth"]["options"]["discovery"][name]
        new["auth"]["options"]["discovery"][name] = url.replace("identity.", "login.")

    assert [change[:2] for change in changes(old, new)] == [
        ("host_added", "login.example.com"),
        ("scope_added", "records.write"),
        ("scope_removed", "records.read"),
        ("host_removed", "identity.example.com"),
        ("skill_added", "b"),
        ("skill_removed", "a"),
        ("locale_added", "fr"),
        ("locale_removed", "zh-CN"),
    ]


def test_configuration_added_gone_and_changed_is_told_but_not_its_wording():
    text = {"key": "note", "type": "text", "label_key": "name"}
    old = build_manifest(configuration={"fields": [ENDPOINT_FIELD, text]})
    new = build_manifest(
        configuration={"fields": [{**ENDPOINT_FIELD, "max_length": 99}, {**text, "key": "other", "required": True}]}
    )

    assert changes(old, new) == [
        ("field_added", "configuration.other", "", "text, required"),
        ("field_changed", "configuration.endpoint", "url, required, max_length 2048", "url, required, max_length 99"),
        ("field_removed", "configuration.note", "text", ""),
    ]
    reworded = build_manifest(configuration={"fields": [{**ENDPOINT_FIELD, "label_key": "description"}, text]})
    assert changes(old, reworded) == []


def test_another_way_to_sign_in_or_to_run_is_told():
    kinds = [change[0] for change in changes(build_static_manifest(), build_program_manifest())]

    assert kinds == ["sign_in_changed", "runtime_changed", "field_removed"]


def test_new_program_capabilities_are_told():
    new = build_program_manifest()
    new["program"]["capabilities"] = ["launch_url"]

    assert changes(build_program_manifest(), new) == [("capability_added", "launch_url", "", "")]


def test_the_hosts_a_package_names_are_its_endpoints_issuer_and_default_addresses():
    servers = [
        {"key": "a", "endpoint": {"url": "https://A.example.com/mcp"}},
        {"key": "b", "endpoint": {"configuration_field": "endpoint"}},
    ]
    rules = [{"server": "a", **READ}]
    document = build_manifest(
        runtime=remote_runtime(servers=servers),
        tool_policy={"default": "deny", "rules": rules},
        configuration={"fields": [{**ENDPOINT_FIELD, "default": "http://127.0.0.1:8765/mcp"}]},
    )
    assert hosts(load_manifest(document)) == {"a.example.com", "127.0.0.1:8765"}

    discovery = {
        "type": "mcp",
        "resource_configuration_field": "endpoint",
        "expected_issuer": "https://issuer.example.com/t",
    }
    oauth = build_oauth_manifest(runtime=remote_runtime(endpoint={"url": "https://one.example.com/mcp"}))
    oauth["auth"]["options"]["discovery"] = discovery
    assert hosts(load_manifest(oauth)) == {"one.example.com", "issuer.example.com"}
