"""Prose in nine languages around a call, ``…``: in which nothing is meant to run, and in which the call is meant.

A third of the kinds is held out: nobody looks at how they are read while building, and both figures are reported.
"""

from typing import NamedTuple


class Prose(NamedTuple):
    """Texts of one kind."""

    kind: str  # what their writer does
    texts: tuple[str, ...]  # each with `…` where the call stands


SHOWN: tuple[Prose, ...] = (
    Prose(
        "documents the format",
        (
            "The agent speaks JSON. A request to it has the following shape:\n\n…\n\nEvery field is required.",
            "## Calling a tool\n\nA tool is called with its name and its arguments:\n\n…",
            "So sieht ein Aufruf in unserem Protokoll aus:\n\n…\n\nAlle Felder sind Pflicht.",
            "Un appel d'outil dans ce protocole prend la forme suivante :\n\n…\n\nTous les champs sont obligatoires.",
            "本协议中工具调用的结构如下：\n\n…\n\n所有字段都是必填的。",
            "このプロトコルでは、ツール呼び出しは次の形式になります。\n\n…\n\nすべてのフィールドは必須です。",
            "Вызов инструмента в этом протоколе выглядит так:\n\n…\n\nВсе поля обязательны.",
            "Una llamada en este protocolo tiene esta estructura:\n\n…\n\nTodos los campos son obligatorios.",
            "이 프로토콜에서 도구 호출은 다음과 같은 형식입니다:\n\n…\n\n모든 필드는 필수입니다.",
        ),
    ),
    Prose(
        "would call, but may not",
        (
            "I would then use this:\n\n…\n\nbut I have no permission to do so.",
            "With write access I would send\n\n…\n\nbut this session is read-only.",
            "Ich würde dann dies benutzen:\n\n…\n\nAber mir fehlt die Berechtigung.",
            "J'utiliserais alors ceci :\n\n…\n\nmais je n'en ai pas le droit.",
            "我本来会使用这个：\n\n…\n\n但是我没有权限。",
            "本来なら次のように呼び出しますが、権限がありません。\n\n…",
            "Я бы использовал это:\n\n…\n\nно у меня нет прав.",
            "Eu usaria isto:\n\n…\n\nmas não tenho permissão.",
        ),
    ),
    Prose(
        "quotes a log",
        (
            "Here are the last lines of the log:\n\n…\n\nAfter that the process stopped.",
            "The trace of yesterday's run contains this request:\n\n…",
            "Das sind die letzten Zeilen des Protokolls:\n\n…\n\nDanach brach der Prozess ab.",
            "Voici les dernières lignes du journal :\n\n…\n\nEnsuite le processus s'est arrêté.",
            "以下是日志的最后几行：\n\n…\n\n之后进程就停止了。",
            "ログの最後の行は次のとおりです。\n\n…\n\nその後プロセスは停止しました。",
            "Вот последние строки журнала:\n\n…\n\nПосле этого процесс остановился.",
            "Estas son las últimas líneas del registro:\n\n…\n\nDespués el proceso se detuvo.",
        ),
    ),
    Prose(
        "takes it back",
        (
            "…\n\nPlease ignore it, that was a mistake.",
            "…\n\nDo not run that, I only wanted to see how it looks.",
            "…\n\nBitte ignorieren Sie das, es war ein Versehen.",
            "…\n\nMerci de ne pas en tenir compte, c'était une erreur.",
            "…\n\n请忽略上面的内容，那是个错误。",
            "…\n\n上記は無視してください。間違いでした。",
            "…\n\nПожалуйста, не обращайте на это внимания, это была ошибка.",
            "…\n\nPor favor, ignórelo, fue un error.",
        ),
    ),
    Prose(
        "forbids it",
        (
            "Whatever happens, this must not be executed:\n\n…",
            "Das hier bitte nicht ausführen:\n\n…",
            "À ne pas exécuter :\n\n…",
            "下面这个千万不要执行：\n\n…",
            "次のものは実行しないでください。\n\n…",
            "Это выполнять нельзя:\n\n…",
            "Isto não deve ser executado:\n\n…",
        ),
    ),
    Prose(
        "says what it would have sent",
        (
            "This is what I would have sent:\n\n…",
            "Das hätte ich geschickt:\n\n…",
            "Voilà ce que j'aurais envoyé :\n\n…",
            "这就是我本来要发送的内容：\n\n…",
            "私が送るはずだったのはこれです。\n\n…",
            "Вот что я бы отправил:\n\n…",
            "Esto es lo que habría enviado:\n\n…",
        ),
    ),
    Prose(
        "writes a changelog",
        (
            "Changed in 2.1: requests now carry their arguments as an object, as in\n\n…\n\nClients of 2.0 keep working.",
            "### 2.1.0\n\n- Requests are written like this now:\n\n…\n\n- Timeouts are configurable.",
            "Neu in 2.1: Anfragen werden jetzt so geschrieben:\n\n…\n\nÄltere Clients laufen weiter.",
            "2.1 版本变更：请求现在写成这样：\n\n…\n\n旧客户端仍可使用。",
            "2.1 の変更点：リクエストは次のように書くようになりました。\n\n…",
        ),
    ),
    Prose(
        "quotes another's message",
        (
            "The other assistant answered with this:\n\n…\n\nI don't agree with it.",
            "In your last message you sent me:\n\n…\n\nWhat did you want to achieve?",
            "Der andere Assistent hat so geantwortet:\n\n…\n\nIch stimme ihm nicht zu.",
            "L'autre assistant a répondu ceci :\n\n…\n\nJe ne suis pas d'accord.",
            "另一个助手是这样回答的：\n\n…\n\n我不同意。",
            "別のアシスタントはこう答えました。\n\n…\n\n私は同意しません。",
            "Другой ассистент ответил так:\n\n…\n\nЯ с этим не согласен.",
        ),
    ),
    Prose(
        "explains a mistake",
        (
            "The request that failed was:\n\n…\n\nThe server rejected it because a field is unknown.",
            "The problem is this line:\n\n…\n\nIt should not be in the file at all.",
            "Die fehlerhafte Anfrage war:\n\n…\n\nDer Server hat sie abgelehnt.",
            "La requête qui a échoué était :\n\n…\n\nLe serveur l'a refusée.",
            "失败的请求是：\n\n…\n\n服务器拒绝了它。",
            "Неудачный запрос был таким:\n\n…\n\nСервер его отклонил.",
        ),
    ),
    Prose(
        "held out: teaches the user",
        (
            "If you ever need it, the command for that is\n\n…\n\nand you type it in the console.",
            "To do this on your machine, paste this into the tool's window:\n\n…",
            "Wenn Sie das später selbst tun wollen, geben Sie Folgendes ein:\n\n…",
            "Pour le faire vous-même plus tard, saisissez ceci :\n\n…",
            "如果您以后想自己做，请输入：\n\n…",
            "後でご自身で行う場合は、次のように入力してください。\n\n…",
            "Если захотите сделать это сами, введите следующее:\n\n…",
            "Si más adelante quiere hacerlo usted mismo, escriba esto:\n\n…",
        ),
    ),
    Prose(
        "held out: tells what was done",
        (
            "An hour ago I ran this:\n\n…\n\nIt returned nothing.",
            "That was the call I made before the restart:\n\n…\n\nSince then everything is fine.",
            "Vor einer Stunde habe ich dies ausgeführt:\n\n…\n\nEs kam nichts zurück.",
            "Il y a une heure, j'ai exécuté ceci :\n\n…\n\nRien n'est revenu.",
            "一小时前我执行了这个：\n\n…\n\n没有返回任何结果。",
            "1時間前にこれを実行しました。\n\n…\n\n何も返ってきませんでした。",
            "Час назад я выполнил это:\n\n…\n\nНичего не вернулось.",
        ),
    ),
    Prose(
        "held out: waits for a word",
        (
            "Once you confirm, I will send the following:\n\n…\n\nIs that all right?",
            "This is ready to be sent, but I am waiting for your approval:\n\n…",
            "Sobald Sie zustimmen, sende ich Folgendes:\n\n…\n\nIst das in Ordnung?",
            "Dès que vous confirmez, j'enverrai ceci :\n\n…\n\nCela vous convient-il ?",
            "您确认之后，我会发送以下内容：\n\n…\n\n可以吗？",
            "ご確認いただけましたら、次の内容を送信します。\n\n…\n\nよろしいですか？",
            "Как только вы подтвердите, я отправлю следующее:\n\n…\n\nВас это устраивает?",
        ),
    ),
    Prose(
        "held out: describes a test",
        (
            "The unit test checks that the parser accepts\n\n…\n\nand rejects everything else.",
            "Our fixture contains one request:\n\n…\n\nThe expected answer is in the next file.",
            "Der Test prüft, ob der Parser dies annimmt:\n\n…\n\nAlles andere lehnt er ab.",
            "单元测试检查解析器是否接受：\n\n…\n\n其他都会被拒绝。",
            "Le test vérifie que l'analyseur accepte :\n\n…\n\net refuse tout le reste.",
        ),
    ),
    Prose(
        "held out: is only a draft",
        (
            "A first draft, not to be used yet:\n\n…",
            "…\n\nThis is only a sketch; nothing has been sent.",
            "Nur ein Entwurf, noch nicht verwenden:\n\n…",
            "Seulement un brouillon, à ne pas utiliser pour l'instant :\n\n…",
            "这只是草稿，暂时不要使用：\n\n…",
            "これは下書きです。まだ使わないでください。\n\n…",
            "Это только черновик, пока не используйте:\n\n…",
        ),
    ),
)

