from django.apps import AppConfig
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db.models.signals import post_migrate


class ConnectorsConfig(AppConfig):
    name = "connectors"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Each registers what the faults of its room say, wherever they are shown.
        import connectors.authorization.fault_words  # noqa: PLC0415 - models load after apps
        import connectors.catalogue.fault_words  # noqa: PLC0415
        import connectors.console.fault_words  # noqa: PLC0415
        import connectors.ledger.fault_words  # noqa: PLC0415
        import connectors.packages.fault_messages  # noqa: PLC0415
        import connectors.policy.fault_words  # noqa: PLC0415
        import connectors.runtime.discovery_words  # noqa: F401, PLC0415
        from connectors.access.roles import ensure_roles  # noqa: PLC0415 - models load after apps
        from connectors.egress.policy import EgressPolicy, configure  # noqa: PLC0415 - beside the others
        from connectors.runtime.containment import configure_containment  # noqa: PLC0415 - beside the others
        from connectors.vault import startup  # noqa: F401, PLC0415 - registers the key ring's system check

        try:
            configure(EgressPolicy(tuple(settings.EGRESS_PRIVATE_HOSTS)))
        except ValueError as error:
            raise ImproperlyConfigured(f"POCO_PRIVATE_HOSTS: {error}") from error
        configure_containment(bubblewrap=settings.PROGRAM_SANDBOX == "bubblewrap")
        post_migrate.connect(ensure_roles, sender=self)
