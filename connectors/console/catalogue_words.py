"""What errors about the order, categories and configuration of connectors say."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

CATALOGUE_SENTENCES: Final[dict[str, tuple[str | Promise, str | Promise]]] = {
    "order_changed": (
        _("Somebody moved %(key)s, or what it stood beside, while you were looking at it."),
        _("Nothing was moved. Reload the page, look at the order, and move it again."),
    ),
    "move_unknown": (
        _("It does not say what goes where."),
        _("Nothing was moved. Use the buttons or the handle of a row."),
    ),
    "category_gone": (
        _("The category %(key)s was merged into another while you were looking at it."),
        _("Nothing was changed. Reload the page and choose again."),
    ),
    "category_changed": (
        _("Somebody changed the names or the icon of this category while you were typing."),
        _("Nothing was overwritten. Go back to the category, look at the change, and try again."),
    ),
    "visibility_changed": (
        _("Somebody changed who may see %(key)s while you were choosing."),
        _("Nothing was overwritten. Reload the page, look at the change, and try again."),
    ),
    "category_merged_with_itself": (
        _("A category cannot be merged with itself."),
        _("Choose another one."),
    ),
}
