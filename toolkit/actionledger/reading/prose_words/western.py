"""What the prose around a call says, in French, German, and in Spanish and Portuguese, which share many of these words."""

from actionledger.reading.prose_words.phrases import Language, Phrase

FRENCH = Language(
    announces=(
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
    ),
    conditions=(
        Phrase(
            "accord|approuv|autoris|confirm|valid",
            r"\b(?:si|dès que|quand|lorsque|une fois que) (?:vous|tu|l['’]utilisateur)\b[^.:]{0,40}(?:accord|approuv|autoris|confirm|valid)",
        ),
        Phrase(
            "si j'|si j’|si je|si nous",
            r"\bsi (?:j['’]|je |nous )(?:\w+ )?(?:avais|étais|pouvais|avions|étions|pouvions)\b",
        ),
    ),
    shows=(
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
            r"(?:\A\W*|[:,]\s)n(?:e |['’])(?:l['’]|l[ae]s? )?\w+(?:ez|e|s)(?:-\w+)? (?:surtout |absolument )?(?:jamais|pas)\b",
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
    ),
    open=(
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
    ),
    takes_back=(
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
    ),
    halts=r"(?:(?:attend(?:ez|s)|oups|stop|euh|zut|mince)\b[,.!…\s—–-]*+)++(?:non\b|erreur\b|mauvaise?\b|ne\b|n['’]|c['’]est (?:faux|une erreur|l[ea] mauvaise?)\b)|non\b[,.!…\s—–-]*+(?:attend(?:ez|s)|ne\b|n['’]|pas\b|ce n['’])",
    corrects=(
        Phrase("appel corrigé|requête corrigé|version corrigé", r"\b(?:appel|version|requête) corrigée?"),
        Phrase("correction", r"\bcorrection\b"),
        Phrase("désolé|pardon", r"\b(?:pardon|désolée?)\b"),
        Phrase("je voulais dire", r"\bje voulais dire\b"),
    ),
    leads=r"mais\b[,，]?\s*+",
    describes=r"(?:c['’](?:est|était)|ceci (?:est|était)|cela (?:est|était)|voilà (?:ce|comment)|cet appel|cette (?:requête|ligne)|l['’]appel ci-dessus)\b(?! (?:nécessaire|tout|la première|le premier|parti))",
    defers=r"(?:veuillez|merci de) (?:confirmer|valider)|confirme[zr]?\b|(?:si|dès que|quand) (?:vous|tu)\b|dites-moi|j['’]attends (?:votre|ta)",
    offers=r"\b(?:voulez-vous|veux-tu|souhaitez-vous|dois-je|puis-je|est-ce que je (?:dois|peux)|faut-il)\b",
    anything_else="autre chose|aussi une?\\b|en savoir plus",
)

