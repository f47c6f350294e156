"""Names for the filters and columns of a log page: kept, shared with everybody who may read that log, deleted."""

import uuid
from typing import Final

from django.db import transaction
from django.db.models import Q, QuerySet

from connectors.audit.models import SavedView
from connectors.audit.recording import Actor, record_admin_event
from connectors.errors import Conflict, Forbidden, NotFound

MOST_OF_ONE: Final = 50
MOST_SHOWN: Final = 200
OWN_LOGS: Final = frozenset((SavedView.Log.MY_CALLS, SavedView.Log.MY_DECISIONS))


def saved_views(*, log: str, reader: Actor) -> QuerySet[SavedView]:
    """Return the reader's own views of a log and the shared ones; whether the log may be read is seen to before."""
    mine_or_shared = Q(owner_id=reader.pk) | Q(shared=True)
    found = SavedView.objects.filter(mine_or_shared, log=log).select_related("owner")
    return found.order_by("name", "id")[:MOST_SHOWN]


def get_view(view_id: uuid.UUID, *, owner: Actor) -> SavedView:
    """Return a view of one's own. Raises NotFound for anybody else's."""
    view = SavedView.objects.filter(pk=view_id, owner_id=owner.pk).first()
    if view is None:
        raise NotFound
    return view


@transaction.atomic
def save_view(*, owner: Actor, log: str, name: str, query: str, shared: bool) -> SavedView:
    """Keep a query string under a name, in place of the owner's view of that name.

    `query` is what the log's own form made of it. Raises Forbidden for sharing a view of one's own log, which nobody
    else could read, and Conflict(too_many_views).
    """
    if shared and log in OWN_LOGS:
        raise Forbidden
    kept = SavedView.objects.select_for_update().filter(owner_id=owner.pk, log=log)
    before = kept.filter(name=name).first()
    if before is None and kept.count() >= MOST_OF_ONE:
        raise Conflict("too_many_views", limit=MOST_OF_ONE)
    values = {"query": query, "shared": shared}
    view, _made = SavedView.objects.update_or_create(owner_id=owner.pk, log=log, name=name, defaults=values)
    if shared or (before is not None and before.shared):
        _record("view_shared" if shared else "view_unshared", view, owner, before=before)
    return view


@transaction.atomic
def rename_view(*, view_id: uuid.UUID, actor: Actor, name: str) -> SavedView:
    """Give a view of one's own another name. Raises NotFound for anybody else's, Conflict(view_name_taken)."""
    view = get_view(view_id, owner=actor)
    if SavedView.objects.filter(owner_id=actor.pk, log=view.log, name=name).exclude(pk=view_id).exists():
        raise Conflict("view_name_taken", name=name)
    before, view.name = view.name, name
    view.save(update_fields=["name"])
    if view.shared and before != name:
        record_admin_event(
            actor=actor,
            act="view_renamed",
            target_kind="saved_view",
            target_id=view.pk,
            target_name=name,
            before={"name": before},
            after={"name": name},
        )
    return view


@transaction.atomic
def delete_view(*, view_id: uuid.UUID, actor: Actor) -> SavedView:
    """Delete a view of one's own and return what it was. Raises NotFound for anybody else's."""
    view = SavedView.objects.select_for_update().filter(pk=view_id, owner_id=actor.pk).first()
    if view is None:
        raise NotFound
    SavedView.objects.filter(pk=view_id).delete()
    if view.shared:
        _record("view_unshared", view, actor, before=view)
    return view


def _record(act: str, view: SavedView, actor: Actor, *, before: SavedView | None) -> None:
    record_admin_event(
        actor=actor,
        act=act,
        target_kind="saved_view",
        target_id=view.pk,
        target_name=view.name,
        before={"log": view.log, "query": before.query} if before is not None and before.shared else {},
        after={"log": view.log, "query": view.query} if act == "view_shared" else {},
    )
