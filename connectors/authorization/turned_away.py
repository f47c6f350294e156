"""Credentials a service has just given out and nobody keeps: revoked there, where nothing else hangs on them.

Services often keep one grant a client and account: revoking a token of it may end what another connection lives on. So
only an account that no other connection can be is turned away at its service; else the new credential is dropped.
"""

import logging

from django.db.models import Q

from connectors.access.models import User
from connectors.authorization.models import Connection
from connectors.authorization.retirement import order_revocation
from connectors.authorization.revocation_payload import revocation_of_new
from connectors.authorization.saving import VerifiedAccount
from connectors.vault.errors import CannotOpen

log = logging.getLogger(__name__)


def turn_away(verified: VerifiedAccount, *, person: User, granted_under: str = "") -> bool:
    """Order the revocation of an account's new credential, in the caller's transaction; return whether it was.

    One that waited since it was `granted_under` another fingerprint is told to nobody whom the connector names now
    (safety §25).
    """
    connector = verified.connector
    elsewhere = granted_under not in {"", connector.authorization_fingerprint}
    if elsewhere or not verified.values or _may_be_shared(verified, person):
        return False
    issued = verified.account.credential if verified.account else None
    try:
        revocation = revocation_of_new(connector, verified.values, issued=issued, grant=verified.grant)
    except CannotOpen as error:  # without the client's own secret nobody can be told
        log.warning("a credential of %s that nobody keeps is not revoked: %s", connector.key, error.code)
        return False
    if revocation is None:
        return False
    account = (verified.account.external_account_name if verified.account else None) or ""
    order_revocation(revocation, connector.version, person_id=person.pk, account=account[:255])
    return True


def _may_be_shared(verified: VerifiedAccount, person: User) -> bool:
    new = verified.account.external_account_id if verified.account else None
    hangs_on_it = Q(person=person)
    if new:
        hangs_on_it = Q(person=person, external_account_id="") | Q(external_account_id=new)
    return Connection.objects.filter(hangs_on_it, connector=verified.connector.pk).exists()