GERMAN = Language(
    announces=(
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
    ),
    conditions=(
        Phrase(
            "wenn ich|falls ich|hätte ich|dürfte ich|könnte ich",
            r"\b(?:wenn|falls) ich (?:\w+ ){0,3}(?:hätte|dürfte|könnte)\b|(?:\A|\n|[.!?]\s)\W*(?:hätte|dürfte|könnte) ich\b",
        ),
        Phrase(
            "sobald|wenn|falls|sofern",
            r"\b(?:sobald|wenn|falls|sofern) (?:du|sie|ihr|der nutzer|die nutzerin)\b[^.:]{0,40}(?:zustimm|bestätig|erlaub|einverstanden|freigeb|freigib|möcht|will)",
        ),
    ),
    shows=(
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
        Phrase(
            "ersten zeilen|letzten zeilen", r"\b(?:das|hier|dies) sind (?:die )?(?:letzten|ersten) zeilen\b"
        ),
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
        Phrase(
            "auf keinen fall|keinesfalls|unter keinen umständen",
            r"\b(?:auf keinen fall|keinesfalls|unter keinen umständen)\b",
        ),
        Phrase("habe ich|ich habe", r"\b(?:habe ich|ich habe)\b[^.]*\b(?:ausgeführt|aufgerufen|gesendet)\b"),
        Phrase("sobald sie |wenn sie ", r"\b(?:sobald|wenn) sie (?:\w+ )?(?:zustimm|bestätig|das|es|später)"),
    ),
    open=(
        Phrase(
            "bereits|bevor|falls|früher|gestern|hätte|könnte|sobald|sofern|vorhin|wenn|wäre|würde",
            r"\b(?:würden?|hätten?|könnten?|wäre|falls|wenn|sobald|sofern|bevor|vorhin|gestern|bereits|früher)\b",
        ),
        Phrase(
            "vor dem|vor der|vor drei|vor einem|vor einer|vor zwei",
            r"\bvor (?:einer|einem|der|dem|zwei|drei)\b",
        ),
        Phrase("berechtig|bestätig|genehmig|zustimm", r"\b(?:zustimm|genehmig|berechtig|bestätig)\w*"),
        Phrase(
            "beispiel|entwurf|lieber nicht|nicht ausführen|protokolls|prüft, ob|selbst|teste",
            r"\b(?:entwurf|beispiel\w*|testet?|prüft, ob|protokolls|selbst|lieber nicht|nicht ausführen)\b",
        ),
        Phrase("habe ich", r"\bhabe ich\b"),
        Phrase("ich habe", r"\bich habe\b"),
    ),
    takes_back=(
        r"ignorier\w*",
        r"das (?:sollte|darf|dürfte) ich (?:\w+ )?nicht\b",
        "(?:das |dies |es )?(?:bitte )?nicht (?:ausführen|verwenden|senden|abschicken)",
        "(?:mir fehlt|mir fehlen|ich (?:darf|kann|habe kein))",
        "(?:das|dies|es) (?:war|ist) (?:nur |bloß |lediglich |falsch|das falsche|ein (?:versehen|fehler|beispiel|entwurf|muster))",
        r"(?:vergiss|vergessen sie|streich\w*|verwirf|verwerfen sie) (?:das|dies|es|den|die)\b",
        r"doch nicht\b|lieber nicht\b|nicht (?:wirklich )?(?:ausgeführt|gesendet)\b|nur zur (?:veranschaulichung|ansicht|illustration)",
        r"ich (?:führe|sende|schicke|rufe) (?:das|dies|es) (?:\w+ )?nicht\b",
    ),
    halts=(
        r"(?:(?:moment(?: mal)?|halt|stopp?|warten? ?(?:sie)?|ach|oh|ups|hoppla|sorry)\b[,.!…\s—–-]*+)++(?:nein\b|doch nicht\b|das (?:ist|war|wäre) (?:falsch|nicht|ein)\b|falsche?[rsn]?\b|verkehrt|(?:ein )?(?:fehler|irrtum|versehen)\b)"
        r"|nein\b[,.!…\s—–-]*+(?:warte|halt|stopp?|moment|doch nicht|das (?:ist|war|wäre) (?:falsch|nicht))\b"
    ),
    corrects=(
        Phrase(
            "korrigiert|richtig|verbessert",
            r"\b(?:korrigierte?[rns]?|verbesserte?[rns]?|richtige?[rns]?) (?:\w+ )?(?:aufruf|fassung|version|anfrage)",
        ),
        Phrase("korrektur", r"\bkorrektur\b"),
        Phrase("entschuldigung|verzeihung", r"\b(?:entschuldigung|verzeihung)\b"),
        Phrase("ich meinte", r"\bich meinte\b"),
    ),
    leads=r"(?:aber|bitte|doch|nein|warte|halt)\b[,，.!]?\s*+",
    describes=r"(?:das|dies|es|so|dieser (?:aufruf|befehl)|diese (?:anfrage|zeile)|der (?:obige|letzte) \\w+) (?:ist|war|waren|stammt|kommt|kam|stand|steht|hat|zeigt|sah|schlug)\b(?! (?:nötig|notwendig|alles|der erste|mein))|(?:war|waren|wurde) (?:falsch|ein|nicht|nur)\b|(?:aufgerufen|ausgeführt|geschickt|gesendet)\b",
    defers=r"bitte (?:bestätig|gib|geben|sag|prüf)\\w*|(?:wenn|falls|sobald) (?:du|sie|ihr)\b|sag(?:en sie)? (?:mir )?bescheid|ich warte auf (?:deine|ihre)",
    offers=r"\b(?:soll(?:te)? ich|darf ich|möchten sie|möchtest du|wollen sie|willst du|kann ich)\b",
    anything_else="sonst noch|noch etwas|noch ein|auch ein|mehr (?:erfahren|wissen)",
)

