from connectors.management.authoring import diff
from connectors.management.authoring.act import AuthorAct
from connectors.management.authoring.command import AuthorCommand


class Command(AuthorCommand):
    help = diff.HELP
    act: AuthorAct = diff
