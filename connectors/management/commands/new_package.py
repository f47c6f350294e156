from connectors.management.authoring import new
from connectors.management.authoring.act import AuthorAct
from connectors.management.authoring.command import AuthorCommand


class Command(AuthorCommand):
    help = new.HELP
    act: AuthorAct = new
