"""Skills of an installed package, read from its extracted copy."""

from connectors.packages.installed_skills import read_skill


def test_a_skill_is_safe_html_without_its_front_matter_beside_its_files(tmp_path):
    folder = tmp_path / "skills" / "notes"
    (folder / "references").mkdir(parents=True)
    (folder / "references" / "tags.md").write_text("# Tags")
    text = "\ufeff---\nname: notes\ndescription: Keep notes\n---\n# Use it\n\n<script>alert(1)</script> 先搜索"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")

    skill = read_skill(tmp_path, "skills/notes")
    assert "<h1>Use it</h1>" in skill.html
    assert "先搜索" in skill.html
    assert "<script" not in skill.html
    assert "description:" not in skill.html
    assert skill.files == ("SKILL.md", "references/tags.md")
