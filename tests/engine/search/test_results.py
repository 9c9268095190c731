"""Any shape of answer is documents, which claim nothing that is not theirs."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.domain.research.document import Document
from engine.search.results import LONGEST_TEXT, MOST_DOCUMENTS, documents

PAPER = {"title": "Funding and returns", "url": "https://journal.example/1", "abstract": "Longs paid.", "published_date": "2024-03-01"}
READ = Document(source="brave", **PAPER)

SHAPES: dict[str, Any] = {
    "a list": [PAPER],
    "JSON inside text": json.dumps([PAPER]),
    "fenced JSON": f"```json\n{json.dumps(PAPER)}\n```",
    "an envelope": {"status": "ok", "total": 1, "results": [PAPER]},
    "a result with content": {"content": [{"type": "text", "text": json.dumps([PAPER])}], "isError": False},
    "a resource": [{"type": "resource", "resource": {"uri": "memo://1", "text": json.dumps(PAPER)}}],
    "other names": [{"name": PAPER["title"], "link": PAPER["url"], "snippet": PAPER["abstract"], "date": "2024-03-01T09:00:00Z"}],
}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_document_is_found_in_any_shape(shape: str) -> None:
    assert documents("brave", SHAPES[shape]) == [READ]


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
