"""What a word does in a sentence: the categories of the grammar's items.

The lexer gives every item one of them; the passes and `grammar/` say what follows from it."""

from typing import Final

IND: Final = "IND"  # an indicator
NUM: Final = "NUM"  # a number
RANGE: Final = "RANGE"  # two numbers
COUNT: Final = "COUNT"  # a number of bars or days
FRAME: Final = "FRAME"  # a timeframe
CMP: Final = "CMP"  # a comparison before its object: above, 低于
POST: Final = "POST"  # one after it: 以上, 之下
LINK: Final = "LINK"  # joins a subject to its value: is, at, 为
PAST: Final = "PAST"  # the same in the past: was, 曾
FILL: Final = "FILL"  # says nothing here: the, currently, 仍
HEDGE: Final = "HEDGE"  # an approximation: about, 约
HEDGE_POST: Final = "HPOST"  # one after the value: 左右
NEG: Final = "NEG"  # a negation; payload `none`: it may stand before the subject
DIR: Final = "DIR"  # a movement; payload +1 or -1
TO: Final = "TO"  # where a movement ends
FROM: Final = "FROM"  # where it began
VERSUS: Final = "VS"  # what follows is compared with, not stated
BETWEEN: Final = "BETWEEN"  # opens a range
AND: Final = "AND"  # joins two of a kind
STATE: Final = "STATE"  # a reading in words
MEAN: Final = "MEAN"  # an average, of volume
IT: Final = "IT"  # a pronoun; payload `truth`: it also rejects what was said before
POSITION: Final = "POSITION"  # the position itself
SIDE: Final = "SIDE"  # a long or a short
SINK: Final = "SINK"  # takes the numbers after it: confidence, risk
STOP: Final = "STOP"  # silences its clause: targets, stops
PLAN: Final = "PLAN"  # silences its clause: what is intended
STRONG: Final = "STRONG"  # ends a sentence
WEAK: Final = "WEAK"  # ends a clause
CONJ: Final = "CONJ"  # a conjunction; payload `and`, `but` or nothing
OPEN: Final = "OPEN"  # an opening bracket
CLOSE: Final = "CLOSE"  # a closing bracket
UNKNOWN: Final = "UNKNOWN"  # anything else
PIPE: Final = "PIPE"  # a table border
IF: Final = "IF"  # opens a condition
THEN: Final = "THEN"  # its consequence
MODAL: Final = "MODAL"  # opens a forecast or a wish; payload `sticky`: over commas too
HISTORY: Final = "HISTORY"  # a past time
DEFINITION: Final = "DEFINITION"  # a textbook sentence; payload `weak`: only bounds in it
INJECT: Final = "INJECT"  # a smuggled instruction
NOW: Final = "NOW"  # the present
SPEAKER: Final = "SPEAKER"  # who is quoted
SAY: Final = "SAY"  # a verb of saying
REJECT: Final = "REJECT"  # what was said is wrong
ENDORSE: Final = "ENDORSE"  # what was said is right
ASSET: Final = "ASSET"  # a tradable thing
TRADE: Final = "TRADE"  # the price trades
APPROACH: Final = "APPROACH"  # not there yet: heading toward, 逼近
FUZZY: Final = "FUZZY"  # a part of a decade: high 50s
BOTH: Final = "BOTH"  # respectively
ZERO: Final = "ZERO"  # a number in words: the zero line, or a multiple (payload)
