"""What the prose around a call says, in Italian, Dutch, Polish, Turkish and Arabic: only what speaks against it, and what announces it."""

from actionledger.reading.prose_words.phrases import Language, Phrase

_STOPS = r"[,،.!…\s—–-]*+"
"""Signs between the words of an exclamation."""

ITALIAN = Language(
    announces=(
        Phrase(
            "aggiorno|cancello|cerco|chiamo|controllo|creo|elimino|eseguo|invio|lancio|leggo|procedo|verifico",
            r"\b(?:aggiorno|cancello|cerco|chiamo|controllo|creo|elimino|eseguo|invio|lancio|leggo|procedo|verifico)\b",
        ),
    ),
    conditions=(
        Phrase(
            "accett|approv|autorizz|conferm|d'accordo|d’accordo",
            r"\b(?:se|quando|appena|dopo che)\b[^.:]{0,40}(?:accett|approv|autorizz|conferm|d['’]accordo)",
        ),
    ),
    shows=(
        Phrase("esempi", r"(?:\A|\n)\W*esempi[o]?\b[^.:\n]{0,20}[:.]|\bper esempio\W*\Z"),
        Phrase(
            "chiamar|eseguir|inviar|lanciar|usar",
            r"\b(?:non|mai)\b[^.:]{0,20}\b(?:chiamar|eseguir|inviar|lanciar|usar)\w*",
        ),
        Phrase("bozza", r"\bbozza\b"),
    ),
    open=(Phrase("rebbe|vorrei|ieri", r"\b(?:\w+rebbe|vorrei|ieri)\b"),),
    takes_back=(
        r"(?:ignor|annull|scart)\w+|non (?:lo |la )?(?:eseguir|inviar|lanciar)\w*|(?:era|è) (?:solo|un (?:esempio|errore))\b",
    ),
    halts=rf"(?:(?:aspett[ai]|un (?:momento|attimo)|ops|no|scusa|fermo)\b{_STOPS})++(?:no\b|non\b|annull|errore\b|(?:è )?sbagliat|\w+ sbagliat)",
    corrects=(Phrase("correzione|corrett", r"\bcorrezione\b|\b(?:chiamata|versione) corretta\b"),),
    leads=r"(?:ma|per favore)\b[,.]?\s*+",
    describes=r"quest[ao] (?:era|è) (?:la chiamata|il comando|solo)",
    defers=r"(?:per favore,? )?conferm[ai]\b|se (?:sei|è) d['’]accordo|dimmi (?:se|quando)\b",
    offers=r"\b(?:posso|devo|vuoi che|vuole che)\b",
    anything_else="altro",
)

DUTCH = Language(
    announces=(
        Phrase(
            "ik |laat me",
            r"\bik (?:controleer|gebruik|haal|lees|maak|open|roep|schrijf|start|stuur|verwijder|voer|zal|zoek|ga)\b|\blaat me\b",
        ),
    ),
    conditions=(
        Phrase(
            "akkoord|bevestig|goedkeur|goedvind|toestem",
            r"\b(?:als|zodra|mits|indien|wanneer)\b[^.:]{0,40}(?:akkoord|bevestig|goedkeur|goedvind|toestem)",
        ),
    ),
    shows=(
        Phrase("voorbeeld", r"(?:\A|\n)\W*voorbeeld(?:en)?\b[^.:\n]{0,20}[:.]|\bbijvoorbeeld\W*\Z"),
        Phrase("niet|nooit", r"\b(?:gebruik|roep|start|stuur|verstuur|voer)\b[^.:]{0,20}\b(?:niet|nooit)\b"),
    ),
    open=(Phrase("zou|gisteren", r"\b(?:zou|gisteren)\b"),),
    takes_back=(
        r"(?:negeer|annuleer|vergeet)\b|voer (?:dit|dat|het) (?:\w+ )?niet uit\b|(?:dit|dat) was (?:maar|slechts|een (?:voorbeeld|fout))\b",
    ),
    halts=(
        rf"(?:(?:nee|wacht(?: even)?|ho|oeps|sorry)\b{_STOPS})++"
        r"(?:nee\b|niet\b|fout\b|verkeerde?\b|da?t (?:moet|mag|is|was) (?:niet|fout|verkeerd)|doe (?:dat|dit|het) (?:\w+ )?niet\b)"
    ),
    corrects=(Phrase("correctie|verbeterd", r"\bcorrectie\b|\bverbeterde (?:aanroep|versie)\b"),),
    leads=r"(?:maar|alsjeblieft)\b[,.]?\s*+",
    describes=r"(?:dit|dat) was de (?:aanroep|opdracht)",
    defers=r"bevestig\b|als (?:je|u) akkoord\b|laat (?:me|het) weten\b",
    offers=r"\b(?:zal ik|mag ik|wil je dat|wilt u dat)\b",
    anything_else="nog iets",
)

