"""Categories: their names in each language, icon and order; merging two, and taking one out again."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext

from connectors.catalogue.categories import set_connector_category
from connectors.catalogue.category_editing import edition_of, merge_categories, rename_category, separate_category
from connectors.catalogue.category_queries import find_any_category, find_category, list_holdings
from connectors.catalogue.models import Category
from connectors.catalogue.queries import find_connector
from connectors.console.answer import answer
from connectors.console.changed_meanwhile import ChangedMeanwhile, read_category_change
from connectors.console.forms.bulk import BulkForm
from connectors.console.forms.categories import CategoryForm, MergeForm
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.presentation import name_category
from connectors.errors import Conflict, Invalid


@screen(MANAGE_CONNECTORS)
def categories(request: PersonRequest) -> HttpResponse:
    holdings = [(held, name_category(held.category), _names(held.merged)) for held in list_holdings()]
    return answer(request, "console/categories/list.html", {"holdings": holdings})


@screen(MANAGE_CONNECTORS, methods=("GET", "POST"))
def category(request: PersonRequest, category_key: str) -> HttpResponse:
    found = find_category(category_key)
    form = CategoryForm(request.POST or None, found)
    if request.method == "POST" and form.is_valid():
        try:
            changed = rename_category(category=found, actor=request.user, **form.typed())
        except Invalid as error:
            form.add_faults(error.faults)
        except Conflict as error:
            return _show_conflict(request, category_key, error)
        else:
            messages.success(request, gettext("“%(name)s” was saved.") % {"name": name_category(changed)})
            return redirect("console:categories")
    return _show(request, found, form)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def category_merge(request: PersonRequest, category_key: str) -> HttpResponse:
    source = find_category(category_key)
    form = MergeForm(request.POST, source)
    if not form.is_valid():
        return _show(request, source, CategoryForm(None, source), merging=form)
    target = merge_categories(source=source, target=form.target, actor=request.user)
    told = gettext("“%(source)s” was merged into “%(target)s”.")
    messages.success(request, told % {"source": name_category(source), "target": name_category(target)})
    return redirect("console:categories")


@screen(MANAGE_CONNECTORS, methods=("POST",))
def category_separate(request: PersonRequest, category_key: str) -> HttpResponse:
    back = separate_category(category=find_any_category(category_key), actor=request.user)
    messages.success(request, gettext("“%(name)s” stands on its own again.") % {"name": name_category(back)})
    return redirect("console:categories")


@screen(MANAGE_CONNECTORS, methods=("POST",))
def connector_category(request: PersonRequest, key: str) -> HttpResponse:
    """Put one connector into a category of the administrator's choice, or back into its manifest's."""
    form = BulkForm(request.POST, needs_category=True)
    if form.is_valid():
        set_connector_category(connector=find_connector(key), category=form.chosen_category, actor=request.user)
        messages.success(request, gettext("The category was saved."))
    return redirect("console:connector_overview", key)


def _show_conflict(request: PersonRequest, key: str, error: Conflict) -> HttpResponse:
    """Tell who was first, and what it is now; what was typed stays, to be sent again if it is meant."""
    if error.code != "category_changed":
        raise error
    current = find_category(key)
    data = request.POST.copy()
    data["edition"] = edition_of(current)
    return _show(request, current, CategoryForm(data, current), status=409, meanwhile=read_category_change(current))


def _show(
    request: PersonRequest,
    found: Category,
    form: CategoryForm,
    merging: MergeForm | None = None,
    *,
    status: int = 422,
    meanwhile: ChangedMeanwhile | None = None,
) -> HttpResponse:
    connectors = found.connectors.count()
    context = {"category": found, "name": name_category(found), "form": form, "connectors": connectors}
    context |= {"merging": merging or MergeForm(None, found), "meanwhile": meanwhile}
    status = status if request.method == "POST" else 200
    return answer(request, "console/categories/category.html", context, status=status)


def _names(merged: tuple[Category, ...]) -> list[tuple[str, str]]:
    return [(each.key, name_category(each)) for each in merged]
