"""What the prose around a call says, in Korean; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase(
        "겠습니다|네|물론|실행합니다|잠시만|조회합니다|지금|할게요|호출합니다|확인합니다",
        r"겠습니다|할게요|호출합니다|실행합니다|확인합니다|조회합니다|(?:\A|\n)\W*(?:네|물론|지금|잠시만)",
    ),
)
"""What says that its writer makes the call now."""

CONDITIONS = (Phrase("권한이 있다면|권한이 있으면|허가", "권한이 있(?:다면|으면)|허가(?:하시면|해 주시면)"),)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase("연습", r"(?:\A|\n)\W*연습(?: 문제)?\S{0,4}[:：]"),
    Phrase("다음과 같은 형식|로그의 마지막|초안|하지 마", "다음과 같은 형식|하지 마|초안|로그의 마지막"),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase(
        "권한|되면|만약|승인|시간 전|어제|예를|예시|초안|하면|했습니다|형식",
        "(?:하면|되면|만약)|예시|예를|형식|했습니다|초안|어제|시간 전|권한|승인",
    ),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (r"[^.\n]{0,12}(?:무시|실행하지|하지 마)|(?:실수|예시)입니다|권한이 없",)
"""What takes a call back that it follows."""

CORRECTS = (Phrase("수정된|수정한|정정", "수정(?:된|한)|정정"),)
"""What says between two calls that the second one stands for the first."""

LEADS = ""
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:이것은|위는|위의)[^.\n]{0,30}(?:입니다|였습니다)"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"(?:확인|승인)(?:해|하여) 주"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = "할까요|해도 될까요|원하시나요|드릴까요"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = ""
"""What makes a question one about something else than the call."""
