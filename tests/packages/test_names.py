"""No two names that any file system could take for one another are accepted together."""

import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from connectors.packages.names import shape_fault, show_name
from connectors.packages.tree import Tree, find_root

PART = st.text(
    st.characters(codec="utf-8", exclude_characters="/\\", exclude_categories=("Cc", "Cs")), min_size=1, max_size=8
)
FORMS = [
    str.casefold,
    lambda text: unicodedata.normalize("NFC", text),
    lambda text: unicodedata.normalize("NFKC", text),
]


def codes_of(*paths: str) -> set[str]:
    tree = Tree()
    for path in paths:
        tree.add(path, is_folder=False)
    tree.close()
    return {fault.code for fault in tree.faults}


@given(
    PART,
    st.sampled_from([str.upper, str.lower, str.title, str.swapcase, *FORMS, lambda t: unicodedata.normalize("NFD", t)]),
)
def test_a_name_and_its_other_form_collide(name, change):
    other = change(name)
    assume(other != name and any(form(other) == form(name) for form in FORMS))
    assume("/" not in other)
    assert "path_collision" in codes_of(f"x/{name}", f"x/{other}")


@given(PART, PART)
@example("\u01c5", "\u01c4")
@example("\u0390", "\u1fd3")
@example("ﬀ", "FF")
def test_names_equal_under_any_form_collide(one, other):
    equal = one != other and any(form(one) == form(other) for form in FORMS)
    assert not equal or "path_collision" in codes_of(one, other)


@given(st.lists(st.text("abcdefgh", min_size=1, max_size=3), min_size=2, max_size=5, unique=True))
def test_names_that_differ_in_letters_do_not_collide(names):
    assert codes_of(*names) == set()


@given(PART, PART)
def test_a_file_cannot_be_a_folder_too(name, child):
    assert "path_file_and_folder" in codes_of(name, f"{name}/{child}")
    assert "path_file_and_folder" in codes_of(f"{name}/{child}", name)


@given(st.text(max_size=30))
def test_a_name_without_fault_stays_inside_the_folder(name):
    if shape_fault(name) is None:
        assert not name.startswith("/")
        assert not {"", ".", ".."} & set(name.split("/"))
        assert "\\" not in name


def test_a_name_is_shown_without_control_characters_and_not_at_length():
    assert show_name(b"a\x1b[31m\xff") == "a\\x1b[31m\\xff"
    assert len(show_name("a" * 9999)) == 301


def test_the_root_is_the_only_folder_that_holds_a_manifest():
    assert find_root(["a/manifest.json", "a/b"]).prefix == "a/"
    assert find_root(["manifest.json", "a/b"]).prefix == ""
    assert find_root(["a/manifest.json"], ["a", "b"]).faults[0].where == "b"
