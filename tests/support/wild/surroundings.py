"""Prose in five languages that announces a call, and prose that follows one; none of it says that the call is not meant."""

import random
from collections.abc import Callable
from dataclasses import dataclass

BEFORE: dict[str, tuple[str, ...]] = {
    "en": (
        "I'll do that for you now.",
        "Sure! Here is the function call:",
        "To answer your question, I need to call the following:",
        "Based on what you've told me, these are the right arguments.",
    ),
    "de": (
        "Ich erledige das jetzt für Sie.",
        "Gerne! Hier ist der Funktionsaufruf:",
        "Um Ihre Frage zu beantworten, rufe ich Folgendes auf:",
        "Ich sehe gleich nach.",
    ),
    "fr": (
        "Je m'en occupe tout de suite.",
        "Bien sûr ! Voici l'appel de fonction :",
        "Pour répondre à votre question, j'appelle la fonction suivante :",
        "Je vérifie cela maintenant.",
    ),
    "es": (
        "Lo hago ahora mismo.",
        "¡Claro! Aquí está la llamada a la función:",
        "Para responder a su pregunta, llamo a la siguiente función:",
        "Voy a consultarlo.",
    ),
    "zh": (
        "好的，我现在就来处理。",
        "当然！以下是函数调用：",
        "为了回答您的问题，我将调用以下函数：",
        "我来查一下。",
    ),
}

AFTER: dict[str, tuple[str, ...]] = {
    "en": (
        "This will give us what you asked for.",
        "Let me know if you need anything else!",
        "I'll tell you the result as soon as I have it.",
    ),
    "de": (
        "Damit bekommen wir, wonach Sie gefragt haben.",
        "Sagen Sie mir, wenn Sie noch etwas brauchen!",
        "Sobald das Ergebnis da ist, melde ich mich.",
    ),
    "fr": (
        "Cela nous donnera ce que vous avez demandé.",
        "Dites-moi si vous avez besoin d'autre chose !",
        "Je vous donne le résultat dès que je l'ai.",
    ),
    "es": (
        "Esto nos dará lo que ha pedido.",
        "¡Avíseme si necesita algo más!",
        "Le diré el resultado en cuanto lo tenga.",
    ),
    "zh": ("这样就能得到您要的结果。", "如果还需要什么，请告诉我！", "有了结果我会马上告诉您。"),
}

LANGUAGES = tuple(BEFORE)

HEADINGS = ("**Function call:**", "### Tool call", "Tool calls:", "**Answer**")
THOUGHTS = (
    "<think>\nThe user gave all that is needed.\n</think>",
    "<think>\nOkay, let me see. One of the tools fits, so I take that one.\n</think>",
    "The tool fits.\n</think>",
)


@dataclass(frozen=True)
class Surrounding:
    """What stands around calls."""

    name: str  # its own
    around: Callable[[str, random.Random], str]  # puts it around a text
    is_prose: bool = True  # whether there is anything but blanks
    is_behind: bool = False  # whether some of it stands behind the calls
    in_line: bool = False  # whether the calls go on in a line of prose

    def takes(self, text: str, *, ends: bool, whole: bool) -> bool:
        """Whether a text can stand so."""
        if (whole and self.is_prose) or (ends and self.is_behind):
            return False
        return not (self.in_line and text.startswith(("`", "-", "1.", "Thought:")))


def _before(language: str) -> Surrounding:
    return Surrounding(
        f"before-{language}", lambda text, chance: f"{chance.choice(BEFORE[language])}\n\n{text}"
    )


def _after(language: str) -> Surrounding:
    return Surrounding(
        f"after-{language}",
        lambda text, chance: f"{text}\n\n{chance.choice(AFTER[language])}",
        is_behind=True,
    )


def _both(language: str) -> Surrounding:
    return Surrounding(
        f"both-{language}",
        lambda text, chance: (
            f"{chance.choice(BEFORE[language])}\n\n{text}\n\n{chance.choice(AFTER[language])}"
        ),
        is_behind=True,
    )


def _in_line(language: str) -> Surrounding:
    colon = "：" if language == "zh" else ": "
    announcing = tuple(each for each in BEFORE[language] if each.endswith((":", "：")))
    return Surrounding(
        f"in-line-{language}",
        lambda text, chance: chance.choice(announcing).rstrip("：: ") + colon + text,
        in_line=True,
    )


SURROUNDINGS: tuple[Surrounding, ...] = (
    Surrounding("alone", lambda text, _: text, is_prose=False),
    Surrounding("blank", lambda text, _: f"\n\n {text}\n\n", is_prose=False),
    Surrounding("heading", lambda text, chance: f"{chance.choice(HEADINGS)}\n\n{text}"),
    Surrounding("thought", lambda text, chance: f"{chance.choice(THOUGHTS)}\n\n{text}"),
    *(make(language) for language in LANGUAGES for make in (_before, _after, _both, _in_line)),
)
