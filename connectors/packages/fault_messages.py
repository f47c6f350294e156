"""Registers what this room's faults say; importing it is enough."""

from connectors.manifest.fault_messages import register_fault_texts
from connectors.packages.fault_words_contents import CONTENT_WORDS
from connectors.packages.fault_words_zip import ZIP_WORDS

PACKAGE_FAULTS = {**ZIP_WORDS, **CONTENT_WORDS}

register_fault_texts(PACKAGE_FAULTS)
