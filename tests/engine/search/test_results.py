"""Any shape of answer is documents, and what is none is left out with a reason."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.research.document import Document
from engine.search.results import LONGEST_TEXT, MOST_DOCUMENTS, documents, read_results

PAPER = {"title": "Funding and returns", "url": "https://journal.example/1", "abstract": "Longs paid.", "published_date": "2024-03-01"}
READ = Document(source="brave", **PAPER)

SHAPES: dict[str, Any] = {
    "a list": [PAPER],
    "a dictionary": PAPER,
    "JSON inside text": json.dumps([PAPER]),
    "JSON inside JSON inside text": json.dumps(json.dumps([PAPER])),
    "fenced JSON": f"```json\n{json.dumps(PAPER)}\n```",
    "structured content of a list": {"result": [PAPER]},
    "an envelope": {"status": "ok", "total": 1, "results": [PAPER]},
    "an envelope in an envelope": {"data": {"count": 1, "items": [PAPER]}},
    "content blocks": [{"type": "text", "text": json.dumps(PAPER)}],
    "a result with content": {"content": [{"type": "text", "text": json.dumps([PAPER])}], "isError": False},
    "a resource": [{"type": "resource", "resource": {"uri": "memo://1", "text": json.dumps(PAPER)}}],
    "numbered entries": {"1": PAPER},
    "other names": [{"name": PAPER["title"], "link": PAPER["url"], "snippet": PAPER["abstract"], "date": "2024-03-01T09:00:00Z"}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_document_is_found_in_any_shape(shape: str) -> None:
    assert documents("brave", SHAPES[shape]) == [READ]


def test_plain_text_is_one_document_and_blank_text_none() -> None:
    (found,) = documents("notes", "Funding rose.\nOpen interest fell.")
    assert (found.title, found.abstract) == ("Funding rose.", "Funding rose.\nOpen interest fell.")
    assert documents("notes", "  \n") == []
    assert documents("notes", None) == []


def test_what_is_no_document_is_left_out_with_a_reason() -> None:
    read = read_results("brave", [PAPER, 7, {"type": "image", "data": "..."}, {"score": 0.4}, {"title": "  "}])
    assert read.documents == [READ]
    assert len(read.skipped) == 4
    assert "a block of kind image" in read.skipped


def test_an_answer_cannot_claim_another_source_a_score_a_path_or_an_address_of_its_own() -> None:
    claims = {"source": "sec_edgar", "rerank_score": 1.0, "also_in": ["openalex"], "url": "javascript:alert(1)", "text": "unread"}
    for path in ("/etc/passwd", "../../secret", "a/../../b", "C:\\keys", "file:x"):
        (found,) = documents("brave", {**PAPER, **claims, "saved_path": path})
        assert (found.source, found.rerank_score, found.also_in, found.url, found.text) == ("brave", None, (), "", "")
        assert found.saved_path is None
    assert documents("brave", {**PAPER, "url": "library:notes.md"})[0].url == ""


def test_text_is_visible_and_bounded() -> None:
    (found,) = documents("brave", {"title": "Fun\u202eding\nrate", "abstract": "x" * (LONGEST_TEXT + 5), "authors": ["A\x1b[2J"]})
    assert found.title == "Fun\ufffdding rate"
    assert len(found.abstract) == LONGEST_TEXT
    assert "\x1b" not in found.authors[0]
    assert len(documents("brave", [PAPER] * (MOST_DOCUMENTS + 9))) == MOST_DOCUMENTS


@pytest.mark.parametrize("stated", ["2024-13-40", "yesterday", "20240", True, None, 12.5])
def test_a_date_that_is_none_is_not_said(stated: Any) -> None:
    assert documents("brave", {"title": "t", "published": stated})[0].published_date is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["title", "url", "type", "text", "results", "content", "date", "authors", "doi", "extra", "x"]), inner
        )
    ),
    max_leaves=25,
)


@pytest.mark.full
@given(JSON)
def test_no_answer_breaks_it_and_documents_are_strict_json(answer: Any) -> None:
    for found in documents("any", answer):
        assert found.source == "any"
        assert Document.model_validate_json(json.dumps(found.model_dump(mode="json"), allow_nan=False)) == found


OWN = st.builds(
    Document,
    source=st.just("openalex"),
    title=st.from_regex(r"[a-zA-Z资金][a-zA-Z 0-9资金费率]{0,30}[a-z]", fullmatch=True),
    url=st.sampled_from(["", "https://journal.example/2"]),
    abstract=st.sampled_from(["", "Longs paid 0.05 %."]),
    authors=st.lists(st.sampled_from(["Ada", "Lin, P."]), max_size=2).map(tuple),
    published_date=st.sampled_from([None, "2024", "2024-03", "2024-03-01"]),
    doi=st.sampled_from([None, "10.5555/x"]),
    extra=st.dictionaries(st.sampled_from(["pdf_url", "cik"]), st.integers() | st.sampled_from(["a", "https://x.example/p.pdf"])),
)


WRAPPINGS = [
    lambda own: own,
    json.dumps,
    lambda own: {"result": own},
    lambda own: {"content": [{"type": "text", "text": json.dumps(own)}]},
]


@pytest.mark.full
@given(st.lists(OWN, max_size=4), st.sampled_from(WRAPPINGS))
def test_our_own_documents_come_back_as_they_went(own: list[Document], wrapped: Any) -> None:
    sent = [each.model_dump(mode="json", exclude_defaults=True) for each in own]
    assert documents("openalex", wrapped(sent)) == own
