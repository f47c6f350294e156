from connectors.management.authoring import run
from connectors.management.authoring.act import AuthorAct
from connectors.management.authoring.command import AuthorCommand


class Command(AuthorCommand):
    help = run.HELP
    act: AuthorAct = run
