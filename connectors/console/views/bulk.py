"""One act on the connectors selected in the list: what would happen first, then what became of each."""

from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache

from connectors.catalogue.category_queries import shown_categories
from connectors.console.answer import answer
from connectors.console.bulk_acts import ACTS, carry_out, foresee
from connectors.console.forms.bulk import BulkForm
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import name_category


@never_cache
@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def connector_bulk(request: PersonRequest) -> HttpResponse:
    """GET asks, with a row of what would happen to each; POST does it, with a row of what happened to each."""
    sent = request.POST if request.method == "POST" else request.GET
    act = ACTS.get(sent.get("act", ""))
    if act is None:
        return redirect("console:connector_list")
    keys = list(dict.fromkeys(sent.getlist("connector")))
    form = BulkForm(sent if "category" in sent else None, needs_category=act.needs_category)
    if request.method == "POST" and keys and form.is_valid():
        rows = carry_out(act, keys, category=form.chosen_category, actor=request.user)
        return answer(request, "console/connectors/bulk_done.html", {"act": act, "rows": rows})
    categories = [(each.key, name_category(each)) for each in shown_categories()]
    context = {"act": act, "rows": foresee(act, keys), "form": form, "categories": categories, "keys": keys}
    status = 422 if request.method == "POST" else 200
    return answer(request, "console/connectors/bulk.html", context, status=status)
