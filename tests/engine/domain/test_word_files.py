"""Words are read in both languages or not at all."""

from pathlib import Path

import pytest

from engine.domain.text.word_files import read_chinese, read_pairs, read_paragraphs, read_texts


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")


def test_rooms_are_read_in_both_languages(tmp_path: Path) -> None:
    write(tmp_path, {"one": 'a = ["yes", "是"]', "two": '"b.c" = [\n  "no",\n  "否",\n]'})
    assert read_pairs(tmp_path, "one", "two") == {"a": ("yes", "是"), "b.c": ("no", "否")}
    assert read_texts(tmp_path, "en", "one", "two") == {"a": "yes", "b.c": "no"}
    assert read_texts(tmp_path, "zh", "one") == {"a": "是"}


@pytest.mark.parametrize("entry", ['"no"', '["no"]', '["no", "否", "nein"]', '["no", 0]', "{ en = 'no' }"])
def test_an_entry_that_is_not_in_both_languages_cannot_be_loaded(tmp_path: Path, entry: str) -> None:
    write(tmp_path, {"one": f'a = ["yes", "是"]\nb = {entry}'})
    with pytest.raises(ValueError, match=r"one\.toml: an entry is .*\['b'\]"):
        read_pairs(tmp_path, "one")


def test_a_room_that_is_not_there_cannot_be_loaded(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"one\.toml"):
        read_pairs(tmp_path, "one")


def test_a_key_of_two_rooms_cannot_be_loaded(tmp_path: Path) -> None:
    write(tmp_path, {"one": 'gone = ["gone", "没了"]', "two": 'gone = ["gone", "不在"]'})
    with pytest.raises(ValueError, match=r"two\.toml repeats .*gone"):
        read_texts(tmp_path, "zh", "one", "two")


def test_english_is_looked_up_by_itself(tmp_path: Path) -> None:
    write(tmp_path, {"one": '"{} is gone" = "{0} 没了"'})
    assert read_chinese(tmp_path, "one") == {"{} is gone": "{0} 没了"}


def test_paragraphs_are_found_by_their_groups(tmp_path: Path) -> None:
    write(tmp_path, {"one": 'a = ["yes", "是"]\n"b.c" = ["no", "否"]'})
    assert read_paragraphs(tmp_path, "one") == {"a": {"en": "yes", "zh": "是"}, "b": {"c": {"en": "no", "zh": "否"}}}
