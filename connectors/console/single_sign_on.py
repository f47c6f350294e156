"""First sign-in through the organisation's identity provider: whoever it lets in becomes a person with the user role.

Loaded only when single sign-on is configured; local accounts stay made by administrators.
"""

from typing import Any

from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.contrib.auth.models import Group
from django.http import HttpRequest

from connectors.access.models import User
from connectors.access.roles import USER


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc] # allauth ships no types
    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:  # noqa: ARG002 - allauth's signature
        return True

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        person: User = super().save_user(request, sociallogin, form)
        person.groups.add(Group.objects.get(name=USER))
        return person
