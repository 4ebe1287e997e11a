"""Texts whose build says that a call in them is not meant, in many languages, and the same builds in which it is.

None depends on a word for showing: the words before a call tell of something, and others go on behind it; a pair of tags names
what it holds; one who has spoken before speaks again. ``…`` is where the call stands.
"""

from collections.abc import Iterator

TOLD = (
    ("Version A has fewer signs than the rest.", "Version B has more of them."),
    ("The queue held one entry at noon.", "Nobody has looked at it since then."),
    ("Root cause: a made-up id.", "Action item: check each id."),
    ("Um zwölf Uhr stand ein Eintrag in der Schlange.", "Seitdem ist nichts dazugekommen."),
    ("À midi, la file contenait une entrée.", "Depuis, personne ne l'a regardée."),
    ("A mediodía la cola tenía una entrada.", "Desde entonces nadie la ha visto."),
    ("Ao meio-dia a fila tinha uma entrada.", "Desde então ninguém olhou para ela."),
    ("A mezzogiorno la coda aveva una voce.", "Da allora nessuno l'ha guardata."),
    ("中午队列里有一条记录。", "此后没有人看过它。"),
    ("正午の時点でキューには一件ありました。", "それ以降は誰も見ていません。"),
    ("В полдень в очереди была одна запись.", "С тех пор на неё никто не смотрел."),
    ("정오에 대기열에는 한 건이 있었다.", "그 뒤로는 아무도 보지 않았다."),
)
"""Words before a call that tell of something, and words behind it that go on."""

ANNOUNCED = (
    ("Let me look at the queue.", "This gives us its entries."),
    ("I'll start with the page.", "After that comes the archive."),
    ("Ich rufe jetzt die Seite ab.", "Damit haben wir den ganzen Text."),
    ("Je vérifie cela maintenant.", "Cela nous donnera le texte entier."),
    ("Voy a consultarlo.", "Esto nos dará el texto completo."),
    ("我来查一下。", "这样就能得到全部内容。"),
    ("Сейчас проверю.", "Так мы получим весь текст."),
)
"""Words before a call that announce it, and words behind it."""

_SHOWING = ("few_shot", "template", "assistant", "raw_output", "transcript", "log")
_CALLING = ("response", "answer", "my_tool_use", "function_calls", "final_message")
_SPEAKERS = (("User", "Assistant"), ("Benutzer", "Assistent"), ("Cliente", "Agente"), ("用户", "助手"))


OF_BLOCK = (
    ("The queue held one entry at noon.", "That block was in its log."),
    ("Root cause: a made-up id.", "The call above has it in its second line."),
    ("Um zwölf Uhr stand ein Eintrag in der Schlange.", "Das stand so im Protokoll."),
    ("中午队列里有一条记录。", "这是当时的内容。"),
    ("My colleague suggested:", "Nobody else liked the idea."),
    ("Der frühere Text enthielt:", "Seit Mai fehlt er."),
    ("Este es el formato:", "Cada campo es obligatorio."),
)
"""The same, with words behind the call that are about it, or words before it that present it: they count for a profile's own blocks, too."""


def shown(*, is_own: bool = False) -> Iterator[str]:
    """Yield texts in which nothing is meant; for a profile's own blocks, those that say so in a way that counts for these."""
    yield from (
        f"{before}\n\n…\n\n{behind}" for before, behind in (OF_BLOCK if is_own else (*TOLD, *OF_BLOCK))
    )
    yield from (f"<{tag}>\n…\n</{tag}>" for tag in _SHOWING)
    yield from (f"[{tag}]\n…\n[/{tag}]\n\nThat is the whole file." for tag in ("tool result", "log"))
    yield "{% raw %}\n…\n{% endraw %}"
    yield "/*\n * …\n */"
    for one, other in _SPEAKERS:
        yield f"{one}: 1\n{other}: 2\n\n…\n\n{one}: 3"
        yield f"**{one}:** 1\n\n**{other}:**\n\n…\n\n**{one}:** 3"
        yield f"### {one}\n1\n\n### {other}\n…\n\n### {one}\n3"
        yield f"[{one}] 1\n[{other}]\n…\n[{one}] 3"


GOING_ON = (
    "I'll summarise it as soon as it is here.",
    "Then work can begin.",
    "Tell me what is missing.",
)
"""Words behind a call that say how it goes on; they are enough for one with its format's marks."""


def meant(*, is_marked: bool) -> Iterator[str]:
    """Yield texts in which the call is meant."""
    if is_marked:
        yield from (f"It is a long page.\n\n…\n\n{behind}" for behind in GOING_ON)
    yield from (f"{before}\n\n…\n\n{behind}" for before, behind in ANNOUNCED)
    yield from (f"<{tag}>\n…\n</{tag}>" for tag in _CALLING)
    yield from (f"{other}:\n\n…" for _, other in _SPEAKERS[:1])


STEPS = (
    "A small page, in three steps.\n\n…\n\nThe notes need a line about it.\n\n…\n\nThat leaves the docs.\n\n…",
    "Hier ist der Plan.\n\n…\n\nDanach die Tests.\n\n…\n\nZum Schluss die Doku.\n\n…",
)
"""Series of calls with words between them: all are meant."""

PREFIXES = ("+", "-", "+ ", "- ", "| ", "[12:00:01] ", "2024-01-01 12:00:01 INFO ", "> ")
"""What a diff, a table, a log or a quotation has before each line."""
