"""How English names the work at hand: what to do next, and a sentence that speaks of no text."""

from actionledger.reading.prose_words.phrases import Phrase

ACTS = (
    r"(?:add|analy[sz]|appl[yi]|book|calculat|call|cancel|chang|check|clos|collect|compar|comput|convert|correct|count|creat|delet"
    r"|determin|do|download|edit|examin|execut|explor|fetch|fill|find|fix|generat|get|go|gather|inspect|install|invok|issu|list|load|look"
    r"|locat|make?|measur|modif[yi]|mov|obtain|open|order|perform|plac|play|post|proceed|provid|pull|push|put|quer[yi]|read|record|renam"
    r"|replac|request|retriev|retry|return|run|sav|schedul|search|select|send|set|solv|start|stop|stor|submit|tak|test|track"
    r"|translat|try|turn|updat|us|verif[yi]|view|writ|begin|handl|help|respond|answer|continu|reserv|navigat|click|us|ask|break"
    r"|adjust|clean|commit|extract|implement|kill|launch|patch|rebuild|refactor|re-?run|inlin|restor|revert|review|rewrit|switch|validat|wir)"
)
"""The beginnings of verbs for what is done with a tool."""

_POINTS = (
    r"this(?! (?:branch|case|class|commit|directory|file|folder|function|module|package|project|repo|repository|session|step|test)\b)"
    r"|these|theirs|following|like (?:so|that)|mistake|call(?! sites?\b)|request|format|example"
)
"""What makes of a sentence that says what to do one about a call that stands behind it."""

BIDS = (
    r"(?:\W*+|.*[—–;.]\s\W*+|\W*+(?:edit|fix|part|stage|step|task)\b[^:\n]{0,30}:\W*+)(?:also |and |now,? |then |first,? |next,? )?+"
    rf"(?={ACTS}|append|build|bump|combin|drop|extend|remov|suppress|swap|wrap|same )"
    rf"(?!ask|compar|post|respond|play|writ|us\b|do\b|try\b|.*\b(?:{_POINTS})\b)"
    rf"(?:(?:{ACTS}|append(?: to(?! (?:it|this|the following|your)\b))?|build|bump|combin|drop|extend|remov|suppress|swap|wrap)e?(?:(?:,| and| then) {ACTS}e?)*+ (?!(?:an?|at|in|it|like|such|that|to|you|your)\b)\S"
    r"|same \w+ (?:for|in|on)\b)"
)
"""How a sentence begins that says what to do, as models note it for themselves: "Run the tests:"."""

_NOT_WORK = (
    rf"{_POINTS}|accepts?|answers?|another|assistants?|calls(?! sites?\b)|changelog|colleagues?|commands?|contains?|docs?|documentation|entry|entries|examples"
    r"|failed|fixtures?|forbids?|history|id|inputs?|last|lines?|logs?|logged|manual|messages?|mistakes|models?|options?|others?|outputs?|previous"
    r"|print(?:s|ed)?|prompts?|propos\w*|quot(?:e|es|ed)|reads?|recorded|rejects?|reports?|requests|responses?|results?|sa(?:id|mples?|ys?)|sen[dt]s?"
    r"|shows?|such|that|theirs?|traces?|transcripts?|users?|was|ways|were|would|wrote|you|your"
)
OF_TEXTS = rf"\b(?:{_NOT_WORK})\b"
"""What makes of a sentence one about a text, rather than about the work that it stands beside."""

_WORKS = r"(?:build|coverage|diff|format|gofmt|lint|rebase|test suite|suite|tests?|typecheck|vet)"
_CHECKS = r"(?:checks?|cleanup|overview|run|sweep|verification)"
_OF_WORK = r"(?:also|and|behavioral|behavioural|diff|final|full|integration|more|now|one|quick|sanity|targeted|whole)"

NOTES = (
    rf"(?!.*\b(?:{_NOT_WORK})\b)(?:.*[—–;.]\s)?\W*+(?:(?:{_OF_WORK}[ ,]+)*+{_WORKS}(?:(?: \+ |, and |, | and |/){_WORKS})++"
    rf"|(?:{_OF_WORK} )++{_CHECKS}(?: (?:after|before|of|on|with|—|–|-) [^.!?\n]{{0,120}})?)(?: again| first| now| once more)?+:\W*\Z"
    rf"|(?!.*\b(?:{_NOT_WORK}|compar\w+|explain|ignore)\b)(?:.*[—–;.]\s)?\W*+(?:a few|four|one|several|some|three|two)\b[^.!?:\n]{{0,60}} to (?:{ACTS}|combin)\w*[^.!?\n]{{0,90}}:\W*\Z"
    r"|(?!.*\b(?:lesson|line|log|message|mistake|propos\w+|that|trace|your?)\b)(?:\W*+|.*[.,;!]\s)(?:\w+ |\w+, )?here(?:['’]s| is| are) the (?:solution using"
    r"|(?:correct|corrected|final|fixed|improved|modified|new|revised|updated) (?:action|code|command|implementation|input|query|script|solution|version))\b[^.!?:\n]{0,40}:\W*\Z"
)
"""What a sentence with a colon is that only names the work that its writer does now: "Build, tests, lint:", "Here's the corrected code:"."""

_TELLS = "explain|show|describ|tell|illustrat|quot|giv|sketch|demonstrat|propos|suggest|recommend|ask (?:you|for|if|whether)|wait|summari"
"""What nobody does to a tool."""

UNDERTAKES = (
    Phrase(
        "let me|let us|let's|let’s",
        r"\blet(?: me|['’]s| us)\b(?: (?:\w+ly|first|also|now|then|just|go ahead and))*+ "
        rf"(?!{_TELLS}|know|see if you|say|recall|consider|suppos|imagin|assum|pretend)\w",
    ),
    Phrase(
        "i'll |i will |i’ll |i'm |i’m |i am |i'd |i’d ",
        r"\bI(?:['’]ll| will|(?:['’]m| am)(?: now)? going to|['’]d better)(?: (?:\w+ly|first|also|now|then|just|go ahead and))*+ "
        rf"(?!{_TELLS}|not\b|never\b|only\b|need\b|have to wait|be (?:able|happy)|leave|let you|send you|be\b)\w",
    ),
    Phrase(
        "hence i |so i |therefore i ",
        rf"\b(?:so|hence|therefore) I (?:now |also |first )?(?!{_TELLS}){ACTS}",
    ),
    Phrase(
        "ing",
        r"\bI(?:['’]m| am)(?: (?:\w+ly|now|also|just|first|then|next))*+ "
        rf"(?!{_TELLS}|assum|suppos|imagin|think|wonder|hop|guess|plann|going\b|looking forward|being|thing|nothing|something)\w+ing\b",
    ),
)
"""What says so in so many words that nothing else in the sentence speaks against it but a condition."""
