"""Questions with graded documents, read from the files beside this one.

A file is `seen/` or `held_back/` (constants were chosen on `seen`; what is stated is stated for both) and `english`, `chinese` or `across`
(questions of either language over documents of both). A line is a topic: eight documents in the order in which a source gave them, and
questions with a grade for each: 3 answers it, 2 mostly, 1 is near, 0 is not about it. Some documents that answer share no word with the
question, some that do not answer share most. All of it is our own writing, and true only as far as such a test needs it.
"""

import json
import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.domain.research.document import Document

Part = Literal["seen", "held_back"]
FOLDER = Path(__file__).parent
POOL = 50


@dataclass(frozen=True)
class LabelledQuestion:
    """A question with its candidates. kind: `english`, `chinese` or `across`. grades: 0 to 3, one a document."""

    part: str
    kind: str
    text: str
    documents: tuple[Document, ...]
    grades: tuple[int, ...]

    def pooled(self, everything: Sequence["LabelledQuestion"]) -> "LabelledQuestion":
        """Return the question over `POOL` candidates: its own and others, which count 0. Its text draws them and their order."""
        draw = random.Random(self.text)
        others = {each.title: each for question in everything for each in question.documents if each not in self.documents}
        chosen = draw.sample(sorted(others.values(), key=lambda each: each.title), POOL - len(self.documents))
        graded = [*zip(self.documents, self.grades, strict=True), *((each, 0) for each in chosen)]
        draw.shuffle(graded)
        return LabelledQuestion(self.part, self.kind, self.text, tuple(each for each, _ in graded), tuple(grade for _, grade in graded))


def questions(part: Part | None = None) -> Iterator[LabelledQuestion]:
    """Yield the questions of a part, or all."""
    for path in sorted(FOLDER.glob("*/*.jsonl")):
        if part in {None, path.parent.name}:
            for line in path.read_text(encoding="utf-8").splitlines():
                topic = json.loads(line)
                documents = tuple(Document(source="openalex", title=title, abstract=text) for title, text in topic["passages"])
                for text, grades in topic["questions"]:
                    yield LabelledQuestion(path.parent.name, path.stem, text, documents, tuple(grades))


def ndcg(grades: Sequence[int], scores: Sequence[float], first: int = 10) -> float:
    """Return nDCG of the order that scores give, of the first so many; equal scores keep their order."""
    order = sorted(range(len(grades)), key=lambda at: -scores[at])
    return _gain([grades[at] for at in order][:first]) / _gain(sorted(grades, reverse=True)[:first])


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades))
