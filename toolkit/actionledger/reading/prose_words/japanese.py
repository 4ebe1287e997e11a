"""What the prose around a call says, in Japanese; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase(
        "ます",
        "(?:確認|検索|実行|取得|調査|対応|呼び出|調べ|読み込|試|送信|作成|開|行|表示|更新|削除|計算|予約|登録|使用|使|始め|お知らせ)(?:し|い|き|み|り)?(?:てみ)?ます",
    ),
    Phrase("すぐに|では|はい|今すぐ", r"(?:\A|\n)\W*(?:はい|では|それでは|すぐに|今すぐ)"),
    Phrase(
        "お待ちください|かしこまり|しましょう|もちろん|ツール|了解|承知|次のステップ|関数",
        r"(?:\A|\n)\W*次のステップ|もちろん|承知|かしこまり|了解|お待ちください|(?:ツール|関数)(?:の)?呼び出し\W*\Z|しましょう",
    ),
)
"""What says that its writer makes the call now."""

CONDITIONS = (
    Phrase(
        "権限があれば|許可があれば|許可されれば|承認され",
        "(?:権限|許可)があれば|許可されれば|承認され(?:れば|たら)",
    ),
)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase("演習|練習|課題", r"(?:\A|\n)\W*(?:演習|練習|課題)\S{0,4}[：:]"),
    Phrase(
        "こう答え|しないでください|その場合は|はずだった|使わないでください|呼ばないでください|書くようになり|最後の行は|本来なら|次のとおりです|次のようになり|次のように書|次の形式|送らないでください",
        "次の形式|次のように(?:なり|書)|次のとおりです|(?:し|使わ|呼ば|送ら)ないでください|その場合は|はずだった|本来なら|最後の行は|書くようになり|こう答え",
    ),
    Phrase(
        "いただけましたら|ご自身で|下書き|使わないで|実行しないで|時間前",
        "実行しないで|使わないで|下書き|時間前|いただけましたら|ご自身で",
    ),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase(
        "ご自身|ないで|なら|はず|ましたら|ませんが|れば|テスト|プロトコル|下書き|例えば|例です|例：|分前|場合|形式|承認|昨日|時間前|本来|権限|次のとおりです",
        "(?:ましたら|れば|なら|場合)|はず|本来|ませんが|ないで|権限|下書き|例(?:です|えば|：)|形式|昨日|時間前|分前|ご自身|テスト|プロトコル|次のとおりです|承認",
    ),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (
    r"[^。\n]{0,12}(?:無視して|実行しない|使わない|間違いで|権限が)",
    "(?:これは)?(?:ただの|例です|下書き)",
    "(?:これは|以上は|上記は|上の)[^。\\n]{0,20}(?:例で|説明のため|無視|実行しないで|取り消)",
    "(?:やっぱり|やはり)[^。\\n]{0,20}(?:不要|やめ|いりません|必要ありません)",
)
"""What takes a call back that it follows."""

CORRECTS = (
    Phrase("修正した|修正版|正しい呼び出し|訂正|間違え", "訂正|修正(?:版|した)|正しい呼び出し|間違え"),
)
"""What says between two calls that the second one stands for the first."""

LEADS = r"(?:でも|しかし|ただし)、?\s*+"
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:これ|以上|上記|上)は[^。\n]{0,40}(?:です|でした|ました|ものです)|(?:これ|上記)が[^。\n]{0,30}(?:でした|ました)"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"(?:ご)?(?:確認|承認|許可)(?:を|して)?(?:お願い|ください|いただ)|よろしければ|問題なければ"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = "(?:しましょう|よろしいです|いいです|構いません|ほしいです|たいです)か"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = "ほかに|他に"
"""What makes a question one about something else than the call."""
