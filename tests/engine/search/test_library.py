"""A folder of documents: found in any language, followed as it changes, never left."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.library.index import LENGTH, Library, best_passage, expression, iso_date, read_head
from engine.search.tokens import tokens

FUNDING = "---\ntitle: 资金费率\ndate: 2024-03-01\n---\n永续合约的多空双方每八小时互付一次资金。\n\n加息之后费率转负。\n"
PAGE = "<html><head><title>Liquidations</title></head><body><nav>menu</nav><article><p>" + "Leverage ends in forced selling. " * 9
PAGE += "</p></article><script>steal()</script></body></html>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    (folder / "deep").mkdir(parents=True)
    (folder / "funding.md").write_text(FUNDING, encoding="utf-8")
    (folder / "deep" / "page.html").write_text(PAGE, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    (folder / "program.exe").write_bytes(b"MZ leverage")
    return folder


@pytest.fixture
def library(folder: Path, tmp_path: Path) -> Library:
    return Library(folder, tmp_path / "cache")


def urls(library: Library, query: str) -> list[str]:
    return [found.url for found in library.search(query, 10)]


@pytest.mark.full
@pytest.mark.parametrize("query", ["加息", "资金费率", "永续", "息", "加息之后会发生什么？", "２０２４ 加息 AND (", '"多空"'])
def test_chinese_words_of_any_length_are_found(library: Library, query: str) -> None:
    assert urls(library, query) == ["library:funding.md"]


@pytest.mark.full
def test_a_document_has_what_its_head_says(library: Library) -> None:
    (found,) = library.search("加息", 5)
    assert (found.source, found.title, found.published_date) == ("library", "资金费率", "2024-03-01")
    assert library.read(found).startswith("永续合约")
    assert "加息之后费率转负" in found.abstract


@pytest.mark.full
def test_pages_are_read_without_what_is_around_them_and_broken_files_are_named(library: Library) -> None:
    (found,) = library.search("forced selling", 5)
    assert (found.title, found.url) == ("Liquidations", "library:deep/page.html")
    assert "menu" not in library.read(found)
    assert "steal" not in library.read(found)
    assert library.skipped().keys() == {"broken.pdf"}
    assert "cannot be read as PDF" in library.skipped()["broken.pdf"]


@pytest.mark.full
def test_changes_are_followed_and_what_is_gone_is_forgotten(library: Library, folder: Path) -> None:
    assert urls(library, "清算") == []
    (folder / "new.txt").write_text("清算价格由保证金决定", encoding="utf-8")
    assert urls(library, "清算") == ["library:new.txt"]
    (folder / "new.txt").write_text("基差为负", encoding="utf-8")
    assert (urls(library, "清算"), urls(library, "基差")) == ([], ["library:new.txt"])
    (folder / "new.txt").unlink()
    assert urls(library, "基差") == []


@pytest.mark.full
def test_a_file_that_was_only_touched_is_not_read_again(library: Library, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert urls(library, "加息") == ["library:funding.md"]
    monkeypatch.setattr("engine.search.library.index.read_file", lambda _: pytest.fail("read again"))
    (folder / "funding.md").touch()
    assert urls(library, "加息") == ["library:funding.md"]


@pytest.mark.full
def test_nothing_outside_of_the_folder_is_read(library: Library, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("canary outside")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "more.txt").write_text("canary beyond")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert urls(library, "canary") == []
    assert "symbolic link" in library.skipped()["link.txt"]
    for name in ("library:../secret.txt", f"library:{tmp_path / 'secret.txt'}", "library:link.txt", "funding.md"):
        with pytest.raises(SearchError, match="the library does not contain"):
            library.read(Document(source="library", title="x", url=name))


@pytest.mark.full
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names, or no pipes in a folder")
def test_a_pipe_and_a_name_that_is_no_text_are_named_and_the_others_found(folder: Path, library: Library) -> None:
    os.mkfifo(folder / "pipe.txt")  # opening it would wait for ever
    (folder / os.fsdecode(b"gr\xfc\xdfe.txt")).write_text("leverage")
    assert urls(library, "leverage") == ["library:deep/page.html"]
    assert "no ordinary file" in library.skipped()["pipe.txt"]
    assert "rename" in library.skipped()[r"gr\udcfc\udcdfe.txt"]


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match=r"folder .*/nowhere is missing: create it, or name another one with TRIBUNAL_LIBRARY_DIR"):
        Library(tmp_path / "nowhere", tmp_path / "cache").search("any", 5)


@pytest.mark.full
def test_a_destroyed_index_is_made_anew(library: Library, tmp_path: Path) -> None:
    library.search("加息", 1)
    (index,) = (tmp_path / "cache").glob("*.sqlite")
    index.write_bytes(b"no database at all" * 400)
    assert urls(library, "加息") == ["library:funding.md"]


@pytest.mark.full
def test_several_processes_fill_one_index_at_once(folder: Path, tmp_path: Path) -> None:
    for number in range(60):
        (folder / f"note{number}.txt").write_text(f"基差 number{number}", encoding="utf-8")
    script = (
        "import sys; from pathlib import Path; from engine.search.library.index import Library\n"
        "print(len(Library(Path(sys.argv[1]), Path(sys.argv[2])).search('基差', 100)))"
    )
    command = [sys.executable, "-c", script, str(folder), str(tmp_path / "cache")]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [each.communicate(timeout=60)[0].strip() for each in started] == ["60"] * 3
    assert len(Library(folder, tmp_path / "cache").search("基差", 100)) == 60


@pytest.mark.full
@given(st.text(max_size=80))
def test_no_query_is_an_operator(shared_library: Library, query: str) -> None:
    found = shared_library.search(query, 5)
    assert not found or tokens(query)


@pytest.fixture(scope="module")
def shared_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "funding.md").write_text(FUNDING, encoding="utf-8")
    return Library(folder, tmp_path_factory.mktemp("cache"))


@given(st.text(alphabet="基差永续资金 abcd,。", min_size=1, max_size=40))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    """The expression that FTS5 gets names tokens of the text only, and one at least where there is one."""
    named = set(expression(text).replace('"', "").replace("*", "").replace(" OR ", " ").split())
    assert named <= set(tokens(text))
    assert bool(named) == bool(tokens(text))


def test_heads_and_dates() -> None:
    assert read_head("# Basis\n\nText") == ("Basis", None, "# Basis\n\nText")
    assert read_head("---\ntitle: 'A: b'\ndate: 2024-13-01\n---\nText") == ("A: b", None, "Text")
    assert [iso_date(text) for text in ("2024-02-29", "2023-02-29", "2024-03", "2024", "3 May", "")] == [
        *("2024-02-29", None, "2024-03", "2024"),
        *(None, None),
    ]


def test_the_best_passage_is_the_one_with_most_of_the_words() -> None:
    text = "Opening words. " * 60 + "\n\n" + "The basis is the future's price less the spot price." + "\n\n" + "Closing words. " * 60
    found = best_passage(text, frozenset({"basis", "future", "spot"}))
    assert "basis" in found
    assert len(found) <= LENGTH


EXAMPLES = Path(__file__).resolve().parents[3] / "assets" / "library"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("How is the funding rate of a perpetual contract calculated?", "funding-rates.md"),
        ("资金费率为什么说明多头拥挤？", "funding-rates-zh.md"),
        ("爆仓", "liquidations-zh.md"),
        ("spot bitcoin ETF flows", "spot-etf.md"),
        ("红利税", "dividends-zh.md"),
        ("annualised basis of futures, contango", "basis.md"),
    ],
)
def test_the_examples_answer_first_questions(example_library: Library, query: str, first: str) -> None:
    assert example_library.search(query, 3)[0].url == f"library:{first}"


def test_every_example_is_dated_titled_and_called_an_example(example_library: Library) -> None:
    assert example_library.skipped() == {}
    found = example_library.search("example 示例 library 资料", 100)
    assert len(found) == len(list(EXAMPLES.iterdir())) >= 12
    assert sum("示例资料" in example_library.read(each) for each in found) == len(found) // 2
    assert all(each.published_date and each.title and each.title != Path(each.url).stem for each in found)
    assert all("示例资料" in text or "Example text" in text for text in map(example_library.read, found))


@pytest.fixture(scope="module")
def example_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(EXAMPLES, tmp_path_factory.mktemp("cache"))
