"""What the prose around a call says, in French; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase(
        "j'|je |j’",
        r"\bj(?:e |['’])(?!ai\b|aurais|avais|étais|pense|crois|ne\b|n['’]|montre|explique|suggère|recommande|cite|\w+rais\b)\w+",
    ),
    Phrase("laisse", r"\b(?:laissez|laisse)-moi\b"),
    Phrase(
        "voici l'|voici la |voici le |voici les |voici l’",
        r"\bvoici (?:l['’]|le |la |les )(?:\w+ )?(?:appels?|fonction|requête|commande|réponse|résultat|outil|code)",
    ),
    Phrase(
        "bien sûr|certainement|d'abord|d'accord|prochaine étape|étape |d’abord|d’accord|entendu|maintenant|tout de suite|un instant|un moment|volontiers",
        r"(?:\A|\n|[.!?]\s)\W*(?:bien sûr|d['’]accord|certainement|un (?:instant|moment)|tout de suite|maintenant|volontiers|entendu|d['’]abord|prochaine étape|étape \d++)\b",
    ),
)
"""What says that its writer makes the call now."""

CONDITIONS = (
    Phrase(
        "si j'|si j’|si je|si nous",
        r"\bsi (?:j['’]|je |nous )(?:\w+ )?(?:avais|étais|pouvais|avions|étions|pouvions)\b",
    ),
)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase("exercice|leçon", r"(?:\A|\n)\W*(?:exercice|leçon)\b[^.:\n]{0,20}[:.]"),
    Phrase(
        "rais", r"\bj(?:e |['’])(?:l['’])?(?:appelle|au|enver|exécute|lance|soumett|utilise|écri)r?rais\b"
    ),
    Phrase(
        "voici les dernières lignes|voici les premières lignes",
        r"\bvoici les (?:dernières|premières) lignes\b",
    ),
    Phrase(
        "a cette forme|a la forme|ont cette forme|ont la forme|prend cette forme|prend la forme|prennent cette forme|prennent la forme",
        r"\b(?:prend|prennent|ont|a) (?:la|cette) forme\b",
    ),
    Phrase("ressembl", r"\bressembl\w+ à\b"),
    Phrase(
        " jamais| pas",
        r"(?:\A\W*|[:,]\s)n(?:e |['’])(?:l['’]|l[ae]s? )?\w+(?:ez|e|s)(?:-\w+)? (?:jamais|pas)\b",
    ),
    Phrase("à ne pas", r"\bà ne pas\b"),
    Phrase("a répondu|a échoué", r"\ba (?:répondu|échoué) ?(?:ceci|était)?\b"),
    Phrase("brouillon", r"\bbrouillon\b"),
    Phrase(
        "j'ai appelé|j'ai envoyé|j'ai exécuté|j’ai appelé|j’ai envoyé|j’ai exécuté",
        r"\bj['’]ai (?:exécuté|envoyé|appelé)\b",
    ),
    Phrase("dès que vous", r"\bdès que vous\b"),
    Phrase("si vous", r"\bsi vous\b"),
    Phrase("le faire vous-même", r"\ble faire vous-même\b"),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase("si on|si tu|si vous", r"\bsi (?:vous|tu|on)\b"),
    Phrase("dès que", r"\bdès que\b"),
    Phrase("quand tu|quand vous", r"\bquand (?:vous|tu)\b"),
    Phrase("une fois", r"\bune fois\b"),
    Phrase("rais", r"\b\w+rais\b"),
    Phrase("il y a", r"\bil y a\b"),
    Phrase(
        "avant-hier|d'hier|d’hier|hier matin|hier soir|hier,",
        r"\b(?:d['’]hier|avant-hier|hier (?:soir|matin)|hier,)",
    ),
    Phrase("déjà", r"\bdéjà\b"),
    Phrase("j'ai |j’ai ", r"\bj['’]ai \w+é\b"),
    Phrase(
        "autoris|brouillon|confirm|exemple|le test|permission|vous-même",
        r"\b(?:brouillon|exemple|autoris\w+|permission|confirm\w+|vous-même|le test)\b",
    ),
    Phrase("pas", r"\bpas\b"),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (
    r"merci de ne pas\b",
    r"ignorez\b",
    "veuillez (?:ignorer|ne pas)",
    "n['’]exécutez pas",
    "ne l['’](?:exécutez|envoyez)",
    "je n['’](?:en )?ai pas",
    "c['’](?:était|est) (?:une erreur|seulement|juste|un exemple|un brouillon)",
    "n['’]en tenez pas",
    r"(?:oublie|annule|ignore)[zr]?\b|laisse[zr]? tomber",
    "ce n['’](?:était|est) (?:qu|pas)",
    "(?:c['’](?:était|est)|voilà) (?:un simple|le mauvais|la mauvaise|simplement)",
    r"(?:ne |n['’])(?:l['’]|la |le |les )?(?:exécut|lanc|envoy)\w+ pas\b|je ne (?:l['’]|la |le )?(?:exécut|lanc|envoi|fer)\w+",
)
"""What takes a call back that it follows."""

CORRECTS = (
    Phrase("appel corrigé|requête corrigé|version corrigé", r"\b(?:appel|version|requête) corrigée?"),
    Phrase("correction", r"\bcorrection\b"),
    Phrase("désolé|pardon", r"\b(?:pardon|désolée?)\b"),
    Phrase("je voulais dire", r"\bje voulais dire\b"),
)
"""What says between two calls that the second one stands for the first."""

LEADS = r"mais\b[,，]?\s*+"
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:c['’](?:est|était)|ceci (?:est|était)|cela (?:est|était)|voilà (?:ce|comment)|cet appel|cette (?:requête|ligne)|l['’]appel ci-dessus)\b(?! (?:nécessaire|tout|la première|le premier|parti))"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"(?:veuillez|merci de) (?:confirmer|valider)|confirme[zr]?\b|(?:si|dès que|quand) (?:vous|tu)\b|dites-moi|j['’]attends (?:votre|ta)"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = r"\b(?:voulez-vous|veux-tu|souhaitez-vous|dois-je|puis-je|est-ce que je (?:dois|peux)|faut-il)\b"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = "autre chose"
"""What makes a question one about something else than the call."""
