"""What the prose around a call says in nine languages: that it is being made, that it is only shown, that it is taken back.

Three lists of patterns, each asked about one or two sentences. None has to be complete: see ``prose`` for what is made of a
sentence that says nothing of either.
"""

import re

_ACTS = (
    r"(?:add|analy[sz]|appl[yi]|book|calculat|call|cancel|chang|check|clos|collect|compar|comput|convert|correct|count|creat|delet"
    r"|determin|do|download|edit|examin|execut|explor|fetch|fill|find|fix|generat|get|go|gather|inspect|install|invok|issu|list|load|look"
    r"|locat|make?|measur|modif[yi]|mov|obtain|open|order|perform|plac|play|post|proceed|provid|pull|push|put|quer[yi]|read|record|renam"
    r"|replac|request|retriev|retry|return|run|sav|schedul|search|select|send|set|solv|start|stop|stor|submit|tak|test|track"
    r"|translat|try|turn|updat|us|verif[yi]|view|writ|begin|handl|help|respond|answer|continu|reserv|navigat|click|us|ask|break)"
)
_MARKED = r"(?:tool|function|api|action|corrected|correct|final|required|necessary|needed|appropriate|right|following|suitable|relevant|first|next|second)"
_CALLED = r"(?:calls?|requests?|actions?|queries|query|answer|output|response|result|json|invocations?|functions?|tools?|arguments?|parameters|commands?|code)"

