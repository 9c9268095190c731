"""A folder of documents: found in any language, followed as it changes, never left."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.errors import SearchError
from engine.domain.research.document import Document
from engine.search.library import Library, expression
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
def test_changes_are_followed_and_what_is_gone_is_forgotten(library: Library, folder: Path) -> None:
    assert urls(library, "清算") == []
    (folder / "new.txt").write_text("清算价格由保证金决定", encoding="utf-8")
    assert urls(library, "清算") == ["library:new.txt"]
    (folder / "new.txt").write_text("基差为负", encoding="utf-8")
    assert (urls(library, "清算"), urls(library, "基差")) == ([], ["library:new.txt"])
    (folder / "new.txt").unlink()
    assert urls(library, "基差") == []


@pytest.mark.full
def test_nothing_outside_of_the_folder_is_read(library: Library, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("canary outside")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "more.txt").write_text("canary beyond")
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    (folder / "linked").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert urls(library, "canary") == []
    for name in ("library:../secret.txt", f"library:{tmp_path / 'secret.txt'}", "library:link.txt", "funding.md"):
        with pytest.raises(SearchError, match="the library does not contain"):
            library.read(Document(source="library", title="x", url=name))


def test_a_missing_folder_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(SearchError, match=r"folder .*/nowhere is missing: create it, or name another one with TRIBUNAL_LIBRARY_DIR"):
        Library(tmp_path / "nowhere", tmp_path / "cache").search("any", 5)


@given(st.text(alphabet="基差永续资金 abcd,。", min_size=1, max_size=40))
def test_every_text_is_found_by_its_own_words(text: str) -> None:
    """The expression that FTS5 gets names tokens of the text only, and one at least where there is one."""
    named = set(expression(text).replace('"', "").replace("*", "").replace(" OR ", " ").split())
    assert named <= set(tokens(text))
    assert bool(named) == bool(tokens(text))


EXAMPLES = Path(__file__).resolve().parents[3] / "assets" / "library"


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("资金费率为什么说明多头拥挤？", "funding-rates-zh.md"),
        ("spot bitcoin ETF flows", "spot-etf.md"),
    ],
)
def test_the_examples_answer_first_questions(example_library: Library, query: str, first: str) -> None:
    assert example_library.search(query, 3)[0].url == f"library:{first}"


@pytest.fixture(scope="module")
def example_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library(EXAMPLES, tmp_path_factory.mktemp("cache"))
