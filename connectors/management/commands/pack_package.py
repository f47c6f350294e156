from connectors.management.authoring import pack
from connectors.management.authoring.act import AuthorAct
from connectors.management.authoring.command import AuthorCommand


class Command(AuthorCommand):
    help = pack.HELP
    act: AuthorAct = pack
