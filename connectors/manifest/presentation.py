"""What a person reads on the connector's page: name, icon, sections and actions (handbook §2, §4)."""

from typing import Annotated, Literal

from pydantic import Field as Constraint
from pydantic import Tag

from connectors.manifest.formats import CategoryKey, IconPath, Link, TextKey
from connectors.manifest.part import Part, told_apart_by

MAX_SECTIONS = 50
MAX_ITEMS = 100


class TextItem(Part):
    title_key: TextKey
    description_key: TextKey | None = None


class LinkItem(Part):
    title_key: TextKey
    description_key: TextKey | None = None
    url: Link


TextItems = Annotated[tuple[TextItem, ...], Constraint(max_length=MAX_ITEMS)]


class Notice(Part):
    type: Literal["notice"]
    title_key: TextKey
    description_key: TextKey | None = None
    items: TextItems = ()


class CapabilityList(Part):
    type: Literal["capability_list"]
    title_key: TextKey
    description_key: TextKey | None = None
    items: TextItems = ()


class ExampleList(Part):
    type: Literal["example_list"]
    title_key: TextKey
    description_key: TextKey | None = None
    items: TextItems = ()


class HelpLinks(Part):
    type: Literal["help_links"]
    title_key: TextKey
    description_key: TextKey | None = None
    items: Annotated[tuple[LinkItem, ...], Constraint(max_length=MAX_ITEMS)] = ()


Section = Annotated[
    Annotated[Notice, Tag("@notice")]
    | Annotated[CapabilityList, Tag("@capability_list")]
    | Annotated[ExampleList, Tag("@example_list")]
    | Annotated[HelpLinks, Tag("@help_links")],
    told_apart_by("type"),
]


class Reauthorize(Part):
    type: Literal["reauthorize"]
    label_key: TextKey


class OpenService(Part):
    """Opens a fixed `url`, or the one the program's `launch_url` gives; exactly one of the two."""

    type: Literal["open_service"]
    label_key: TextKey
    url: Link | None = None
    url_source: Literal["connection_launch_url"] | None = None


ConnectionAction = Annotated[
    Annotated[Reauthorize, Tag("@reauthorize")] | Annotated[OpenService, Tag("@open_service")], told_apart_by("type")
]


class Presentation(Part):
    name_key: TextKey
    description_key: TextKey
    icon: IconPath | None = None
    category: CategoryKey
    sections: Annotated[tuple[Section, ...], Constraint(max_length=MAX_SECTIONS)] = ()
    connection_actions: Annotated[tuple[ConnectionAction, ...], Constraint(max_length=10)] = ()
