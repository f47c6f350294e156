"""`python -m connectors.management.authoring`, where the script is not installed."""

import sys

from connectors.management.authoring.script import main

sys.exit(main())
