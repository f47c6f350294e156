"""Redeem an authorization code, and compare what was granted with what was asked for (RFC 6749 §4.1.3, RFC 7636)."""

from asgiref.sync import async_to_sync

from connectors.authorization.client_registration import redirect_uri
from connectors.authorization.oauth_grant import OAuthGrant, client_secret_of
from connectors.authorization.scopes import scopes_missing
from connectors.authorization.token_endpoint import Form, TokenAnswer, request_tokens
from connectors.catalogue.models import Connector
from connectors.errors import OutcomeUnknown, UpstreamFault
from connectors.runtime.deadline import Deadline
from connectors.runtime.program_results import AuthorizedAccount, IssuedCredential
from connectors.vault.secret import Secret

EXCHANGE_SECONDS = 30.0


def exchange_code(connector: Connector, grant: OAuthGrant, *, code: Secret, verifier: Secret) -> TokenAnswer:
    """Return the tokens; asked once, for a code is good once. `resource` is added as it was in the first request.

    Raises TokenRefused, UpstreamFault and Unreachable; an answer that did not arrive is `sign_in_interrupted`, since
    nothing has been saved and signing in again is safe.
    """
    form: Form = {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": redirect_uri(),
        "code_verifier": verifier,
    }
    secret = client_secret_of(grant, connector)
    try:
        return async_to_sync(request_tokens)(grant, secret, form, deadline=Deadline.after(EXCHANGE_SECONDS))
    except OutcomeUnknown as error:
        raise UpstreamFault("sign_in_interrupted", reason=str(error.parameters.get("reason", error.code))) from error


def describe_account(tokens: TokenAnswer, asked: tuple[str, ...]) -> AuthorizedAccount:
    """Return what tokens tell of their account: nothing of who it is, only what it may do (`connection_id`, §5)."""
    values = {"access_token": tokens.access_token}
    if tokens.refresh_token is not None:
        values["refresh_token"] = tokens.refresh_token
    return AuthorizedAccount(
        granted_scopes=tokens.scopes if tokens.scopes is not None else asked,
        credential=IssuedCredential(
            values=values, expires_at=tokens.expires_at, refresh_expires_at=tokens.refresh_expires_at
        ),
    )


def missing_scopes(tokens: TokenAnswer, asked: tuple[str, ...]) -> tuple[str, ...]:
    """Return the scopes that were asked for and not granted; without a word on it all were (RFC 6749 §5.1)."""
    if tokens.scopes is None:
        return ()
    return scopes_missing(asked, tokens.scopes, renewable=tokens.refresh_token is not None)
