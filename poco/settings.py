"""All settings, read from the environment; `.env.example` documents each variable.

With nothing set this is the embedded form: SQLite, a folder as object store, a broker on disk, all under `var/`.
"""

import sys
from pathlib import Path

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from django.utils.csp import CSP
from django.utils.translation import gettext_lazy as _

from poco import env
from poco.local_secret import read_or_make_secret

BASE_DIR = Path(__file__).resolve().parent.parent
TESTING = "pytest" in sys.modules

# "embedded" makes its own secrets under var/; "production" refuses to start without them.
DEPLOYMENT = env.choice("POCO_DEPLOYMENT", "embedded", ("embedded", "production"))
EMBEDDED = DEPLOYMENT == "embedded"
VAR_DIR = env.folder("POCO_VAR_DIR", BASE_DIR / "var")
DEBUG = env.boolean("DEBUG")

HOST = env.text("HOST", "127.0.0.1")
PORT = env.integer("PORT", 8000, minimum=1, maximum=65535)
EXAMPLE_PORT = env.integer("POCO_EXAMPLE_PORT", 8765, minimum=1, maximum=65535)
# The one public address; the OAuth callback, metadata documents and every printed link derive from it.
_everywhere = HOST in ("0.0.0.0", "::")  # noqa: S104 - compared, not bound
BACKEND_URL = env.text("BACKEND_URL", f"http://{'127.0.0.1' if _everywhere else HOST}:{PORT}").rstrip("/")
_public = env.web_address("BACKEND_URL", BACKEND_URL)
HTTPS = _public.scheme == "https"

SECRET_KEY = env.text("SECRET_KEY") or (read_or_make_secret(VAR_DIR / "secret_key") if EMBEDDED else "")
if not SECRET_KEY:
    msg = "Set SECRET_KEY or SECRET_KEY_FILE (50 random characters)."
    raise ImproperlyConfigured(msg)
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS") or [_public.hostname or "", "localhost", "127.0.0.1", "[::1]"]
CSRF_TRUSTED_ORIGINS = [BACKEND_URL]

# Applications ---------------------------------------------------------------------------------------------
OIDC_SERVER_URL = env.text("POCO_OIDC_SERVER_URL")
MFA = env.boolean("POCO_MFA")
INSTALLED_APPS = [
    "connectors.apps.ConnectorsConfig",
    "django_linear_migrations",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "heroicons",
    "allauth",
    "allauth.account",
    *(["allauth.socialaccount", "allauth.socialaccount.providers.openid_connect"] if OIDC_SERVER_URL else []),
    *(["allauth.mfa", "django.contrib.humanize"] if MFA else []),
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "connectors.console.unreadable.UnreadableMiddleware",
    "connectors.console.remote_address.RemoteAddressMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "connectors.console.signed_out.SignedOutMiddleware",
    "connectors.console.preferences.PreferencesMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
]
ROOT_URLCONF = "poco.urls"
ASGI_APPLICATION = "poco.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "connectors.console.navigation.navigation",
                "connectors.console.notice_bell.notice_bell",
            ],
            "builtins": ["connectors.console.templatetags.console"],
        },
    }
]

# Data -----------------------------------------------------------------------------------------------------
_database_url = env.text("DATABASE_URL", f"sqlite:///{VAR_DIR / 'poco.sqlite3'}")
try:
    DATABASES = {"default": dj_database_url.parse(_database_url, conn_max_age=0, conn_health_checks=True)}
except ValueError as error:
    msg = "DATABASE_URL cannot be read. Use an address such as postgres://USER:PASSWORD@HOST:5432/NAME."
    raise ImproperlyConfigured(msg) from error
DATABASE_POOL_SIZE = env.integer("POCO_DATABASE_POOL_SIZE", 20, minimum=8)
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; "
        "PRAGMA journal_size_limit=67108864;",  # a burst's log does not stay on disk
    }
    # A file in tests as well: a database in memory knows no waiting, so two threads would not race but fail.
    DATABASES["default"]["TEST"] = {"NAME": str(VAR_DIR / "test.sqlite3")}
elif not TESTING:  # a test's own threads would keep the pool of a database that is to be dropped
    # Under ASGI every request may run in a thread of its own: connections are pooled, never kept by a thread.
    DATABASES["default"]["OPTIONS"] = {"pool": {"min_size": 1, "max_size": DATABASE_POOL_SIZE, "timeout": 5}}
REDIS_URL = env.text("REDIS_URL")
CACHES = {
    "default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
}
# Object store: a folder by default, an S3 bucket when S3_BUCKET is set.
OBJECT_STORE_DIR = VAR_DIR / "objects"
PACKAGE_CACHE_DIR = VAR_DIR / "cache" / "packages"
S3_BUCKET = env.text("S3_BUCKET")
S3_ENDPOINT_URL = env.text("S3_ENDPOINT_URL")
S3_REGION = env.text("S3_REGION", "us-east-1")
S3_ACCESS_KEY_ID = env.text("S3_ACCESS_KEY_ID")
S3_SECRET_ACCESS_KEY = env.text("S3_SECRET_ACCESS_KEY")
MAX_UPLOAD_SIZE_MB = env.integer("MAX_UPLOAD_SIZE_MB", 100, minimum=1, maximum=100)

# The vault's key ring: `name:base64 of 32 bytes`, comma-separated, the first one active.
VAULT_KEYS = env.text("POCO_VAULT_KEYS")
VAULT_KEY_DIR = None if VAULT_KEYS or not EMBEDDED else VAR_DIR / "keys"

