"""Every main page that `benchmarks/pages.py` times. Needs Django."""

from collections.abc import Iterator

from django.urls import reverse

from benchmarks.page_seed import UPDATED, Seeded
from connectors.access.models import User
from connectors.console.connector_columns import COLUMNS

type Address = tuple[str, User, str]


def addresses(seeded: Seeded) -> Iterator[Address]:
    """Yield each page's name, who asks, and the address."""
    yield from _own_pages(seeded)
    yield from _lists(seeded)
    yield from _one_connector(seeded)
    yield from _ledger(seeded)
    yield from _logs(seeded)


def _own_pages(seeded: Seeded) -> Iterator[Address]:
    ann = seeded.person
    yield "home, person", ann, reverse("console:home")
    yield "home, administrator", seeded.administrator, reverse("console:home")
    yield "catalogue, 200 connectors", ann, reverse("console:catalogue")
    yield "catalogue, a search", ann, reverse("console:catalogue") + "?q=service+17"
    yield "catalogue, a search with a slip", ann, reverse("console:catalogue") + "?q=servcie+17"
    yield "catalogue, a connector", ann, reverse("console:catalogue_connector", args=[seeded.connection.connector.key])
    yield "my connections", ann, reverse("console:connections")
    yield "connection", ann, reverse("console:connection", args=[seeded.connection.pk])
    yield "my agents", ann, reverse("console:agents")
    yield "agent and its grants", ann, reverse("console:agent", args=[seeded.agent.pk])
    yield "what my agents do not use", ann, reverse("console:unused")


def _lists(seeded: Seeded) -> Iterator[Address]:
    """The administrator's catalogue; the list in each of its shapes."""
    ann, admin = seeded.person, seeded.administrator
    listed = reverse("console:connector_list")
    every = "&".join(f"columns={one.name}" for one in COLUMNS)
    yield "connectors", admin, listed
    yield "connectors, the last page", admin, f"{listed}?after=service194"
    yield "connectors, every column", admin, f"{listed}?{every}"
    yield "connectors, a search", admin, f"{listed}?q=service+17"
    yield "connectors, a search with a slip", admin, f"{listed}?q=servcie+17"
    yield "connectors, published", admin, f"{listed}?status=published"
    for column in ("name", *(one.name for one in COLUMNS if one.sorts)):
        yield f"connectors by {column}", admin, f"{listed}?sort=-{column}"
    yield "connectors, every column, by calls", admin, f"{listed}?{every}&sort=-calls"
    chosen = "&".join(f"connector=service{number}" for number in range(50))
    yield "bulk, 50 connectors", admin, reverse("console:connector_bulk") + f"?act=publish&{chosen}"
    yield "categories", admin, reverse("console:categories")
    yield "view as, the catalogue", admin, reverse("console:view_as_catalogue", args=[ann.pk])
    yield "view as, a connector", admin, reverse("console:view_as_connector", args=[ann.pk, "service7"])
    yield "people", admin, reverse("console:people")


def _one_connector(seeded: Seeded) -> Iterator[Address]:
    tabs = "overview ledger configuration tools visibility versions connections calls skills"
    for tab in tabs.split():
        yield f"connector's {tab}", seeded.administrator, reverse(f"console:connector_{tab}", args=[UPDATED])
    for name, arguments in (("update", [UPDATED]), ("update_decide", [UPDATED, seeded.staged]), ("remove", [UPDATED])):
        yield f"connector's {name}", seeded.administrator, reverse(f"console:connector_{name}", args=arguments)
    roll_back = reverse("console:version_roll_back", args=[UPDATED, "0.9.0"])
    yield "connector's roll back", seeded.administrator, roll_back


def _ledger(seeded: Seeded) -> Iterator[Address]:
    admin = seeded.administrator
    yield "ledger", admin, reverse("console:ledger")
    yield "ledger, the last page", admin, reverse("console:ledger") + "?after=service5"
    yield "reviews", admin, reverse("console:reviews")
    yield "a review's line", admin, reverse("console:review_line", args=[seeded.review, 100])
    yield "a review's report", admin, reverse("console:review_report", args=[seeded.review])
    yield "health, waiting 1 s for a worker", admin, reverse("console:health")
    yield "notices", admin, reverse("console:notices")


def _logs(seeded: Seeded) -> Iterator[Address]:
    ann, admin, middle = seeded.person, seeded.administrator, seeded.middle
    yield "my calls", ann, reverse("console:my_calls")
    yield "my decisions", ann, reverse("console:my_decisions")
    audit = reverse("console:audit_calls")
    yield "calls, newest", admin, audit
    yield "calls, in the middle", admin, f"{audit}?after={middle.pk}"
    yield "calls of a person", admin, f"{audit}?person={ann.username}"
    yield "calls of a connector", admin, f"{audit}?connector=service7"
    yield "calls that failed", admin, f"{audit}?outcome=failed"
    yield "calls of the last 7 days", admin, f"{audit}?range=7d"
    yield "decisions, newest", admin, reverse("console:audit_decisions")
    yield "decisions that denied", admin, reverse("console:audit_decisions") + "?allowed=no"
    yield "admin events", admin, reverse("console:admin_events")
    yield "one call", admin, reverse("console:call", args=[middle.pk])
    yield "naive calls, first page", admin, "/naive/calls/"
    yield "naive calls, in the middle", admin, f"/naive/calls/?page={seeded.calls // 100}"