ANNOUNCES = re.compile(
    # English
    r"\bI(?:['’]ll|['’]m (?:going to|now)| will| shall| am going to| need to| have to| must| can now| can| should|['’]d like to| would like to| want to)"
    r"(?! not\b| never\b)(?: (?:now|also|then|first|just|therefore|quickly|gladly|happily|next))*+ (?:be \w+ing|not only|"
    + _ACTS
    + r")\w*"
    rf"|\b(?:I|we)(?: (?:now|also|then|first|just|therefore|next|always))*+ (?:{_ACTS}(?:e|s|y)?|need|am {_ACTS}\w*ing)\b"
    rf"|\bI['’]m (?:now |just )?{_ACTS}\w*ing\b|\blet(?: me|['’]s| us)\b(?! (?:explain|show|describe|tell|illustrate|quote))"
    r"|\bwe (?:can|need to|should|have to|must|will) (?:" + _ACTS + r")\w*"
    rf"|(?:\A|[.!?,;:—–-]\s)\W*(?:(?:now|ok|okay|sure|right|so|then|next|first|great|good|fine|alright)\b\W*)*+(?:just )?{_ACTS}\w*ing\b(?! (?:is|was|are|were|would|could|has)\b)"
    rf"|\bhere(?:['’]s| is| are) (?:the|a|an|my|your) (?:{_MARKED}[ -])*+{_CALLED}\b"
    rf"|(?:\A|\n)\W*(?:the )?(?:{_MARKED} )*+{_CALLED}\W*\Z"
    rf"|\b(?:the|these are the|this is the) (?:{_MARKED} )*+{_CALLED} (?:is|are|to (?:call|use|be called|make)|will be|for this)\b|\bthe(?:se are the)? (?:right|correct|appropriate) {_CALLED}"
    r"|(?:\A|\n)\W*(?:sure|of course|certainly|ok(?:ay)?|absolutely|yes|got it|understood|right away|one moment|no problem|good question|gladly|alright|great|done|on it|right)\b"
    r"|(?:\A|\n|[.!?]\s)\W*(?:now|next|then|first|second|secondly|finally|and|also) (?:the|for|to|on|I)\b|\bhappy to\b|\bon (?:it|my way)\b"
    rf"|\bto (?:answer|find|get|do|solve|complete|fulfil|check|determine|accomplish)[^.]*, (?:I|we|use|call|run|the following)\b|\buse the (?:following )?{_CALLED}\b|\bhere (?:it comes|we go|you go|goes)\b"
    # German
    r"|\bich (?!würde|hätte|könnte|möchte(?! jetzt)|habe|hatte|wollte|dürfte|müsste|sollte|denke|glaube|meine|zeige|empfehle|erkläre|rate|stimme|verstehe|finde(?! )|wäre|bitte)\w+e\b"
    r"|\b(?!würde|hätte|könnte|habe|hatte|wollte|denke|glaube|zeige|möchte)\w+e ich\b|\bich (?:muss|werde|will|darf)\b|\blass(?:en sie|t)? (?:mich|uns)\b"
    r"|\bhier (?:ist|sind) (?:der|die|das|mein)\b[^.]*(?:aufruf|anfrage|befehl|funktion|antwort|ergebnis|code|json|werkzeug)"
    r"|(?:\A|\n|[.!?]\s)\W*(?:nun|jetzt|gerne?|sofort|klar|natürlich|okay|gut|einen (?:moment|augenblick)|als nächstes|zuerst|zunächst|wird gemacht)\b"
    # French
    r"|\bj(?:e |['’])(?!ai\b|aurais|avais|étais|pense|crois|ne\b|n['’]|montre|explique|suggère|recommande|cite|\w+rais\b)\w+"
    r"|\b(?:laissez|laisse)-moi\b|\bvoici (?:l['’]|le |la |les )(?:\w+ )?(?:appels?|fonction|requête|commande|réponse|résultat|outil|code)"
    r"|(?:\A|\n|[.!?]\s)\W*(?:bien sûr|d['’]accord|certainement|un (?:instant|moment)|tout de suite|maintenant|volontiers|entendu|d['’]abord)\b"
    # Spanish and Portuguese
    r"|\b(?:voy a|vamos a|permítame|permíteme|déjeme|déjame|procedo|empiezo|comienzo|(?:lo|la|le|os|te) (?:hago|compruebo|busco|consulto|reviso|miro)"
    r"|compruebo|busco|consulto|llamo|leo|obtengo|ejecuto|uso|verifico|reviso|abro|envío|creo el|necesito|intento|corrijo|calculo|hago)\b"
    r"|\baquí (?:está|tiene|van?) (?:la|el|los|las|mi) (?:\w+ )?(?:llamadas?|función|solicitud|consulta|acción|respuesta|comando)"
    r"|(?:\A|\n|[.!?¡¿]\s?)\W*(?:claro|por supuesto|de acuerdo|un momento|ahora|enseguida|primero)\b"
    r"|\b(?:vou|vamos|deixe-me|verifico|chamo|procuro|obtenho|executo|aqui está (?:a|o) (?:chamada|função))\b|(?:\A|\n)\W*(?:agora|certo|um momento)\b"
    # Chinese
    r"|我(?:这就|现在|马上|来|先|会|要|将|需要|去|再|正在)(?!解释|展示|举例)|我(?:调用|查|读|获取|使用|执行|去掉|修正)|让我(?!解释|展示|举)|现在(?:就|来|我)|接下来|马上|稍等|好的|当然|没问题|正在为?|首先|下一步"
    r"|(?:这|以下|下面)是?(?:工具|函数)?(?:的)?调用(?:[：:]|\Z)|(?:\A|\n)\W*(?:工具|函数)调用|以下是(?:工具|函数)?调用"
    # Japanese
    r"|(?:確認|検索|実行|取得|調査|対応|呼び出|調べ|読み込|試|送信|作成|開|行|表示|更新|削除|計算|予約|登録|使用|使|始め|お知らせ)(?:し|い|き|み|り)?(?:てみ)?ます"
    r"|もちろん|承知|かしこまり|了解|お待ちください|(?:\A|\n)\W*(?:はい|では|それでは|すぐに|今すぐ)|(?:ツール|関数)(?:の)?呼び出し\W*\Z|しましょう"
    # Russian
    r"|(?:\A|\n|[.!?,]\s)\W*(?:я )?(?:сейчас|теперь|хорошо|конечно|минутку|секунду|давайте|позвольте|сначала|далее|затем|дальше|сразу|отлично|готово)\b"
    r"|\b(?:провер|посмотр|вызыва|вызов|ищ|найд|чита|прочита|получ|попроб|пробу|сдела|дела|запуска|запущ|запрашива|запрош|отправл|отправля|созда|откро|открыва"
    r"|использу|выполн|выполня|смотр|загружа|загруз|обновл|счита|узна|уточн|исправл|начн|начина|беру|возьм|добавл|удал|сохран)\w*[ую](?:сь)?\b|\bвот (?:вызов|запрос)\b"
    # Korean
    r"|겠습니다|할게요|호출합니다|실행합니다|확인합니다|조회합니다|(?:\A|\n)\W*(?:네|물론|지금|잠시만)",
    re.IGNORECASE,
)
"""What says that its writer makes the call now."""