# Outgoing connections -------------------------------------------------------------------------------------
# Hosts (names, addresses or networks) an administrator may point connectors at although they are not public.
EGRESS_PRIVATE_HOSTS = env.words("POCO_PRIVATE_HOSTS", "localhost,127.0.0.0/8,::1" if EMBEDDED else "")

# Policy ---------------------------------------------------------------------------------------------------
UNATTENDED_CONFIRMATION = env.choice("POCO_UNATTENDED_CONFIRMATION", "execute", ("execute", "refuse"))

# The ledger -----------------------------------------------------------------------------------------------
# How often published connectors' endpoints are asked, and after how long without an answer one is called dead.
PROBE_MINUTES = env.integer("POCO_PROBE_MINUTES", 360, minimum=5, maximum=10_080)
DEAD_AFTER_DAYS = env.integer("POCO_DEAD_AFTER_DAYS", 7, minimum=1, maximum=365)

# The logs -------------------------------------------------------------------------------------------------
_CENTURY = 36_500  # days; each log is kept for so many, None is for good
KEEP_DAYS = {
    "calls": env.integer("POCO_KEEP_CALLS_DAYS", 365, maximum=_CENTURY) or None,
    "decisions": env.integer("POCO_KEEP_DECISIONS_DAYS", 365, maximum=_CENTURY) or None,
    "events": env.integer("POCO_KEEP_EVENTS_DAYS", 0, maximum=_CENTURY) or None,
    "usage": env.integer("POCO_KEEP_USAGE_DAYS", 800, maximum=_CENTURY) or None,
}

# Packages' programs ---------------------------------------------------------------------------------------
# "bubblewrap" adds namespaces around each program, where bubblewrap is installed and may make them.
PROGRAM_SANDBOX = env.choice("POCO_PROGRAM_SANDBOX", "standard", ("standard", "bubblewrap"))

# Work in the background -----------------------------------------------------------------------------------
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL") or REDIS_URL or "filesystem://localhost"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ALWAYS_EAGER = TESTING
CELERY_TIMEZONE = "UTC"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat" / "schedule")
BROKER_DIR = VAR_DIR / "broker"
if CELERY_BROKER_URL.startswith("filesystem:"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
        "store_processed": False,
        "polling_interval": 0.5,
    }

# People ---------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "connectors.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "console:home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email", "password1*", "password2*"]
ACCOUNT_ADAPTER = "connectors.console.account_adapter.AccountAdapter"
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_RATE_LIMITS = {"login_failed": "10/m/ip,5/5m/key"}
if OIDC_SERVER_URL:
    SOCIALACCOUNT_ADAPTER = "connectors.console.single_sign_on.SingleSignOnAdapter"
    SOCIALACCOUNT_ONLY = env.boolean("POCO_OIDC_ONLY")
    SOCIALACCOUNT_PROVIDERS = {
        "openid_connect": {
            "OAUTH_PKCE_ENABLED": True,
            "APPS": [
                {
                    "provider_id": "sso",
                    "name": env.text("POCO_OIDC_NAME") or _("Single sign-on"),
                    "client_id": env.text("POCO_OIDC_CLIENT_ID"),
                    "secret": env.text("POCO_OIDC_CLIENT_SECRET"),
                    "settings": {"server_url": OIDC_SERVER_URL},
                }
            ],
        }
    }
if MFA:
    MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
if TESTING:
    PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

# E-mail: notices to people whose accounts need them; none is sent while no server is named.
MAIL_FROM = ""
if _smtp_host := env.text("POCO_SMTP_HOST"):
    MAIL_FROM = DEFAULT_FROM_EMAIL = env.text("POCO_MAIL_FROM", f"poco@{_public.hostname}")
    _smtp_security = env.choice("POCO_SMTP_SECURITY", "starttls", ("starttls", "tls", "none"))
    MAILERS = {
        "default": {
            "BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "OPTIONS": {
                "host": _smtp_host,
                "port": env.integer("POCO_SMTP_PORT", 587, minimum=1, maximum=65535),
                "username": env.text("POCO_SMTP_USER"),
                "password": env.text("POCO_SMTP_PASSWORD"),
                "use_tls": _smtp_security == "starttls",
                "use_ssl": _smtp_security == "tls",
                "timeout": 20,
            },
        }
    }

# Language and time ----------------------------------------------------------------------------------------
LANGUAGE_CODE = env.choice("LANGUAGE_CODE", "en", ("en", "zh-hans"))
LANGUAGES = [("en", _("English")), ("zh-hans", _("Simplified Chinese"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = env.time_zone("TZ", "UTC")
USE_TZ = True

# Pages and files ------------------------------------------------------------------------------------------
STATIC_URL = "static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if TESTING or DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = TESTING or DEBUG  # a file is looked for when it is asked for
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.TemporaryFileUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

# Safety ---------------------------------------------------------------------------------------------------
SECURE_CSP = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "font-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "form-action": [CSP.SELF],
    "base-uri": [CSP.NONE],
    "frame-ancestors": [CSP.NONE],
}
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_SSL_REDIRECT = False  # the proxy in front does it
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
# Addresses of the proxies whose X-Forwarded-* headers count; empty: nobody's.
TRUSTED_PROXIES = env.words("POCO_TRUSTED_PROXIES")
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"redact": {"()": "poco.logging.RedactFilter"}},
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["redact"]}},
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "WARNING")},
    "loggers": {
        "poco": {"level": env.text("LOG_LEVEL", "INFO")},
        "connectors": {"level": env.text("LOG_LEVEL", "INFO")},
        "psycopg.pool": {"level": "ERROR"},  # it warns of each try; what failed is told once, where it is missed
    },
}