SPANISH = Language(
    announces=(
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
    ),
    conditions=(
        Phrase(
            "acordo|acuerdo|aprov|aprueb|autoriz|concord|confirm",
            r"\b(?:si|se|cuando|quando|caso|una vez que)\b[^.:,]{0,30}(?:de acordo|de acuerdo|aprov|aprueb|autoriz|concord|confirm)",
        ),
        Phrase(
            "tuviera|pudiera|fuera|tuviese|tivesse|pudesse|fosse",
            r"\b(?:si|se) (?:yo |eu )?(?:tuviera|pudiera|fuera|tuviese|tivesse|pudesse|fosse)\b",
        ),
    ),
    shows=(
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
        Phrase("ejemplo|exemplo", r"(?:\A|\n)\W*(?:ejemplo|exemplo)s?\b[^.:\n]{0,20}[:.]\W*\Z"),
        Phrase("hacerlo usted mismo", r"\bhacerlo usted mismo\b"),
    ),
    open=(
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
    ),
    takes_back=(
        r"ign[óo]r\w+",
        "no (?:lo|la|los|las) (?:ejecute|use|envíe|tenga)",
        "no (?:tengo|puedo)",
        "(?:fue|era|es) (?:un error|solo|sólo|un ejemplo|un borrador)",
        "não (?:execute|use|envie|tenho|posso)",
        "(?:foi|é|era) (?:um erro|só|apenas|um exemplo|um engano|uma ilustração)",
        r"(?:olvid|descart|cancel|anul)\w+|(?:esque[çc]|desconsider)\w+",
        r"no (?:lo|la|los|las) (?:ejecut|env|us)\w+|não (?:(?:o|a) )?(?:execut|envi|us)\w+|(?:mejor|melhor) (?:no|não)\b",
        "(?:fue|era|es) (?:una ilustración|simplemente|la equivocada)",
    ),
    halts=(
        r"(?:(?:esper[ae]|un momento|um momento|ups|uy|perd[óo]n|ops)\b[,.!…\s—–-]*+)++(?:(?:mejor |melhor )?(?:no|não)|erro|error|es[ot]o est[áa] mal|isso está errado)\b|(?:no|não)\b[,.!…\s—–-]++(?:espere?|espera|mejor no|melhor não)\b"
    ),
    corrects=(
        Phrase(
            "llamada correcta|llamada corregida|solicitud correcta|solicitud corregida|versión correcta|versión corregida",
            r"\b(?:llamada|versión|solicitud) (?:corregida|correcta)",
        ),
        Phrase("corrección", r"\bcorrección\b"),
        Phrase("disculpe|perdón", r"\b(?:perdón|disculpe)\b"),
        Phrase("chamada corrigida|versão corrigida", r"\b(?:chamada|versão) corrigida"),
        Phrase("correção", r"\bcorreção\b"),
    ),
    leads=r"(?:pero|por favor|mas)\b[,，]?\s*+",
    describes=r"(?:es[oa]|est[oe]|est[ae] (?:llamada|línea|solicitud)|la llamada anterior|isso|isto|ess[ea] (?:chamada|linha)) (?:es|era|fue|fueron|é|foi|está|estaba|viene|veio|falló|falhou|mostra|muestra)\b(?! (?:necesari|necessári|todo|tudo|lo primero))",
    defers=r"(?:por favor,? )?(?:confirm[ae]|confirme)\b|(?:si|se|cuando|quando|en cuanto) (?:usted|você|tú|quiere|quieres|quiser|está de acuerdo|concorda)|(?:dime|dígame|avísame|me avise|me diga)\b|(?:espero|aguardo) (?:tu|su|sua)",
    offers=r"\b(?:quieres? que|desea que|debo|puedo|le gustaría|procedo|te gustaría|quer que|deseja que|devo|posso|gostaria que)\b",
    anything_else="algo más|mais alguma|también una?\\b|saber más",
)
