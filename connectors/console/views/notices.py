"""What needs the reader, and how they hear of it."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache

from connectors.console.answer import answer
from connectors.console.forms.faults import place_error
from connectors.console.forms.notices import WebhookForm
from connectors.console.messages import describe_error
from connectors.console.notice_bell import silence
from connectors.console.notice_pages import read_notices
from connectors.console.permissions import MANAGE_CONNECTORS, PersonRequest, screen
from connectors.console.webhook_words import tell_trial
from connectors.errors import Invalid, NotFound
from connectors.ledger.models import NoticeReader
from connectors.ledger.webhook import remove_webhook, set_webhook
from connectors.ledger.webhook_trial import try_webhook


@screen()
def notices(request: PersonRequest) -> HttpResponse:
    page = read_notices(request.user)
    silence(request.user)
    return answer(request, "console/notices/list.html", {"page": page, "form": WebhookForm(), "new_notices": 0})


@screen(methods=("POST",))
def notices_mail(request: PersonRequest) -> HttpResponse:
    wants = request.POST.get("wants") == "yes"
    NoticeReader.objects.update_or_create(person=request.user, defaults={"wants_mail": wants})
    told = gettext("You get a digest by e-mail, one a day at most.") if wants else gettext("You get no digests.")
    messages.success(request, told)
    return redirect("console:notices")


@never_cache
@screen(MANAGE_CONNECTORS, methods=("POST",))
def digest_webhook(request: PersonRequest) -> HttpResponse:
    """Set the address; the answer shows the secret, once."""
    form = WebhookForm(request.POST)
    if form.is_valid():
        try:
            secret = set_webhook(url=form.cleaned_data["url"], actor=request.user)
            context = {"secret": secret.reveal(), "url": form.cleaned_data["url"]}
            return answer(request, "console/notices/webhook.html", context)
        except Invalid as refused:
            place_error(form, refused)
    context = {"page": read_notices(request.user), "form": form}
    return answer(request, "console/notices/list.html", context, status=422)


@screen(MANAGE_CONNECTORS, methods=("POST",))
def digest_webhook_test(request: PersonRequest) -> HttpResponse:
    """Post a test now, and say what came of it."""
    try:
        trial = try_webhook(actor=request.user)
    except NotFound as gone:
        messages.error(request, str(describe_error(gone)))
        return redirect("console:notices")
    (messages.success if trial.taken else messages.error)(request, tell_trial(trial))
    return redirect("console:notices")


@screen(MANAGE_CONNECTORS, methods=("POST",))
def digest_webhook_remove(request: PersonRequest) -> HttpResponse:
    remove_webhook(actor=request.user)
    messages.success(request, gettext("Digests are posted nowhere."))
    return redirect("console:notices")