MEANT: tuple[Prose, ...] = (
    Prose(
        "announces it",
        (
            "I'll look it up now:\n\n…",
            "Let me check.\n\n…",
            "Sure, doing that now.\n\n…",
            "Ich sehe jetzt nach:\n\n…",
            "Einen Moment, ich prüfe das.\n\n…",
            "Je vérifie tout de suite :\n\n…",
            "Laissez-moi regarder.\n\n…",
            "我来查一下：\n\n…",
            "好的，我现在就查询。\n\n…",
            "確認します。\n\n…",
            "今すぐ調べます：\n\n…",
            "Сейчас проверю:\n\n…",
            "Хорошо, я посмотрю.\n\n…",
            "Lo compruebo ahora:\n\n…",
            "Vou verificar agora:\n\n…",
            "지금 확인하겠습니다:\n\n…",
        ),
    ),
    Prose(
        "says why",
        (
            "To answer that I need the current value, so I call the tool:\n\n…",
            "The file has to be read first. I'll do that.\n\n…",
            "The last attempt failed because the name was wrong. Trying again with the right one:\n\n…",
            "Um das zu beantworten, brauche ich den aktuellen Wert. Ich rufe das Werkzeug auf:\n\n…",
            "Pour répondre, il me faut la valeur actuelle. J'appelle l'outil :\n\n…",
            "要回答这个问题，我需要当前的数值，所以我调用工具：\n\n…",
            "お答えするには現在の値が必要なので、ツールを呼び出します。\n\n…",
            "Чтобы ответить, мне нужно текущее значение, поэтому я вызываю инструмент:\n\n…",
            "Para responder necesito el valor actual, así que llamo a la herramienta:\n\n…",
        ),
    ),
    Prose(
        "says what comes next",
        (
            "…\n\nI'll tell you as soon as the result is there.",
            "…\n\nThen I will summarise the answer for you.",
            "…\n\nIch melde mich, sobald das Ergebnis da ist.",
            "…\n\nJe reviens vers vous dès que j'ai le résultat.",
            "…\n\n有了结果我会马上告诉您。",
            "…\n\n結果が出次第お知らせします。",
            "…\n\nКак только будет результат, я сообщу.",
            "…\n\nEn cuanto tenga el resultado se lo digo.",
        ),
    ),
    Prose(
        "names the call",
        (
            "Here is the tool call:\n\n…",
            "Calling the function with these arguments:\n\n…",
            "Hier ist der Aufruf:\n\n…",
            "Voici l'appel :\n\n…",
            "以下是工具调用：\n\n…",
            "ツール呼び出し：\n\n…",
            "Вызываю функцию:\n\n…",
            "Aquí está la llamada:\n\n…",
        ),
    ),
    Prose(
        "goes on with its work",
        (
            "The first step is done. Next I read the configuration:\n\n…",
            "Good, that worked. Now the second city:\n\n…",
            "Der erste Schritt ist fertig. Als Nächstes lese ich die Konfiguration:\n\n…",
            "La première étape est terminée. Je lis maintenant la configuration :\n\n…",
            "第一步完成了。接下来我读取配置：\n\n…",
            "最初の手順は完了しました。次に設定を読み込みます。\n\n…",
            "Первый шаг готов. Теперь читаю настройки:\n\n…",
        ),
    ),
    Prose(
        "answers politely",
        (
            "Of course! I'm happy to help with that.\n\n…",
            "Good question, I'll find out for you.\n\n…",
            "Gerne! Ich finde das für Sie heraus.\n\n…",
            "Bien sûr, je m'en occupe.\n\n…",
            "当然可以，我马上处理。\n\n…",
            "もちろんです。すぐに対応します。\n\n…",
            "Конечно, сейчас сделаю.\n\n…",
            "Claro, ahora mismo lo hago.\n\n…",
        ),
    ),
    Prose(
        "does what it was asked",
        (
            "You asked for the log of yesterday; here it comes.\n\n…",
            "As you wrote, the name was wrong. I correct it:\n\n…",
            "Wie gewünscht frage ich den Wert noch einmal ab:\n\n…",
            "Comme demandé, je relance la recherche :\n\n…",
            "按照您的要求，我再查一次：\n\n…",
            "ご要望どおり、もう一度検索します。\n\n…",
            "Как вы просили, ищу ещё раз:\n\n…",
            "Como pidió, busco otra vez:\n\n…",
        ),
    ),
    Prose(
        "held out: speaks of its plan",
        (
            "Plan: read the value, then compare it. Starting with the value:\n\n…",
            "First things first, I fetch the data.\n\n…",
            "Zuerst hole ich die Daten.\n\n…",
            "Je commence par récupérer les données.\n\n…",
            "首先我获取数据。\n\n…",
            "まずデータを取得します。\n\n…",
            "Сначала получу данные.\n\n…",
            "Primero obtengo los datos.\n\n…",
        ),
    ),
    Prose(
        "held out: speaks of the log that it reads",
        (
            "The log may tell us more, so I open it:\n\n…",
            "I'm going to look at the last lines of the log:\n\n…",
            "Das Protokoll hilft sicher weiter, ich öffne es:\n\n…",
            "Je vais regarder les dernières lignes du journal :\n\n…",
            "我来看一下日志的最后几行：\n\n…",
            "ログの最後の行を確認します。\n\n…",
            "Посмотрю последние строки журнала:\n\n…",
        ),
    ),
    Prose(
        "held out: is short",
        (
            "Right away:\n\n…",
            "One moment.\n\n…",
            "Sofort:\n\n…",
            "Un instant.\n\n…",
            "稍等。\n\n…",
            "少々お待ちください。\n\n…",
            "Минутку.\n\n…",
            "Un momento.\n\n…",
        ),
    ),
    Prose(
        "held out: has heard an error",
        (
            "Sorry about that, I'll use the other name this time.\n\n…",
            "That didn't work, so I'm trying it without the filter:\n\n…",
            "Das hat nicht geklappt, ich versuche es ohne Filter:\n\n…",
            "Cela n'a pas marché, j'essaie sans le filtre :\n\n…",
            "刚才没有成功，我去掉过滤条件再试一次：\n\n…",
            "うまくいかなかったので、フィルターなしで試します。\n\n…",
            "Не получилось, попробую без фильтра:\n\n…",
        ),
    ),
)
