"""Words, or what they begin with, without one of which no sentence has a cue; see ``cues``."""

NEGATIONS = frozenset(
    {
        *("not", "don't", "don’t", "won't", "won’t", "never", "avoid", "refuse", "nicht", "nie", "pas"),
        *("jamais", "nunca", *(f"no{blank}" for blank in map(chr, range(0x3001)) if blank.isspace())),
    }
)
"""What forbids, of whatever language."""

EXAMPLES = frozenset(
    {
        *("exampl", "instance", "sample", "beispiel", "exempl", "ejempl"),
        *("e.g", "e. g", "z.b", "z. b", "p.ex", "p. ex", "p.ej", "p. ej"),
    }
)
"""What says "example"."""

POSSIBILITIES = frozenset(
    {
        *("could", "might", "look", "you can", "kann", "könn", "pouvez", "tu peux", "on peut", "pourr"),
        *("puede", "podr"),
    }
)
"""What says what somebody could do."""

FORMATS = frozenset({"form", "syntax"})
"""What says how something is written."""

STEMS = (
    NEGATIONS
    | EXAMPLES
    | POSSIBILITIES
    | FORMATS
    | {
        *("sintax", "schem", "schém", "usage", "writ", "wrote", "geschrieb", "écri", "escrib"),
        *("sieht", "sehen", "ressembl", "se ve"),
        *("such as", "instead", "rather", "statt", "au lieu", "en lugar", "en vez"),
        *("sent", "print", "return", "answer", "said", "result", "output", "respon", "observ"),
        *("wrong", "bad", "incorrect", "falsch", "schlecht", "faux", "mal"),
    }
)
"""All of them."""
