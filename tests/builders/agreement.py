"""Whatever happened, and in which order: connector, version, archive and configuration belong together."""

from connectors.authorization.models import AuthorizationSession, RefreshLease
from connectors.catalogue.configuration import open_configuration
from connectors.catalogue.fingerprint import compute_fingerprint
from connectors.catalogue.models import ConfigurationSecret, Connector, PackageVersion
from connectors.catalogue.versions import manifest_of
from connectors.gateway.models import Run
from connectors.lifecycle.models import Drain
from tests.builders.versions import named_keys, stored_keys


def check_agreement() -> None:
    """Assert what must hold between any two acts, for connectors without programs."""
    for connector in Connector.objects.select_related("version"):
        check_connector(connector)
    packages = [key for key in stored_keys() if key.startswith("connectors/packages/")]
    assert packages == named_keys()
    keys = set(Connector.objects.values_list("key", flat=True))
    assert set(PackageVersion.objects.values_list("key", flat=True)) <= keys
    assert not ConfigurationSecret.objects.filter(connector=None).exists()


def check_connector(connector: Connector) -> None:
    manifest = manifest_of(connector.version)
    assert connector.version.key == connector.key
    assert manifest.package_version == connector.version.version
    declared = {one.key: one for one in manifest.configuration.fields}
    opened = open_configuration(connector)
    assert opened.public.keys() <= {key for key, one in declared.items() if not one.is_secret}
    assert opened.secrets.keys() <= {key for key, one in declared.items() if one.is_secret}
    required = {key for key, one in declared.items() if one.required}
    assert required <= opened.public.keys() | opened.secrets.keys()
    assert connector.authorization_fingerprint == compute_fingerprint(manifest, opened.public)
    waiting = Drain.objects.filter(connector=connector, state=Drain.State.WAITING).exists()
    assert waiting == (connector.transition == "draining")
    _check_users(connector)


def _check_users(connector: Connector) -> None:
    """Nothing uses another version than the one there is, and nothing a connector on its way out."""
    for run in Run.objects.filter(ended_at=None, connector_versions__has_key=connector.key):
        assert run.connector_versions[connector.key] == connector.version.manifest_revision
        assert connector.transition != "removing"
    for attempt in AuthorizationSession.objects.filter(connector=connector, status__in=["pending", "exchanging"]):
        assert attempt.version_id == connector.version_id
    if connector.transition == "removing":
        assert not RefreshLease.objects.filter(connection__connector=connector).exclude(owner=None).exists()
