"""Prose in six languages around a call that is shown and not meant: ``@`` is where the call stands."""

SHOWN: dict[str, dict[str, str]] = {
    "en": {
        "format": "A tool call in this format looks like this:\n\n@\n\nPut your own values in place of these.",
        "wish": "I would then use this: @ but I have no permission to do so.",
        "log": "Here are the last lines of the log:\n\n@\n\nThe process ended after that.",
        "ignored": "@\n\nPlease ignore that, it was only an example.",
        "warned": "Never send this: @ It would remove data that we need.",
    },
    "de": {
        "format": "Ein Werkzeugaufruf in diesem Format sieht so aus:\n\n@\n\nSetzen Sie Ihre eigenen Werte ein.",
        "wish": "Ich würde dann dies verwenden: @ aber dafür fehlt mir die Berechtigung.",
        "log": "Hier sind die letzten Zeilen des Protokolls:\n\n@\n\nDanach endete der Prozess.",
        "ignored": "@\n\nBitte ignorieren Sie das, es war nur ein Beispiel.",
        "warned": "Schicken Sie das niemals ab: @ Es würde Daten entfernen, die wir brauchen.",
    },
    "fr": {
        "format": "Un appel d'outil dans ce format ressemble à ceci :\n\n@\n\nMettez-y vos propres valeurs.",
        "wish": "J'utiliserais alors ceci : @ mais je n'en ai pas l'autorisation.",
        "log": "Voici les dernières lignes du journal :\n\n@\n\nLe processus s'est arrêté ensuite.",
        "ignored": "@\n\nVeuillez ignorer cela, ce n'était qu'un exemple.",
        "warned": "N'envoyez jamais ceci : @ Cela supprimerait des données dont nous avons besoin.",
    },
    "zh": {
        "format": "这种格式的工具调用如下所示：\n\n@\n\n请换成您自己的值。",
        "wish": "那么我会使用这个：@ 但是我没有权限。",
        "log": "以下是日志的最后几行：\n\n@\n\n之后进程就结束了。",
        "ignored": "@\n\n请忽略以上内容，那只是一个例子。",
        "warned": "千万不要发送这个：@ 它会删除我们需要的数据。",
    },
    "ja": {
        "format": "この形式のツール呼び出しは次のようになります。\n\n@\n\nご自分の値に置き換えてください。",
        "wish": "その場合は次を使います： @ しかし、その権限がありません。",
        "log": "ログの最後の数行は次のとおりです。\n\n@\n\nその後、プロセスは終了しました。",
        "ignored": "@\n\nこれは単なる例ですので、無視してください。",
        "warned": "絶対に次を送信しないでください： @ 必要なデータが削除されてしまいます。",
    },
    "ru": {
        "format": "Вызов инструмента в этом формате выглядит так:\n\n@\n\nПодставьте свои значения.",
        "wish": "Тогда я бы использовал это: @ но у меня нет разрешения.",
        "log": "Вот последние строки журнала:\n\n@\n\nПосле этого процесс завершился.",
        "ignored": "@\n\nПожалуйста, не обращайте на это внимания, это был только пример.",
        "warned": "Никогда не отправляйте это: @ Так будут удалены нужные нам данные.",
    },
}
"""By language, and by what the prose says of the call."""

BEFORE = "I'll do that for you now.\n\n"
AFTER = "\n\nThis will give us what you asked for."
