"""The package author's commands: as functions, as management commands, as a script, all without a database."""

import io
import json
import os
import subprocess
import sys
import zipfile
from argparse import ArgumentParser
from pathlib import Path

import pytest
from django.core.management import call_command

from connectors.management.authoring import check, diff, new, pack
from connectors.management.authoring.script import main
from connectors.packages.inspection import inspect_folder
from tests.builders.packages import build_folder, build_manifest, build_package, build_program_manifest

ROOT = Path(__file__).parent.parent.parent


def act(module, *arguments):
    """Exit code, standard output, standard error."""
    parser = ArgumentParser()
    module.add_arguments(parser)
    out, err = io.StringIO(), io.StringIO()
    code = module.run(parser.parse_args([str(argument) for argument in arguments]), out, err)
    return code, out.getvalue(), err.getvalue()


def broken_manifest():
    return build_manifest(package_version="1", connection_policy="many")


def test_checking_a_sound_archive_tells_its_revision_and_digest(tmp_path):
    path = build_package(tmp_path / "a.zip")
    code, out, _ = act(check, path, "--locale", "en")

    assert code == 0
    assert "records 1.0.0: valid" in out
    assert inspect_folder(build_folder(tmp_path / "a")).manifest_revision in out
    assert "archive_sha256" in out


def test_checking_a_folder_works_alike_but_has_no_archive(tmp_path):
    code, out, _ = act(check, build_folder(tmp_path / "a"), "--json")
    report = json.loads(out)

    assert code == 0
    assert report["ok"] is True
    assert (report["key"], report["package_version"], report["archive_sha256"]) == ("records", "1.0.0", None)
    assert len(report["manifest_revision"]) == 64
    assert report["errors"] == report["warnings"] == []


def test_a_refused_package_shows_all_faults_with_place_and_mend(tmp_path):
    path = build_package(tmp_path / "a.zip", manifest=broken_manifest())
    code, out, _ = act(check, path, "--locale", "en")

    assert code == 1
    assert "refused, faults: 2" in out
    assert "/package_version: “1” is not a package version." in out
    assert "[value_not_allowed]" in out


def test_a_refused_package_as_json_names_code_place_message_and_hint_in_the_language_asked_for(tmp_path):
    path = build_package(tmp_path / "a.zip", manifest=broken_manifest())
    code, out, _ = act(check, path, "--json", "--locale", "zh-CN")
    report = json.loads(out)

    assert code == 1
    assert set(report) == {"ok", "key", "package_version", "manifest_revision", "archive_sha256", "errors", "warnings"}
    assert report["ok"] is False
    assert report["errors"][1] == {
        "code": "version_malformed",
        "where": "/package_version",
        "message": "“1”不是合法的包版本。",
        "hint": "请写 major.minor.patch，不带前导零，例如 1.2.0。",
    }


def test_what_is_no_zip_is_refused_in_words_and_what_is_not_there_is_unreadable(tmp_path):
    (tmp_path / "a.zip").write_text("not a zip")
    code, out, _ = act(check, tmp_path / "a.zip", "--locale", "zh")
    assert code == 1
    assert "拒绝" in out
    assert "此处有误" not in out

    code, out, err = act(check, tmp_path / "nowhere.zip")
    assert (code, out) == (2, "")
    assert "nowhere.zip" in err


def test_warnings_do_not_refuse(tmp_path):
    path = build_folder(tmp_path / "a", files={"locales/fr.json": "{}"})
    code, out, _ = act(check, path, "--locale", "en")

    assert code == 0
    assert "Warnings:" in out
    assert "locales/fr.json" in out
    assert "提醒" in act(check, path, "--locale", "zh-CN")[1]


def test_the_shells_language_is_used_when_none_is_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")

    assert "有效" in act(check, build_folder(tmp_path / "a"))[1]


