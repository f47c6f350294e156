"""django-oauth-toolkit as an authorization server of its own: `toolkit_server.py DATABASE CALLBACK SECRET`.

Runs with PYTHONPATH=build/peers/python. Somebody called ann is signed in already; the consent page is the toolkit's.
"""

import sys
from socketserver import ThreadingMixIn
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
from django.conf import settings

DATABASE, CALLBACK, SECRET = sys.argv[1:]

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE, "OPTIONS": {"timeout": 20}}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.auth.middleware.RemoteUserMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["django.contrib.auth.backends.RemoteUserBackend"],
    OAUTH2_PROVIDER={
        "SCOPES": {"records.read": "Read records", "records.write": "Change records"},
        "ROTATE_REFRESH_TOKEN": True,
        "REFRESH_TOKEN_REUSE_PROTECTION": True,
        "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
        "REQUEST_APPROVAL_PROMPT": "force",
    },
    ROOT_URLCONF="toolkit_server",
    SECRET_KEY="of-a-test-server",
    TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
    USE_TZ=True,
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
)
django.setup()

from django.core.management import call_command  # noqa: E402 - settings come first
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.urls import include, path  # noqa: E402
from oauth2_provider.models import Application  # noqa: E402

urlpatterns = [path("", include("oauth2_provider.urls"))]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_args: object) -> None:
        pass

    def get_environ(self) -> dict[str, str]:
        return {**super().get_environ(), "REMOTE_USER": "ann"}


class Threaded(ThreadingMixIn, WSGIServer):
    daemon_threads = True


def serve() -> None:
    call_command("migrate", verbosity=0)
    for kind, client in (("confidential", "console"), ("public", "public")):
        Application.objects.create(
            name="Poco Connectors",
            client_id=client,
            client_secret=SECRET,
            client_type=kind,
            authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
            redirect_uris=CALLBACK,
        )
    server = make_server("127.0.0.1", 0, get_wsgi_application(), server_class=Threaded, handler_class=Quiet)
    sys.stdout.write(f"ready http://127.0.0.1:{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


if __name__ == "__main__":
    sys.modules["toolkit_server"] = sys.modules["__main__"]
    serve()
