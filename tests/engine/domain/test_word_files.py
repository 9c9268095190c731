"""Words are read in both languages or not at all."""

from pathlib import Path

import pytest

from engine.domain.text.word_files import read_pairs, read_paragraphs, read_texts


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / f"{name}.toml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_rooms_are_read_in_both_languages(tmp_path: Path) -> None:
    write(tmp_path, {"en/one": 'a = "yes"', "zh/one": 'a = "是"', "en/two": '"b.c" = "no"', "zh/two": '"b.c" = "否"'})
    assert read_pairs(tmp_path, "one", "two") == {"a": ("yes", "是"), "b.c": ("no", "否")}


@pytest.mark.parametrize(("english", "chinese"), [('a = "yes"\nb = "no"', 'a = "是"'), ('a = "yes"', 'a = "是"\nb = "否"')])
def test_an_entry_that_one_language_lacks_cannot_be_loaded(tmp_path: Path, english: str, chinese: str) -> None:
    write(tmp_path, {"en/one": english, "zh/one": chinese})
    with pytest.raises(ValueError, match=r"one language only \(one\): \['b'\]"):
        read_pairs(tmp_path, "one")


def test_a_room_that_one_language_lacks_cannot_be_loaded(tmp_path: Path) -> None:
    write(tmp_path, {"en/one": 'a = "yes"'})
    with pytest.raises(FileNotFoundError, match=r"one\.toml"):
        read_pairs(tmp_path, "one")


def test_a_key_of_two_rooms_cannot_be_loaded(tmp_path: Path) -> None:
    write(tmp_path, {"zh/one": '"{} is gone" = "{0} 没了"', "zh/two": '"{} is gone" = "{0} 不在"'})
    assert read_texts(tmp_path, "zh", "one") == {"{} is gone": "{0} 没了"}
    with pytest.raises(ValueError, match=r"zh/two\.toml repeats .*is gone"):
        read_texts(tmp_path, "zh", "one", "two")


def test_paragraphs_are_found_by_their_groups(tmp_path: Path) -> None:
    write(tmp_path, {"en/one": 'a = "yes"\n"b.c" = "no"', "zh/one": 'a = "是"\n"b.c" = "否"'})
    assert read_paragraphs(tmp_path, "one") == {"a": {"en": "yes", "zh": "是"}, "b": {"c": {"en": "no", "zh": "否"}}}