SHOWS = re.compile(
    # English
    r"\b(?:I|we)(?: would|['’]d)(?! like\b| love\b)|\bwould (?:then|have|normally|usually)\b|\b(?:here|these|this|following) (?:are|is)\b[^.]{0,30}\b(?:lines|entries|excerpt|log|trace)\b"
    r"|\b(?:excerpt|transcript)\b|\b(?:log|trace|journal|history|dump)\b[^.]*\b(?:contains?|shows?|says?|reads?)\b|\b(?:contains?|shows?) (?:this|one|a) \w+"
    r"|\b(?:has|have|takes?) (?:the|this) (?:following )?(?:shape|form|format|structure|syntax)\b|\bwritten (?:like|as|so)\b|\brequests? (?:now )?(?:carry|carries|are written|looks?)\b"
    r"|\b(?:a|an|each|every|any) (?:\w+ )?(?:tool|request|call|function|action|command|message)s? (?:\w+ ){0,2}(?:is|are|has|looks?|takes?|consists?) (?!needed|required|necessary|missing)"
    r"|\b(?:must|should|may|can|is|are|shall) ?not(?: to)? be (?:executed|run|used|sent|called)\b|\bnot (?:yet )?to be (?:used|executed|run|sent)\b"
    r"|\b(?:assistant|model|agent|bot|colleague|user|customer) (?:\w+ )?(?:answered|replied|wrote|sent|said|responded|proposed)\b|\byour (?:last|previous) (?:message|answer|reply)\b|\byou (?:sent|wrote)\b(?! that)"
    r"|\b(?:request|call|command|query|line) (?:that|which) (?:failed|broke|crashed|caused)\b|\b(?:problem|error|bug|culprit|mistake) (?:is|was) (?:this|the following|here)\b|\b(?:changed|new|added|fixed) in (?:version )?v?\d"
    r"|\b(?:first draft|mock-?up|hypothetical|fictional|illustrat\w+|changelog|fixture|unit test)\b|\bI (?:ran|sent|made|executed|issued) (?:this|the following)\b|\b(?:hour|hours|day|days|minutes?|week|weeks) ago\b|\byesterday['’]s run\b"
    r"|\b(?:once|as soon as|after|when) you (?:confirm|approve|agree|say)\b|\bwaiting for your\b|\b(?:paste|type|enter) (?:this|the following|it)\b|\bif you (?:ever|want|need|like|prefer)\b"
    r"|\blooks? like (?:this|so|that|the following)\b|\b(?:never|do not|don['’]t) (?:ever )?(?:send|run|execute|use|call|write|submit)\b"
    # German
    r"|\bso aus\W*\Z|\bsieh(?:t|en) (?:\w+ ){0,5}so aus\b|\b(?:schick|send|führ|ruf|verwend|benutz|schreib|nutz)\w*\b[^.]*\b(?:nicht|niemals|nie)\b|\bhier sind (?:die )?(?:letzten|ersten) (?:\w+ )?zeilen\b"
    r"|\b(?:ich (?:würde|hätte)|(?:würde|hätte) ich)\b|\b(?:das|hier|dies) sind (?:die )?(?:letzten|ersten) zeilen\b|\bso sieht\b|\bwerden (?:jetzt |nun )?so geschrieben\b|\bnicht (?:ausführen|ausgeführt|verwenden|senden)\b"
    r"|\bhat so (?:geantwortet|geschrieben)\b|\bfehlerhafte (?:anfrage|aufruf)|\bneu in \d|\bentwurf\b|\b(?:habe ich|ich habe)\b[^.]*\b(?:ausgeführt|aufgerufen|gesendet)\b|\b(?:sobald|wenn) sie (?:\w+ )?(?:zustimm|bestätig|das|es|später)"
    # French
    r"|\bj(?:e |['’])\w+rais\b|\bvoici les (?:dernières|premières) lignes\b|\b(?:prend|prennent|ont|a) (?:la|cette) forme\b|\bressembl\w+ à\b|(?:\A\W*|[:,]\s)n(?:e |['’])(?:l['’]|l[ae]s? )?\w+(?:ez|e|s)(?:-\w+)? (?:jamais|pas)\b|\bà ne pas\b|\ba (?:répondu|échoué) ?(?:ceci|était)?\b|\bbrouillon\b|\bj['’]ai (?:exécuté|envoyé|appelé)\b|\bdès que vous\b|\bsi vous\b|\ble faire vous-même\b"
    # Spanish and Portuguese
    r"|\b(?:habría|usaría|enviaría|usaria|enviaria|teria)\b|\bestas son las (?:últimas|primeras)\b|\btienen? est[ae] (?:estructura|forma)\b|\bno (?:se )?debe\b|\bnão deve\b|\b(?:borrador|rascunho)\b|\bhacerlo usted mismo\b"
    # Chinese and Japanese
    r"|(?:结构|格式|形式|写法)(?:如下|为|是)|如下所示|(?:不要|切勿|请勿|绝不|绝不能|别)(?:再|要)?(?:发送|发出|执行|调用|使用|运行|提交)|会(?:使用|调用|发送)(?:这|以下|下)|以下是日志|本来(?:会|要)|以下是.{0,8}(?:最后|日志)|写成这样|是这样回答|失败的(?:请求|调用)|千万不要|不要(?:执行|使用)|草稿|小时前|确认(?:之)?后|如果您?(?:想|需要)|如果您以后"
    r"|次の形式|次のように(?:なり|書)|次のとおりです|(?:し|使わ|呼ば|送ら)ないでください|その場合は|はずだった|本来なら|最後の行は|書くようになり|こう答え|実行しないで|使わないで|下書き|時間前|いただけましたら|ご自身で"
    # Russian and Korean
    r"|\bя бы\b|выглядит так\b|\bвот последние\b|ответил(?:а)? так|неудачный запрос|\bнельзя\b|\bникогда не\b|\bне (?:отправл|выполн|запуск|использ|вызыва)\w*|выглядят так\b|черновик|\bчас назад\b|\bкак только вы\b|\bесли (?:вы )?захотите\b|다음과 같은 형식|하지 마|초안|로그의 마지막",
    re.IGNORECASE,
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = re.compile(
    # English
    r"\b(?:I|we|you|it|that|which|they|one)(?: would\b(?! like to)|['’]d\b(?! like to)| could\b| might\b)|\bwould(?: have)?\b(?! like to)|\bif\b|\bunless\b|\bonce (?:you|I|it|the|we|that)\b|\buntil\b|\b(?:when(?:ever)?|after|as soon as|before) (?:you|your|the user)\b"
    r"|\bwait(?:ing)? for (?:you|approval|confirmation)|\bapprov|\bpermission|\bnot allowed\b|\bconfirm|\bago\b|\byesterday|\bearlier\b|\bpreviously\b|\blast (?:time|week|night|month|year|message|run)\b"
    r"|\bI (?:already )?(?:ran|called|sent|made|issued|executed|tried)\b|\b(?:answered|replied|wrote|responded|rejected|failed with)\b"
    r"|\b(?:draft|sketch|mock-?up|hypothetical|dummy|fictional|placeholder|pseudo|illustrat\w+|documentation|changelog|protocol|fixture|unit test|spec)\b|\b(?:shape|syntax|format|structure|schema)\b|\byourself\b"
    r"|\b(?:explain|describe|show you|showing|recommend|suggest)\b|\bnot (?:yet|to be|for)\b|\bonly (?:a|an|for|to)\b|\bexample|\btest checks\b|\b(?:paste|type) (?:this|it|the)\b"
    # German
    r"|\b(?:würden?|hätten?|könnten?|wäre|falls|wenn|sobald|sofern|bevor|vorhin|gestern|bereits|früher)\b|\bvor (?:einer|einem|der|dem|zwei|drei)\b|\b(?:zustimm|genehmig|berechtig|bestätig)\w*"
    r"|\b(?:entwurf|beispiel\w*|testet?|prüft, ob|protokolls|selbst|lieber nicht|nicht ausführen)\b|\bhabe ich\b|\bich habe\b"
    # French
    r"|\bsi (?:vous|tu|on)\b|\bdès que\b|\bquand (?:vous|tu)\b|\bune fois\b|\b\w+rais\b|\bil y a\b|\b(?:d['’]hier|avant-hier|hier (?:soir|matin)|hier,)|\bdéjà\b|\bj['’]ai \w+é\b|\b(?:brouillon|exemple|autoris\w+|permission|confirm\w+|vous-même|le test)\b|\bpas\b"
    # Spanish and Portuguese
    r"|\b(?:si|cuando|una vez que|antes de que|en cuanto) (?:usted|quiere|desea|lo|la|me|tú|confirm\w*)\b|\b\w{3,}ría\b|\b(?:ayer|borrador|ejemplo|permiso|confirm\w+|usted mismo|más adelante|rascunho|exemplo|permissão|ontem)\b|\bhace (?:una?|dos)\b"
    # Chinese
    r"|如果|本来|原本|之后(?:，|我会)|以后|确认(?:之后|后)|昨天|之前|小时前|分钟前|没有权限|许可|草稿|示例|例子|例如|结构如下|格式|测试|以下是.{0,8}日志|自己|不要|千万|已经(?:调用|执行|发送)|执行了|发送了"
    # Japanese
    r"|(?:ましたら|れば|なら|場合)|はず|本来|ませんが|ないで|権限|下書き|例(?:です|えば|：)|形式|昨日|時間前|分前|ご自身|テスト|プロトコル|次のとおりです|承認"
    # Russian
    r"|\bбы\b|\bесли\b|\bкогда\b|\bкак только\b|\bвчера\b|\bназад\b|\bуже\b|\bранее\b|\b(?:черновик|пример|формат|разрешени\w*|прав)\b|\bподтверд\w*|\bтест\b|\bсами\b|\bнельзя\b|\bвот последние\b"
    # Korean
    r"|(?:하면|되면|만약)|예시|예를|형식|했습니다|초안|어제|시간 전|권한|승인",
    re.IGNORECASE,
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = re.compile(
    r"\W*(?:(?:but|however|so|and|though|please|sorry|oh|oops|no|wait|well|actually|aber|bitte|doch|mais|pero|por favor|mas|но|пожалуйста)\b[,，]?\s*+|(?:但是?|请|でも、?|しかし、?|ただし、?)\s*+)*+"
    r"(?:ignore\b|disregard\b|(?:do not|don['’]t|never) (?:actually )?(?:run|execute|send|use|call|do|submit|apply)\b|not to be (?:run|executed|used|sent)"
    r"|I (?:have no|had no|lack|can(?:no|['’])t|cannot|may not|am not (?:allowed|able|permitted|authori[sz]ed)|(?:do not|don['’]t) have (?:the )?(?:permission|access|right)|(?:did not|didn['’]t|have not|haven['’]t|won['’]t|will not) (?:run|send|sent|execute|executed|call|called|use))"
    r"|I['’]m not (?:allowed|able|permitted|authori[sz]ed)|this (?:session|account|environment) is (?:read-only|not)|nothing (?:has been|was|is|will be) (?:sent|run|executed|called|done)"
    r"|(?:that|this|it|the (?:above|call)) (?:was|is) (?:(?:only|just|merely) |an? (?:mistake|example|illustration|sketch|draft|mock|error|typo|placeholder|sample)|not (?:to be|meant|real|a real|executed|run)|wrong|what I (?:would|had)|how (?:it|one|you|a))"
    r"|ignorier\w*|(?:das |dies |es )?(?:bitte )?nicht (?:ausführen|verwenden|senden|abschicken)|(?:mir fehlt|mir fehlen|ich (?:darf|kann|habe kein))|(?:das|dies|es) (?:war|ist) (?:nur |ein (?:versehen|fehler|beispiel|entwurf|muster))"
    r"|merci de ne pas\b|ignorez\b|veuillez (?:ignorer|ne pas)|n['’]exécutez pas|ne l['’](?:exécutez|envoyez)|je n['’](?:en )?ai pas|c['’](?:était|est) (?:une erreur|seulement|juste|un exemple|un brouillon)|n['’]en tenez pas"
    r"|ign[óo]r\w+|no (?:lo|la|los|las) (?:ejecute|use|envíe|tenga)|no (?:tengo|puedo)|(?:fue|era|es) (?:un error|solo|sólo|un ejemplo|un borrador)|não (?:execute|use|envie|tenho|posso)|(?:foi|é) (?:um erro|só|apenas|um exemplo)"
    r"|(?:忽略|无视|勿|不要|别)|我(?:没有|不能|无法)|(?:那|这)(?:是个?(?:错误|例子|示例|草稿)|只是|仅)|只是|尚未(?:发送|执行)"
    r"|[^。\n]{0,12}(?:無視して|実行しない|使わない|間違いで|権限が)|(?:これは)?(?:ただの|例です|下書き)"
    r"|игнорир\w*|не (?:обращайте|выполня\w*|запуска\w*|использ\w*|отправля\w*)|у меня нет|я не могу|это (?:была ошибка|только|лишь|просто|пример|черновик)"
    r"|[^.\n]{0,12}(?:무시|실행하지|하지 마)|(?:실수|예시)입니다|권한이 없)",
    re.IGNORECASE,
)
"""What takes a call back that it follows."""

ASKS = re.compile(
    r"(?!\s*+[^.!?？。\n]*(?:anything else|something else|any other|sonst noch|noch etwas|autre chose|algo más|其他|还有什么|ほかに|他に|ещё что|что-нибудь ещё|mais alguma|else))"
    r"\s*+(?:[^.!?？。\n]{0,160}[?？]|[^.!?？。\n]{0,80}か。)",
    re.IGNORECASE,
)
"""A question as the first sentence behind a call."""

CORRECTS = re.compile(
    r"\b(?:corrected|fixed|revised|updated|right|proper) (?:\w+ )?(?:call|version|one|json|request|command|query|arguments|form)\b|\bcorrection\b|\blet me (?:correct|fix|redo|rewrite)\b|\b(?:sorry|oops|apologies|my mistake|wait|actually)\b[^\n]{0,60}\b(?:meant|should|correct|right|wrong|instead)\b"
    r"|\b(?:that|this|it) (?:was|is) (?:wrong|incorrect|a mistake)\b|\bI (?:meant|made a mistake)\b"
    r"|\b(?:korrigierte?[rns]?|verbesserte?[rns]?|richtige?[rns]?) (?:\w+ )?(?:aufruf|fassung|version|anfrage)|\bkorrektur\b|\b(?:entschuldigung|verzeihung)\b|\bich meinte\b"
    r"|\b(?:appel|version|requête) corrigée?|\bcorrection\b|\b(?:pardon|désolée?)\b|\bje voulais dire\b"
    r"|\b(?:llamada|versión|solicitud) (?:corregida|correcta)|\bcorrección\b|\b(?:perdón|disculpe)\b|\b(?:chamada|versão) corrigida|\bcorreção\b"
    r"|更正|修正(?:后|版|的)|改正|正确的(?:调用|版本)|我(?:写|弄|搞)错了|訂正|修正(?:版|した)|正しい呼び出し|間違え|исправленн|правильный (?:вызов|вариант)|исправление|\bизвините\b|수정(?:된|한)|정정",
    re.IGNORECASE,
)
"""What says between two calls that the second one stands for the first."""
