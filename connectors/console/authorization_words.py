"""What can go wrong between here and a service's sign-in page, in words; `messages` reads them."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_AGAIN = _("Nothing was saved. Begin again.")
_SERVER = _("Nothing was sent there. Tell an administrator: the package or its address has to be looked at.")

AUTHORIZATION_SENTENCES: dict[str, tuple[str | Promise, str | Promise]] = {
    "authorization_unknown": (
        _("This sign-in is not known here."),
        _("It was begun in another browser or by somebody else. Begin again from the catalogue."),
    ),
    "authorization_expired": (
        _("Too much time went by: a sign-in is good for ten minutes."),
        _AGAIN,
    ),
    "authorization_answered": (_("This question was answered already, or is too old."), _("Open the connection.")),
    "consent_refused": (
        _("You did not allow it at the service, so nothing was connected."),
        _("If that was a mistake, begin again and allow what is asked."),
    ),
    "authorization_failed": (
        _("The service ended the sign-in (%(error)s)."),
        _("Begin again. If it stays so, tell an administrator this word."),
    ),
    "sign_in_interrupted": (_("The service did not finish the sign-in."), _AGAIN),
    "scope_refused": (
        _("The service asks for the scope %(scopes)s, and your account did not get it."),
        _("Begin again and allow it. If it is not offered, whoever manages the account there has to allow it first."),
    ),
    "scope_not_asked": (
        _("The service asks for the scope %(scopes)s, which this package does not ask for."),
        _("Signing in again changes nothing. Tell an administrator: the package has to ask for it."),
    ),
    "sign_in_refused": (_("The service did not accept the sign-in: %(message)s"), _AGAIN),
    "token_refused": (
        _("The service did not accept the sign-in (%(error)s)."),
        _("Begin again. If it stays so, an administrator has to check the client id and its secret."),
    ),
    "token_endpoint_failed": (
        _("The service could not finish the sign-in (HTTP %(status)s)."),
        _("Nothing was saved. Try again later."),
    ),
    "issuer_mismatch": (
        _("The answer came from %(found)s, not from %(expected)s, so it was not used."),
        _("Begin again. If it stays so, tell an administrator: somebody may be in between."),
    ),
    "issuer_missing": (
        _("The answer does not say that it came from %(expected)s, so it was not used."),
        _("Begin again. If it stays so, tell an administrator: somebody may be in between."),
    ),
    "issuer_unexpected": (
        _("The server trusts other sign-in services (%(found)s) than the one this package expects, %(expected)s."),
        _SERVER,
    ),
    "resource_mismatch": (_("The server describes another resource (%(found)s) than its own address."), _SERVER),
    "resource_metadata_missing": (_("The server does not say where its accounts sign in."), _SERVER),
    "server_metadata_missing": (_("%(issuer)s does not say how to sign in there."), _SERVER),
    "metadata_unreadable": (_("What the service says about signing in cannot be read."), _SERVER),
    "pkce_not_offered": (
        _("%(issuer)s does not protect sign-ins with PKCE (S256), so nobody is sent there."),
        _SERVER,
    ),
    "code_flow_not_offered": (_("%(issuer)s does not offer the sign-in this console uses."), _SERVER),
    "endpoint_elsewhere": (_("The package names a sign-in address that is not %(issuer)s's own."), _SERVER),
    "endpoint_not_secure": (_("%(issuer)s names a sign-in address without TLS."), _SERVER),
    "client_id_missing": (
        _("This console is not registered at %(issuer)s."),
        _("An administrator has to register it there, with the address %(redirect_uri)s, and enter the client id."),
    ),
    "registration_failed": (
        _("%(issuer)s did not let this console register itself."),
        _("An administrator has to register it there and enter the client id."),
    ),
    "other_account": (
        _("You signed in as %(after)s; this connection is %(before)s's."),
        _("Nothing was changed. Connect it as another account, or disconnect this one first."),
    ),
    "launch_url_refused": (
        _("The connector's program named an address of another site, so it was not opened."),
        _("Tell an administrator: the package has to be mended."),
    ),
    "launch_url_absent": (_("The service has no page for this account."), ""),
}
