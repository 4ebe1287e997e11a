"""What the prose around a call says, in Spanish and Portuguese, which share many of these words; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase(
        "abro|busco|calculo|comienzo|compruebo|consulto|corrijo|creo el|déjame|déjeme|ejecuto|empiezo|envío|hago|intento|leo|llamo|miro|necesito|obtengo|permítame|permíteme|procedo|reviso|tengo que|uso|vamos a|verifico|voy a",
        r"\b(?:voy a|vamos a|permítame|permíteme|déjeme|déjame|procedo|empiezo|comienzo|tengo que|(?:lo|la|le|os|te) (?:hago|compruebo|busco|consulto|reviso|miro)|compruebo|busco|consulto|llamo|leo|obtengo|ejecuto|uso|verifico|reviso|abro|envío|creo el|necesito|intento|corrijo|calculo|hago)\b",
    ),
    Phrase(
        "aquí está |aquí tiene |aquí va |aquí van ",
        r"\baquí (?:está|tiene|van?) (?:la|el|los|las|mi) (?:\w+ )?(?:llamadas?|función|solicitud|consulta|acción|respuesta|comando)",
    ),
    Phrase(
        "ahora|claro|de acuerdo|enseguida|entendido|paso |por supuesto|primero|próximo paso|siguiente paso|un momento",
        r"(?:\A|\n|[.!?¡¿]\s?)\W*(?:claro|por supuesto|de acuerdo|un momento|ahora|enseguida|entendido|primero|(?:siguiente|próximo) paso|paso \d++)\b",
    ),
    Phrase(
        "aqui está a chamada|aqui está a função|aqui está o chamada|aqui está o função|chamo|deixe-me|executo|obtenho|procuro|vamos|verifico|vou",
        r"\b(?:vou|vamos|deixe-me|verifico|chamo|procuro|obtenho|executo|aqui está (?:a|o) (?:chamada|função))\b",
    ),
    Phrase(
        "agora|certo|entendi|passo |primeiro|próximo passo|um momento",
        r"(?:\A|\n|[.!?]\s)\W*(?:agora|certo|entendi|primeiro|próximo passo|passo \d++|um momento)\b",
    ),
    Phrase(
        "buscando|consultando|executando|obtendo|preciso|verificando",
        r"\b(?:preciso|(?:\A|\n|[.!?]\s|estou )\W*(?:buscando|consultando|executando|obtendo|verificando))\b",
    ),
)
"""What says that its writer makes the call now."""

CONDITIONS = (
    Phrase(
        "tuviera|pudiera|fuera|tuviese|tivesse|pudesse|fosse",
        r"\b(?:si|se) (?:yo |eu )?(?:tuviera|pudiera|fuera|tuviese|tivesse|pudesse|fosse)\b",
    ),
)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase(
        "ejercicio|exercício|lección|lição",
        r"(?:\A|\n)\W*(?:ejercicio|exercício|lección|lição)\b[^.:\n]{0,20}[:.]",
    ),
    Phrase(
        "enviaria|enviaría|habría|teria|usaria|usaría",
        r"\b(?:habría|usaría|enviaría|usaria|enviaria|teria)\b",
    ),
    Phrase("estas son las primeras|estas son las últimas", r"\bestas son las (?:últimas|primeras)\b"),
    Phrase("tiene", r"\btienen? est[ae] (?:estructura|forma)\b"),
    Phrase("no debe|no se debe", r"\bno (?:se )?debe\b"),
    Phrase("não deve", r"\bnão deve\b"),
    Phrase(
        "jamais |no |nunca |não ",
        r"(?:\A|\n|[:,.!¡]\s)\W*(?:por favor,? )?(?:no|não|nunca|jamais) (?:l[aeo]s? |[ao]s? )?(?:ejecut|execut|envi|us|llam|cham)(?:es?|en?|éis)\b",
    ),
    Phrase("borrador|rascunho", r"\b(?:borrador|rascunho)\b"),
    Phrase("hacerlo usted mismo", r"\bhacerlo usted mismo\b"),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase(
        "antes de que |cuando |en cuanto |si |una vez que ",
        r"\b(?:si|cuando|una vez que|antes de que|en cuanto) (?:usted|quiere|desea|lo|la|me|tú|confirm\w*)\b",
    ),
    Phrase("ría", r"\b\w{3,}ría\b"),
    Phrase(
        "ayer|borrador|confirm|ejemplo|exemplo|más adelante|ontem|permiso|permissão|rascunho|usted mismo",
        r"\b(?:ayer|borrador|ejemplo|permiso|confirm\w+|usted mismo|más adelante|rascunho|exemplo|permissão|ontem)\b",
    ),
    Phrase("hace dos|hace un", r"\bhace (?:una?|dos)\b"),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (
    r"ign[óo]r\w+",
    "no (?:lo|la|los|las) (?:ejecute|use|envíe|tenga)",
    "no (?:tengo|puedo)",
    "(?:fue|era|es) (?:un error|solo|sólo|un ejemplo|un borrador)",
    "não (?:execute|use|envie|tenho|posso)",
    "(?:foi|é|era) (?:um erro|só|apenas|um exemplo|um engano|uma ilustração)",
    r"(?:olvid|descart|cancel|anul)\w+|(?:esque[çc]|desconsider)\w+",
    r"no (?:lo|la|los|las) (?:ejecut|env|us)\w+|não (?:(?:o|a) )?(?:execut|envi|us)\w+|(?:mejor|melhor) (?:no|não)\b",
    "(?:fue|era|es) (?:una ilustración|simplemente|la equivocada)",
)
"""What takes a call back that it follows."""

CORRECTS = (
    Phrase(
        "llamada correcta|llamada corregida|solicitud correcta|solicitud corregida|versión correcta|versión corregida",
        r"\b(?:llamada|versión|solicitud) (?:corregida|correcta)",
    ),
    Phrase("corrección", r"\bcorrección\b"),
    Phrase("disculpe|perdón", r"\b(?:perdón|disculpe)\b"),
    Phrase("chamada corrigida|versão corrigida", r"\b(?:chamada|versão) corrigida"),
    Phrase("correção", r"\bcorreção\b"),
)
"""What says between two calls that the second one stands for the first."""

LEADS = r"(?:pero|por favor|mas)\b[,，]?\s*+"
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:es[oa]|est[oe]|est[ae] (?:llamada|línea|solicitud)|la llamada anterior|isso|isto|ess[ea] (?:chamada|linha)) (?:es|era|fue|fueron|é|foi|está|estaba|viene|veio|falló|falhou|mostra|muestra)\b(?! (?:necesari|necessári|todo|tudo|lo primero))"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"(?:por favor,? )?(?:confirm[ae]|confirme)\b|(?:si|se|cuando|quando|en cuanto) (?:usted|você|tú|quiere|quieres|quiser|está de acuerdo|concorda)|(?:dime|dígame|avísame|me avise|me diga)\b|(?:espero|aguardo) (?:tu|su|sua)"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = r"\b(?:quieres? que|desea que|debo|puedo|le gustaría|te gustaría|quer que|deseja que|devo|posso|gostaria que)\b"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = "algo más|mais alguma"
"""What makes a question one about something else than the call."""