POLISH = Language(
    announces=(
        Phrase(
            "czytam|otwieram|pobieram|sprawdzam|szukam|tworzę|uruchamiam|usuwam|wykonuję|wysyłam|wywołuję|zapisuję",
            r"\b(?:czytam|otwieram|pobieram|sprawdzam|szukam|tworzę|uruchamiam|usuwam|wykonuję|wysyłam|wywołuję|zapisuję)\b",
        ),
    ),
    conditions=(
        Phrase(
            "potwierdz|zaakceptuj|zgadzasz|zgodzisz|zezwol",
            r"\b(?:jeśli|jeżeli|gdy|kiedy|po tym jak)\b[^.:]{0,40}(?:potwierdz|zaakceptuj|zgadzasz|zgodzisz|zezwol)",
        ),
    ),
    shows=(
        Phrase("przykład", r"(?:\A|\n)\W*przykład(?:y)?\b[^.:\n]{0,20}[:.]|\bna przykład\W*\Z"),
        Phrase(
            "uruchamiaj|używaj|wykonuj|wysyłaj|wywołuj",
            r"\b(?:nie|nigdy)\b[^.:]{0,20}\b(?:uruchamiaj|używaj|wykonuj|wysyłaj|wywołuj)(?:cie)?\b",
        ),
    ),
    open=(Phrase("wczoraj|gdyby", r"\b(?:wczoraj|gdyby)\b"),),
    takes_back=(
        r"(?:zignoruj|anuluj|zapomnij)\w*|nie (?:uruchamiaj|wykonuj|wysyłaj)\w*|to (?:był|była|było) (?:tylko|przykład|błąd|pomyłka)\b",
    ),
    halts=rf"(?:(?:czekaj(?:cie)?|chwil[aę]|nie|ups)\b{_STOPS})++(?:nie\b|anuluj|(?:to )?(?:błąd|źle|pomyłka)\b)",
    corrects=(Phrase("poprawka|poprawion", r"\bpoprawka\b|\bpoprawion[ae] (?:wersja|wywołanie)\b"),),
    leads=r"(?:ale|proszę)\b[,.]?\s*+",
    describes=r"to był[oa]? (?:wywołanie|polecenie)",
    defers=r"(?:proszę )?potwierdź\b|daj znać\b|jeśli się zgadzasz",
    offers=r"\b(?:czy (?:mam|mogę|chcesz)|możesz potwierdzić)\b",
    anything_else="coś jeszcze",
)

TURKISH = Language(
    announces=(
        Phrase(
            "yorum|ceğim|cağım",
            r"\b(?:arı|çağırı|çalıştırı|gönderi|kontrol edi|oku|sili|oluşturu)yorum\b|\b\w+(?:ceğim|cağım)\b",
        ),
    ),
    conditions=(
        Phrase("onay|kabul ed|izin ver", r"\b(?:onayla|kabul ed|izin ver)\w*(?:rsan|rsanız|ince)\b"),
    ),
    shows=(
        Phrase("örnek|örneğin", r"(?:\A|\n)\W*örnek(?:ler)?\b[^.:\n]{0,20}[:.]|\börneğin\W*\Z"),
        Phrase("asla|sakın", r"\b(?:asla|sakın)\b"),
    ),
    open=(Phrase("dün ", r"\bdün "),),
    takes_back=(r"(?:bunu )?(?:çalıştırma|gönderme|yapma|yok say|görmezden gel|iptal)(?:yın)?\b",),
    halts=rf"(?:(?:dur|bekle|bir dakika|hayır|pardon)\b{_STOPS})++(?:hayır|bunu|yanlış|yapma|çalıştırma)\b",
    corrects=(Phrase("düzelt", r"\bdüzeltme\b|\bdüzeltilmiş\b"),),
    leads=r"(?:ama|lütfen)\b[,.]?\s*+",
    describes=r"bu (?:çağrı|komut) \w+(?:di|dı|ti|tı)\b",
    defers=r"lütfen onayla|onaylarsan|haber ver\b",
    offers=r"\b(?:ister misin|onaylıyor musun|devam edeyim mi|çalıştırayım mı)\b",
    anything_else="başka bir",
)

ARABIC = Language(
    announces=(Phrase("سأ|سوف|الآن", r"(?:\A|\s)(?:سأ\w+|سوف)\b|\bالآن\b"),),
    conditions=(Phrase("وافقت|موافق|أكدت", r"\b(?:إذا|عندما|بعد أن)\b[^.:]{0,30}(?:وافقت|موافق|أكدت)"),),
    shows=(
        Phrase("مثال", r"(?:\A|\n)\W*مثال\b[^.:\n]{0,20}[:.]"),
        Phrase("تنفذ|تشغل|ترسل|تستخدم", r"\bلا (?:تنفذ|تشغل|ترسل|تستخدم)"),
    ),
    open=(Phrase("أمس|ربما", r"\b(?:أمس|ربما)\b"),),
    takes_back=(r"(?:تجاهل|ألغ)\w*|لا (?:تنفذ|تشغل|ترسل)\w*|(?:هذا|كان) (?:مجرد|خطأ|مثال)",),
    halts=rf"(?:(?:انتظر|مهلا|توقف|لا)\b{_STOPS})++(?:لا\b|هذا خطأ)",
    corrects=(Phrase("تصحيح", r"\bتصحيح\b"),),
    leads="",
    describes=r"هذا كان",
    defers=r"(?:من فضلك )?(?:أكد|وافق)\b|أخبرني (?:إذا|عندما)",
    offers=r"هل (?:تريد|يمكنني|أنفذ|توافق|يجب)",
    anything_else="شيء آخر",
)
