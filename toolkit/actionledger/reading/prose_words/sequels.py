"""What words next to a call say of how its text goes on: about the call, or with something else."""

from actionledger.reading.scan.line_starts import AnyCase

GOES_FORTH = AnyCase(
    r"\W*(?:then\b(?! I\b)|I(?:['’]ll| will) (?!call|do|execute|need|never|not|only|run|send|wait)|(?:please )?(?:tell me|let me know|feel free)\b"
    r"|th(?:is|at) (?:gives|lets|should (?!not)|will (?!not))|the (?:answer|output|result)s? (?:should|will) (?!not)|once (?:I|it|that|this|we)\b|after (?:that|this)\b"
    r"|damit (?:bekomm|hab|kann|könn|wiss)|sagen sie|sag (?:mir|bescheid)|(?:cela|ça) nous|dites-moi|dis-moi|esto nos|dime|dígame|avís[ae]me|isto nos|diga-me|avise"
    r"|questo ci|fammi sapere|这样(?:就能|我们)|[^。\n]{0,12}告诉我|これで|[^。\n]{0,16}(?:お知らせ|教えて)|так мы|это даст|сообщите|дайте знать|[^.\n]{0,16}알려)"
)
"""What a text behind a call begins with that says how it goes on, or is for its reader."""

REFERS = AnyCase(
    r"\W*(?!note that I\b|eso es todo|esto es todo|das (?:ist|war) alles|c['’]est tout|questo è tutto|isso é tudo|это всё)"
    r"(?:th(?:is|at|ese|ose)\b(?!(?:['’]s| is| was) (?:all|it)\b| leaves\b)|it\b|such\b|the (?:above|actions?|block|calls?|command|example|format|request|snippet)\b"
    r"|(?:above|here|notice|note)\b|as (?:you|shown)\b|in this\b|das\b|dies|so (?:sieht|wird)|cela\b|c['’]est\b|ce format|est[eao]\b|eso\b|così\b|questo\b|isso\b|[这上]|これ|上の|так|это\b|이 )"
)
"""What a text behind a call begins with that goes on about the call."""

STEP = AnyCase(
    r"\W*(?:and |now )?(?:then|next|also|after (?:that|this)(?:, an? \w+)?|while (?:i['’]m|we['’]re) at it|one more|finally|lastly|separately|the (?:next|second|third|last) part"
    r"|[^:：]*\b(?:i['’]d|i (?:propose|suggest)|my (?:plan|proposal|suggestion)|what remains|propongo|propuesta|vorschlag|propon|je propose|proposta|предлагаю)[^:：]*"
    r"|[^:：]*(?:建议|提案|المقترح)[^:：]*|dann|danach|ensuite|puis|después|luego|poi|然后|接着|次に|затем|потом)\W*\Z"
)
"""A line that only leads to the next call of several, or to what its writer proposes."""

RESUMES = AnyCase(
    r"(?!.*\b(?:already|contained|(?:an|for) example|explain\w*|no action|rejects?|said|wrote)\b)"
    r"(?:\W*(?:(?:finally|first|next|now|then),? )?(?:add|close|create|delete|file|fix|move|open|remove|rename|update) |.*(?:\b(?:again|as agreed|(?:in the )?(?:correct|proper|right) (?:form|format|json|order)|corrected|complete|in order|once more|planning|same|the whole|this time"
    r"|noch ?(?:ein)?mal|korrigiert|encore une fois|corrigée?s?|de nouveau|de nuevo|otra vez|corregid[ao]s?|di nuovo|corrett[oaie])\b|ещё раз|исправлен|更正|再次|重新|修正|もう一度|다시|수정|المصح))"
)
"""A sentence with a colon that leads to a profile's own block as its work, or after one that failed: "Once more, as JSON:"."""

ABOUT = AnyCase(
    r"[^.!?？。\n]*(?:\b(?:apply|do so|execute|go ahead|it|proceed|run|that|them|these|this|those)\b|ausführ|das\b|dies|exécut|ejecut|esegu|выполн|запуст|执行|运行|実行|실행)"
)
"""What a question holds that is about the call before it."""
