"""What a run that is made from another asks anew: the node it is forked from, and everything that works after it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from engine.agents.reader_nodes import readers_asked_anew
from engine.domain.errors import BadInput
from engine.domain.run import Origin
from engine.domain.text.reason import Reason


@dataclass(frozen=True)
class Fork:
    """What a fork repeats.

    Attributes:
        again: Nodes that are asked again. Others repeat their recorded answer.
        texts: Node -> text that replaces its answer.
        since: Node -> first turn (from 1) that is asked again, for a node that spoke both before and after what is repeated.
    """

    again: frozenset[str]
    texts: Mapping[str, str] = field(default_factory=dict)
    since: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Forking:
    """The order in which a flow works, and so what a fork repeats.

    Attributes:
        stages: Names in working order; those of one stage work at once.
        speakers: Names whose words can be replaced; those of all stages by default.
        nodes: Name -> the nodes where it speaks, if not in the node of its name.
        belongs: Name -> nodes that are asked again with it.
        aliases: Another name -> a name of the stage that it stands for.
        turns: Names that take turns: in the second round each of them has heard the first round of all.
        heard: Judge's node -> nodes whose claims are read before it speaks.
    """

    stages: Sequence[Sequence[str]]
    speakers: Sequence[str] = ()
    nodes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    belongs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    turns: Sequence[Sequence[str]] = ()
    heard: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def fork(self, origin: Origin) -> Fork:
        """Return what a run with this origin repeats. Raises BadInput for a node or a role that does not exist, and for an empty text."""
        texts = dict[str, str]()
        speakers = self.speakers or [name for stage in self.stages for name in stage]
        for given, text in origin.texts.items():
            name = self._named(given)
            if name not in speakers:
                raise BadInput(Reason("role_is_not_known", side=f"{name[:40]!r}", known=", ".join(speakers)))
            if not text.strip():
                raise BadInput(Reason("text_of_is_empty", side=name))
            texts |= dict.fromkeys(self._nodes(name), text)
        names = self._behind(origin.from_node.strip()) if origin.from_node is not None else ()
        again = {node for name in names for node in (*self._nodes(name), *self.belongs.get(name, ()))}
        waits = [name for room in self.turns if set(names) & set(room) for name in room if name not in names]
        since = {node: 2 for name in waits for node in self._nodes(name)}
        return Fork(frozenset(again) | readers_asked_anew(again | texts.keys(), self.heard), texts, since)

    def _behind(self, node: str) -> Sequence[str]:
        """Return the name of a node, or the whole stage of an alias, and every name of the stages behind it."""
        name = self.aliases.get(node) or next((own for own, nodes in self.belongs.items() if node in nodes), self._named(node))
        for place, stage in enumerate(self.stages):
            if name in stage:
                own = stage if node in self.aliases else (name,)
                return [*own, *(each for later in self.stages[place + 1 :] for each in later)]
        known = [each for stage in self.stages for each in (*(alias for alias, name in self.aliases.items() if name in stage), *stage)]
        raise BadInput(Reason("node_is_not_known", node=f"{node[:40]!r}", known=", ".join(known)))

    def _named(self, node: str) -> str:
        return next((name for name, nodes in self.nodes.items() if node in nodes), node)

    def _nodes(self, name: str) -> Sequence[str]:
        return self.nodes.get(name, (name,))
