"""Results, piece by piece (handbook §8)."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from connectors.runtime import program_results as results
from tests.builders.programs import ACCOUNT, TOOL

BEGINNING: TypeAdapter[Any] = TypeAdapter(results.Beginning)
TEXT = {"type": "text", "text": "hello"}
ERROR = {"code": "rate_limited", "message": "later", "retryable": True}


def tool_result(*content: dict[str, Any], **more: Any) -> results.ToolResult:
    return results.ToolResult.model_validate({"content": list(content), **more})


@pytest.mark.parametrize(
    "content",
    [
        TEXT,
        {"type": "image", "data": "aGk=", "mime_type": "image/png"},
        {"type": "audio", "data": "", "mime_type": "audio/wav"},
        {"type": "resource_link", "uri": "https://example.com/a", "name": "a", "description": "b"},
        {"type": "resource", "uri": "x:1", "mime_type": "text/plain", "text": ""},
        {"type": "resource", "uri": "x:1", "data": "aGk="},
    ],
)
def test_the_five_kinds_of_content_are_accepted(content: dict[str, Any]):
    assert tool_result(content).content[0].model_dump(exclude_unset=True) == content


@pytest.mark.parametrize(
    "content",
    [
        {"type": "video", "data": "aGk=", "mime_type": "video/mp4"},
        {"type": "text"},
        {"type": "text", "text": 5},
        {"type": "image", "data": "aGk", "mime_type": "image/png"},
        {"type": "image", "data": "!!!!", "mime_type": "image/png"},
        {"type": "image", "data": "aGk="},
        {"type": "resource", "uri": "x:1"},
        {"type": "resource", "uri": "x:1", "text": "a", "data": "aGk="},
        {"type": "resource", "uri": "x:1", "data": "aG k="},
        {"type": "resource", "uri": "x:1", "blob": "aGk="},
        {"text": "no type"},
    ],
)
def test_any_other_content_is_refused(content: dict[str, Any]):
    with pytest.raises(ValidationError):
        tool_result(content)


@pytest.mark.parametrize(
    "more",
    [{"is_error": True}, {"is_error": True, "error": None}, {"error": ERROR}, {"is_error": False, "error": ERROR}],
)
def test_an_error_is_said_exactly_when_it_is_given(more: dict[str, Any]):
    with pytest.raises(ValidationError):
        tool_result(TEXT, **more)


def test_a_tool_error_carries_code_message_and_whether_to_try_again():
    error = tool_result(TEXT, is_error=True, error=ERROR).error
    assert error is not None
    assert (error.code, error.message, error.retryable) == ("rate_limited", "later", True)


def test_a_read_tool_may_leave_its_confirmation_out():
    tool = {key: value for key, value in TOOL.items() if key not in {"confirmation", "output_schema"}}
    assert results.DiscoveredTool.model_validate(tool).effective_confirmation == "not_required"


def test_an_account_may_leave_out_who_it_is():
    account = results.AuthorizedAccount.model_validate({"credential": {"values": {"token": "s3cr3t"}}})
    assert account.external_account_id is None
    assert "s3cr3t" not in repr(account)


def test_moments_need_a_time_zone():
    assert results.AuthorizedAccount.model_validate(ACCOUNT)
    with pytest.raises(ValidationError):
        results.IssuedCredential.model_validate({"values": {}, "expires_at": "2026-09-08T12:00:00"})


@pytest.mark.parametrize("values", [{"token": 5}, {"token": None}, {"token": {"deep": "x"}}])
def test_credential_values_are_strings(values: dict[str, Any]):
    with pytest.raises(ValidationError):
        results.IssuedCredential.model_validate({"values": values})


@pytest.mark.parametrize("context", [{"a": {"b": "c"}}, {"a": 1}, {"a": ["b"]}, []])
def test_the_private_context_is_a_map_of_strings(context: Any):
    with pytest.raises(ValidationError):
        BEGINNING.validate_python(
            {"type": "redirect", "authorize_url": "https://id.example.com/a", "private_context": context}
        )


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "//evil.example", "", "https://"])
def test_an_address_to_open_is_http(url: str):
    for kind in (results.LaunchAddress, results.BeginRedirect):
        with pytest.raises(ValidationError):
            kind.model_validate({"url": url, "type": "redirect", "authorize_url": url})
