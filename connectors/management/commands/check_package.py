from connectors.management.authoring import check
from connectors.management.authoring.act import AuthorAct
from connectors.management.authoring.command import AuthorCommand


class Command(AuthorCommand):
    help = check.HELP
    act: AuthorAct = check
