"""What an agent may use of one connection."""

from collections.abc import Sequence

from django import forms
from django.utils.translation import gettext_lazy as _

from connectors.console.tool_list import ToolLine
from connectors.policy.models import Grant

BREADTHS = [
    (Grant.Breadth.NONE, _("Nothing")),
    (Grant.Breadth.ALL, _("All tools")),
    (Grant.Breadth.SOME, _("These tools")),
]
ACCESSES = [(Grant.Access.READ_ONLY, _("Read only")), (Grant.Access.READ_WRITE, _("Read and write"))]


class GrantForm(forms.Form):
    """`place` keeps the ids apart when a page shows several of these forms.

    Where nothing is granted yet it proposes reading with every tool: whoever opened it came to grant something.
    """

    breadth = forms.ChoiceField(label=_("Tools"), choices=BREADTHS, widget=forms.RadioSelect)
    access = forms.ChoiceField(label=_("Access"), choices=ACCESSES, widget=forms.RadioSelect)
    tools = forms.MultipleChoiceField(label=_("These tools"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, data: object = None, *, tools: Sequence[ToolLine], grant: Grant | None, place: object) -> None:
        initial = {
            "breadth": grant.breadth if grant else Grant.Breadth.ALL,
            "access": grant.access if grant else Grant.Access.READ_ONLY,
            "tools": grant.tools if grant else [],
        }
        super().__init__(data, initial=initial, auto_id=f"grant-{place}-%s")  # type: ignore[arg-type] # a QueryDict or nothing
        choices = self.fields["tools"]
        assert isinstance(choices, forms.MultipleChoiceField)
        choices.choices = [(tool.key, tool.title) for tool in tools]

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if values.get("breadth") == Grant.Breadth.SOME and not values.get("tools") and "tools" not in self.errors:
            self.add_error("tools", _("Choose at least one tool, or grant nothing."))
        return values

    @property
    def chosen(self) -> set[str]:
        """The ticked tools, from what was typed or what is granted."""
        return set(self["tools"].value() or ())