def test_packing_twice_gives_the_same_bytes_whatever_the_dates(tmp_path):
    folder = build_folder(tmp_path / "a", manifest=build_program_manifest())
    assert act(pack, folder, "-o", tmp_path / "1.zip")[0] == 0
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))
    (folder / ".DS_Store").write_bytes(b"junk")
    code, out, _ = act(pack, folder, "-o", tmp_path / "2.zip")

    assert code == 0
    assert inspect_folder(folder).manifest_revision in out
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
    assert "manifest.json" in zipfile.ZipFile(tmp_path / "1.zip").namelist()


def test_packing_names_the_archive_after_key_and_version(tmp_path, monkeypatch):
    folder = build_folder(tmp_path / "a")
    monkeypatch.chdir(tmp_path)

    assert act(pack, "a")[0] == 0
    assert act(check, tmp_path / "records-1.0.0.zip")[0] == 0
    assert folder.exists()


def test_packing_refuses_a_broken_folder_and_leaves_nothing(tmp_path):
    folder = build_folder(tmp_path / "a", manifest=broken_manifest())
    code, _, err = act(pack, folder, "-o", tmp_path / "a.zip", "--locale", "en")

    assert code == 1
    assert "[version_malformed]" in err
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_packing_into_its_own_folder_or_nowhere_is_refused(tmp_path):
    folder = build_folder(tmp_path / "a")

    assert act(pack, folder, "-o", folder / "a.zip")[0] == 2
    assert act(pack, folder, "-o", tmp_path / "no" / "a.zip")[0] == 2
    assert act(pack, tmp_path / "nowhere")[0] in {1, 2}
    assert not list(folder.glob("*.zip"))


@pytest.mark.parametrize("strategy", ["none", "static", "oauth", "program"])
@pytest.mark.parametrize("locales", ["en,zh-CN", "zh-CN", "fr,en"])
def test_a_new_package_is_valid_from_the_first_minute(tmp_path, strategy, locales):
    code, out, _ = act(new, "my-records", "--auth", strategy, "--locales", locales, "--into", tmp_path)
    package = inspect_folder(tmp_path / "my-records")

    assert code == 0
    assert "poco-package check" in out
    assert package.manifest.default_locale == locales.split(",")[0]
    assert package.warnings == ()
    assert "my-records" in (tmp_path / "my-records" / "README.md").read_text()


def test_a_new_program_answers_its_operations(tmp_path):
    act(new, "my-records", "--auth", "program", "--into", tmp_path)
    requests = {
        "tools_discover": {},
        "authorization_begin": {},
        "authorization_complete": {"submission": {"type": "credentials", "values": {"api_key": "k"}}},
        "tool_invoke": {"tool_name": "search_records", "arguments": {"query": "x"}},
        "nonsense": {},
    }
    oks = []
    for operation, context in requests.items():
        request = {"protocol_version": 1, "operation": operation, "package": {}, "context": context}
        done = subprocess.run(
            [sys.executable, "-B", "main.py"],
            cwd=tmp_path / "my-records" / "provider",
            input=json.dumps(request).encode(),
            capture_output=True,
            check=True,
            timeout=30,
        )
        oks.append(json.loads(done.stdout)["ok"])

    assert oks == [True, True, True, True, False]


@pytest.mark.parametrize(
    "arguments", [("My-Records",), ("a/b",), ("ok", "--locales", ","), ("ok", "--locales", "../x")]
)
def test_a_new_package_needs_a_key_and_languages_that_can_be(tmp_path, arguments):
    code, _, err = act(new, *arguments, "--into", tmp_path)

    assert code == 1
    assert err
    assert list(tmp_path.iterdir()) == []


def test_every_command_speaks_the_language_asked_for(tmp_path):
    folder = build_folder(tmp_path / "a")

    assert "下一步" in act(new, "mine", "--into", tmp_path, "--locale", "zh-CN")[1]
    assert "不能作为 key" in act(new, "No", "--into", tmp_path, "--locale", "zh-CN")[2]
    assert "不是语言标签" in act(new, "yes", "--locales", ",", "--into", tmp_path, "--locale", "zh-CN")[2]
    assert "已打包" in act(pack, folder, "-o", tmp_path / "a.zip", "--locale", "zh-CN")[1]
    assert "被打包的目录内" in act(pack, folder, "-o", folder / "a.zip", "--locale", "zh-CN")[2]


