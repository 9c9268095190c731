"""The scripts that a page names beforehand."""

import json
from pathlib import Path

import pytest
import streamlit

from pages.server.preload import ELEMENTS, script_files

INSTALLED = Path(streamlit.__file__).parent / "static"


def test_every_element_of_the_desk_has_its_script_and_nothing_is_named_twice() -> None:
    files, page = script_files(INSTALLED), (INSTALLED / "index.html").read_text(encoding="utf-8")
    assert all((INSTALLED / file).is_file() for file in files)
    for element in ELEMENTS:
        assert any(Path(file).name.split(".")[0] == element for file in files), element
    assert len(files) == len(set(files))
    assert not [file for file in files if file in page], "those the page names itself"


@pytest.mark.parametrize(
    "manifest",
    [None, "", "[]", "{}", '{"index.html": {}}', '{"index.html": {"imports": ["gone"]}}', '{"index.html": {"imports": 1}}'],
)
def test_what_cannot_be_read_names_nothing(tmp_path: Path, manifest: str | None) -> None:
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest, encoding="utf-8")
    assert script_files(tmp_path) == []


def test_a_circle_of_imports_ends(tmp_path: Path) -> None:
    chunks = {
        "index.html": {"file": "index.js", "imports": ["own"]},
        "own": {"file": "own.js"},
        "html": {"file": "html.js", "name": "Html", "isDynamicEntry": True, "imports": ["a", "own", "index.html"]},
        "a": {"file": "a.js", "imports": ["b"]},
        "b": {"file": "b.js", "imports": ["a"]},
        "other": {"file": "other.js", "name": "Video", "isDynamicEntry": True},
    }
    (tmp_path / "manifest.json").write_text(json.dumps(chunks), encoding="utf-8")
    assert script_files(tmp_path) == ["html.js", "a.js", "b.js"]
