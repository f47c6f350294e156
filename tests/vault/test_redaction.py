"""What looks like a secret is masked; what does not is left alone (safety §30)."""

import base64
import json
import logging
import sys
import time
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.vault.redaction import is_secret_name, redact_mapping, redact_text
from connectors.vault.secret import MASK, Secret
from poco.logging import RedactFilter

CANARY = "Zq8canary7Xw"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {CANARY}",
        f"authorization: {CANARY} more of it {CANARY}",
        f"Cookie: a={CANARY}; b={CANARY}",
        f"Set-Cookie: sessionid={CANARY}; Path=/",
        f"{{'Authorization': 'Bearer {CANARY}'}}",
        f"[(b'authorization', b'Bearer {CANARY}')]",
        f'{{"client_secret": "{CANARY} with spaces {CANARY}", "a": 1}}',
        f'"{{\\"access_token\\": \\"{CANARY}\\"}}"',
        f"api_key={CANARY}",
        f"api-key: {CANARY}",
        f"X-Api-Key: {CANARY}",
        f"apiKey='{CANARY}'",
        f"refreshToken={CANARY}&x=1",
        f"body: password={CANARY}",
        f"https://x.test/?api_key={CANARY}&a=b",
        f"https://x.test/cb?code={CANARY}&state={CANARY}",
        f"https://x.test/?key={CANARY}",
        f"https://user:{CANARY}@x.test/",
        f"https://{CANARY}@x.test/",
        f"sent Bearer {CANARY} upstream",
        f"POCO_VAULT_KEYS=k1:{CANARY}",
        f"密码：{CANARY}",
        f"poco_{CANARY}{CANARY}",
        f"sk-{CANARY}{CANARY}",
        f"ghp_{CANARY}{CANARY}",
        f"eyJhbGciOiJIUzI1NiJ9.{CANARY}.{CANARY}",
        f"-----BEGIN PRIVATE KEY-----\n{CANARY}\n-----END PRIVATE KEY-----",
        f"sig={CANARY}",
    ],
)
def test_what_looks_like_a_secret_is_masked(text):
    redacted = redact_text(text)
    assert CANARY not in redacted
    assert MASK in redacted


@pytest.mark.parametrize(
    "text",
    [
        "GET /mcp 200 in 34 ms",
        "code=404 state=draft",
        "max_tokens=5, design=1, compass: north",
        "Basic authentication failed",
        "https://x.test/path?page=2&q=a",
        "at 12:30:05 the connector weather was published",
        "",
        "天气：晴",
    ],
)
def test_an_ordinary_text_is_left_alone(text):
    assert redact_text(text) == text


def test_what_surrounds_a_secret_stays():
    assert redact_text(f"a=1 api_key={CANARY} b=2") == f"a=1 api_key={MASK} b=2"
    assert redact_text(f'{{"token": "{CANARY}", "a": 1}}') == f'{{"token": "{MASK}", "a": 1}}'
    assert redact_text(redact_text(f"api_key={CANARY}")) == f"api_key={MASK}"


@pytest.mark.parametrize(
    "written",
    [
        str,
        lambda value: quote(value, safe=""),
        json.dumps,
        repr,
        lambda value: base64.b64encode(value.encode()).decode(),
    ],
)
def test_a_given_secret_is_masked_however_it_is_written(written):
    value = 'p"ä ss/w\\ö+rd'
    redacted = redact_text(f"x{written(value)}y", [Secret(value)])
    assert redacted.strip("xy\"'") == MASK


def test_a_secret_inside_a_longer_one_does_not_leave_the_rest():
    assert redact_text("abcd-efgh", [Secret("abcd"), Secret("abcd-efgh")]) == MASK


def test_a_very_short_secret_is_not_looked_for():
    assert redact_text("a banana", [Secret("a"), Secret("")]) == "a banana"


@given(st.text(max_size=200))
def test_any_text_can_be_redacted(text):
    redact_text(text, [Secret(text)])


@pytest.mark.parametrize(
    "unit",
    [
        "a_",
        "=",
        "://",
        "eyJ",
        "\"'",
        "a:",
        "-----BEGIN ",
        "?code=",
        "bearer ",
        'api_key="',
        "token",
        "-token ",
        "cookie,",
    ],
)
def test_no_text_makes_it_slow(unit):
    text = unit * (100_000 // len(unit))
    started = time.process_time()
    redact_text(text)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    "name", ["token", "accessToken", "X-Api-Key", "client_secret", "SECRET_KEY", "db.password", "pwd", "otp", "Cookie"]
)
def test_a_secret_name_is_known_however_it_is_spelled(name):
    assert is_secret_name(name)


@pytest.mark.parametrize("name", ["max_tokens", "name", "design", "compass", "cookie_policy", "tokenizer", "key", ""])
def test_an_ordinary_name_is_not_a_secret(name):
    assert not is_secret_name(name)


def test_a_mapping_is_masked_at_any_depth_and_the_original_stays():
    original = {
        "token": CANARY,
        "none": {"password": None},
        "list": [{"apiKey": CANARY}, f"Bearer {CANARY}", 7],
        "named": {"x": 1},
        "pair": ("a", {"secret": [CANARY]}),
        "number": 5,
    }
    masked = redact_mapping(original, secret_keys=["Named"])
    assert CANARY not in repr(masked)
    assert masked["named"] == MASK
    assert masked["none"] == {"password": None}
    assert masked["number"] == 5
    assert original["token"] == CANARY


def test_a_log_record_is_masked_with_its_arguments_and_traceback():
    try:
        int(f"api_key={CANARY}")
    except ValueError:
        record = logging.LogRecord("x", 10, "", 0, "token=%s", (CANARY,), sys.exc_info())
    assert RedactFilter().filter(record)
    assert CANARY not in logging.Formatter().format(record)