def test_a_new_package_never_overwrites(tmp_path):
    act(new, "mine", "--into", tmp_path)

    assert act(new, "mine", "--into", tmp_path)[0] == 2


def test_a_difference_shows_the_dangerous_first_and_program_source_before_other_files(tmp_path):
    old = build_folder(tmp_path / "old", manifest=build_program_manifest())
    manifest = build_program_manifest(package_version="1.1.0")
    manifest["tool_policy"]["rules"].append({"tool": "added", "effect": "read", "retry": "safe"})
    files = {"provider/main.py": "print('other')", "notes.txt": "x"}
    new_ = build_package(tmp_path / "new.zip", manifest=manifest, files=files)
    code, out, _ = act(diff, old, new_, "--locale", "en")

    assert code == 0
    assert out.splitlines() == [
        "!! new tool added (read)",
        " ! program source changed: provider/main.py",
        "   version 1.0.0 → 1.1.0",
        "   file added: notes.txt",
        "   file changed: manifest.json",
    ]
    assert act(diff, old, new_, "--locale", "zh-CN")[1].splitlines()[:2] == [
        "!! 新增工具 added（read）",
        " ! 程序源码变化：provider/main.py",
    ]


def test_a_difference_says_when_there_is_none_or_the_connector_is_another(tmp_path):
    one = build_folder(tmp_path / "one")
    other = build_folder(tmp_path / "other", manifest=build_manifest(key="other"))

    assert act(diff, one, one, "--locale", "en")[1] == "No difference.\n"
    assert act(diff, one, one, "--locale", "zh")[1] == "没有差异。\n"
    assert act(diff, one, other, "--locale", "en")[1].startswith("!! another connector: records → other\n")
    assert act(diff, one, other, "--locale", "zh")[1].startswith("!! 不是同一个连接器：records → other\n")


def test_a_difference_needs_two_packages_that_can_be_read(tmp_path):
    one = build_folder(tmp_path / "one")
    bad = build_folder(tmp_path / "bad", manifest=broken_manifest())

    assert act(diff, one, bad)[0] == 1
    assert act(diff, tmp_path / "nowhere.zip", one)[0] == 2


def test_the_management_commands_end_with_the_same_codes(tmp_path, capsys):
    sound = build_package(tmp_path / "a.zip")
    call_command("check_package", str(sound), "--locale", "en")
    assert "valid" in capsys.readouterr().out

    for arguments in (
        ["check_package", str(tmp_path / "no.zip")],
        ["diff_package", str(sound), str(tmp_path / "no.zip")],
    ):
        with pytest.raises(SystemExit) as ended:
            call_command(*arguments)
        assert ended.value.code == 2
    call_command("pack_package", str(build_folder(tmp_path / "a")), "-o", str(tmp_path / "b.zip"))
    call_command("new_package", "fresh", "--into", str(tmp_path))
    assert act(check, tmp_path / "fresh")[0] == 0


def test_the_script_has_every_command(tmp_path, capsys):
    sound = build_package(tmp_path / "a.zip")

    assert main(["check", str(sound), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"] is True
    assert main(["diff", str(sound), str(sound)]) == 0
    assert main(["new", "fresh", "--into", str(tmp_path)]) == 0


def test_the_script_needs_neither_django_nor_a_database(tmp_path):
    sound = build_package(tmp_path / "a.zip")
    program = (
        "import sys\n"
        "from connectors.management.authoring.script import main\n"
        "code = main(sys.argv[1:])\n"
        "assert 'django' not in sys.modules, 'django was imported'\n"
        "sys.exit(code)\n"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", program, "check", str(sound), "--locale", "en"],
        capture_output=True, text=True, timeout=60, check=False, env=environment, cwd=tmp_path,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert "valid" in done.stdout
