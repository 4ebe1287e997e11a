"""What the prose around a call says, in German; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase(
        "ich ",
        r"\bich (?!würde|hätte|könnte|möchte(?! jetzt)|habe|hatte|wollte|dürfte|müsste|sollte|denke|glaube|meine|zeige|empfehle|erkläre|rate|stimme|verstehe|finde(?! )|wäre|bitte)\w+e\b",
    ),
    Phrase("e ich", r"\b(?!würde|hätte|könnte|habe|hatte|wollte|denke|glaube|zeige|möchte)\w+e ich\b"),
    Phrase("ich darf|ich muss|ich werde|ich will", r"\bich (?:muss|werde|will|darf)\b"),
    Phrase("muss ich|werde ich", r"\b(?:muss|werde) ich\b"),
    Phrase("lass", r"\blass(?:en sie|t)? (?:mich|uns)\b"),
    Phrase(
        "hier ist das|hier ist der|hier ist die|hier ist mein|hier sind das|hier sind der|hier sind die|hier sind mein",
        r"\bhier (?:ist|sind) (?:der|die|das|mein)\b[^.]*(?:aufruf|anfrage|befehl|funktion|antwort|ergebnis|code|json|werkzeug)",
    ),
    Phrase(
        "als nächstes|einen augenblick|nächster schritt|schritt |einen moment|gern|gut|jetzt|klar|natürlich|nun|okay|sofort|wird gemacht|zuerst|zunächst",
        r"(?:\A|\n|[.!?]\s)\W*(?:nun|jetzt|gerne?|sofort|klar|natürlich|okay|gut|einen (?:moment|augenblick)|als nächstes|zuerst|zunächst|wird gemacht|nächster schritt|schritt \d++)\b",
    ),
)
"""What says that its writer makes the call now."""

CONDITIONS = (
    Phrase(
        "wenn ich|falls ich|hätte ich|dürfte ich|könnte ich",
        r"\b(?:wenn|falls) ich (?:\w+ ){0,3}(?:hätte|dürfte|könnte)\b|(?:\A|\n|[.!?]\s)\W*(?:hätte|dürfte|könnte) ich\b",
    ),
    Phrase(
        "sobald|wenn|falls|sofern",
        r"\b(?:sobald|wenn|falls|sofern) (?:du|sie|ihr|der nutzer|die nutzerin)\b[^.:]{0,40}(?:zustimm|bestätig|erlaub|einverstanden|freigeb|freigib|möcht|will)",
    ),
)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase("aufgabe|lektion|übung", r"(?:\A|\n)\W*(?:aufgabe|lektion|übung)\b[^.:\n]{0,20}[:.]"),
    Phrase("so aus", r"\bso aus\W*\Z"),
    Phrase(
        "alte|frühere|letzte|ursprüngliche|vorige",
        r"\b(?:das|dies|hier) (?:war|ist) (?:der|die|das|mein|meine|dein|deine|ihr|ihre) (?:alte|frühere|letzte|ursprüngliche|vorige)[rns]?\b",
    ),
    Phrase("so aus", r"\bsieh(?:t|en) (?:\w+ ){0,5}so aus\b"),
    Phrase(
        "nicht|nie",
        r"\b(?:schick|send|führ|ruf|verwend|benutz|schreib|nutz)\w*\b[^.]*\b(?:nicht|niemals|nie)\b",
    ),
    Phrase("hier sind ", r"\bhier sind (?:die )?(?:letzten|ersten) (?:\w+ )?zeilen\b"),
    Phrase(
        "hätte ich|ich hätte|ich würde|würde ich",
        r"\b(?:ich (?:würde|hätte)|(?:würde|hätte) ich)\b[^.]*\b(?:ge|auf|aus|ab)?(?:ge)?(?:benutz|führ|nutz|ruf|schick|schreib|schrieb|send|verwend)\w*+\W*\Z",
    ),
    Phrase("ersten zeilen|letzten zeilen", r"\b(?:das|hier|dies) sind (?:die )?(?:letzten|ersten) zeilen\b"),
    Phrase("so sieht", r"\bso sieht\b"),
    Phrase("werden ", r"\bwerden (?:jetzt |nun )?so geschrieben\b"),
    Phrase(
        "nicht ausführen|nicht ausgeführt|nicht senden|nicht verwenden",
        r"\bnicht (?:ausführen|ausgeführt|verwenden|senden)\b",
    ),
    Phrase("hat so geantwortet|hat so geschrieben", r"\bhat so (?:geantwortet|geschrieben)\b"),
    Phrase("fehlerhafte anfrage|fehlerhafte aufruf", r"\bfehlerhafte (?:anfrage|aufruf)"),
    Phrase("neu in ", r"\bneu in \d"),
    Phrase("entwurf", r"\bentwurf\b"),
    Phrase("habe ich|ich habe", r"\b(?:habe ich|ich habe)\b[^.]*\b(?:ausgeführt|aufgerufen|gesendet)\b"),
    Phrase("sobald sie |wenn sie ", r"\b(?:sobald|wenn) sie (?:\w+ )?(?:zustimm|bestätig|das|es|später)"),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase(
        "bereits|bevor|falls|früher|gestern|hätte|könnte|sobald|sofern|vorhin|wenn|wäre|würde",
        r"\b(?:würden?|hätten?|könnten?|wäre|falls|wenn|sobald|sofern|bevor|vorhin|gestern|bereits|früher)\b",
    ),
    Phrase(
        "vor dem|vor der|vor drei|vor einem|vor einer|vor zwei", r"\bvor (?:einer|einem|der|dem|zwei|drei)\b"
    ),
    Phrase("berechtig|bestätig|genehmig|zustimm", r"\b(?:zustimm|genehmig|berechtig|bestätig)\w*"),
    Phrase(
        "beispiel|entwurf|lieber nicht|nicht ausführen|protokolls|prüft, ob|selbst|teste",
        r"\b(?:entwurf|beispiel\w*|testet?|prüft, ob|protokolls|selbst|lieber nicht|nicht ausführen)\b",
    ),
    Phrase("habe ich", r"\bhabe ich\b"),
    Phrase("ich habe", r"\bich habe\b"),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (
    r"ignorier\w*",
    r"das (?:sollte|darf|dürfte) ich (?:\w+ )?nicht\b",
    "(?:das |dies |es )?(?:bitte )?nicht (?:ausführen|verwenden|senden|abschicken)",
    "(?:mir fehlt|mir fehlen|ich (?:darf|kann|habe kein))",
    "(?:das|dies|es) (?:war|ist) (?:nur |bloß |lediglich |falsch|das falsche|ein (?:versehen|fehler|beispiel|entwurf|muster))",
    r"(?:vergiss|vergessen sie|streich\w*|verwirf|verwerfen sie) (?:das|dies|es|den|die)\b",
    r"doch nicht\b|lieber nicht\b|nicht (?:wirklich )?(?:ausgeführt|gesendet)\b|nur zur (?:veranschaulichung|ansicht|illustration)",
    r"ich (?:führe|sende|schicke|rufe) (?:das|dies|es) (?:\w+ )?nicht\b",
)
"""What takes a call back that it follows."""

CORRECTS = (
    Phrase(
        "korrigiert|richtig|verbessert",
        r"\b(?:korrigierte?[rns]?|verbesserte?[rns]?|richtige?[rns]?) (?:\w+ )?(?:aufruf|fassung|version|anfrage)",
    ),
    Phrase("korrektur", r"\bkorrektur\b"),
    Phrase("entschuldigung|verzeihung", r"\b(?:entschuldigung|verzeihung)\b"),
    Phrase("ich meinte", r"\bich meinte\b"),
)
"""What says between two calls that the second one stands for the first."""

LEADS = r"(?:aber|bitte|doch|nein|warte|halt)\b[,，.!]?\s*+"
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:das|dies|es|so|dieser (?:aufruf|befehl)|diese (?:anfrage|zeile)|der (?:obige|letzte) \\w+) (?:ist|war|waren|stammt|kommt|kam|stand|steht|hat|zeigt|sah|schlug)\b(?! (?:nötig|notwendig|alles|der erste|mein))"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"bitte (?:bestätig|gib|geben|sag|prüf)\\w*|(?:wenn|falls|sobald) (?:du|sie|ihr)\b|sag(?:en sie)? (?:mir )?bescheid|ich warte auf (?:deine|ihre)"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = r"\b(?:soll(?:te)? ich|darf ich|möchten sie|möchtest du|wollen sie|willst du|kann ich)\b"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = "sonst noch|noch etwas"
"""What makes a question one about something else than the call."""
