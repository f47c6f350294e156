"""Why a sealed value does not open. Each reason is an error of its own; none carries a value.

CannotOpen                 the value stays closed; it hurts the one connection or connector it belongs to
├── VaultKeyMissing        sealed with a key that is not in the ring
├── VaultKeyWrong          the ring has a key of that name, but another one
├── SealedValueMisplaced   intact, but sealed for another row, table or field
└── SealedValueDamaged     the bytes are not what was written
"""

from connectors.errors import ConnectorError


class CannotOpen(ConnectorError):
    code = "vault_cannot_open"


class VaultKeyMissing(CannotOpen):
    code = "vault_key_missing"


class VaultKeyWrong(CannotOpen):
    code = "vault_key_wrong"


class SealedValueMisplaced(CannotOpen):
    code = "sealed_value_misplaced"


class SealedValueDamaged(CannotOpen):
    code = "sealed_value_damaged"


class KeyRingFault(ConnectorError):
    """The ring itself cannot be read: nothing can be sealed or opened, so nothing starts."""

    code = "vault_key_ring_fault"
