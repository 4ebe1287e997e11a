"""What the prose around a call says, in English; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Language, Phrase
from actionledger.reading.prose_words.work import ACTS


def _each(firsts: str, seconds: str) -> str:
    """Return the words of a row: each of the first ones with each of the second ones behind it."""
    return "|".join(f"{first} {second}" for first in firsts.split() for second in seconds.split())


_MARKED = r"(?:tool|function|api|action|corrected|correct|final|required|necessary|needed|appropriate|right|following|suitable|relevant|first|next|second)"
_CALLED = r"(?:calls?|requests?|actions?|queries|query|answer|output|response|result|json|invocations?|functions?|tools?|arguments?|parameters|commands?|code)"
_CALLED_WORDS = "call|request|action|quer|answer|output|response|result|json|invocation|function|tool|argument|parameters|command|code"
"""Each of the words above holds one of these."""


ENGLISH = Language(
    announces=(
        Phrase(
            " am going to| can| have to| must| need to| shall| should| want to| will| would like to|'d like to|'ll|'m going to|'m now|’d like to|’ll|’m going to|’m now",
            rf"\bI(?:['’]ll|['’]m (?:going to|now)| will| shall| am going to| need to| have to| must| can now| can| should|['’]d like to| would like to| want to)(?! not\b| never\b)(?: (?:now|also|then|first|just|therefore|quickly|gladly|happily|next))*+ (?:be \w+ing|not only|{ACTS})\w*",
        ),
        Phrase(
            "i |we ",
            rf"\b(?:I|we)(?: (?:now|also|then|first|just|therefore|next|always))*+ (?:{ACTS}(?:e|s|y)?|need|am {ACTS}\w*ing)\b",
        ),
        Phrase("i'm |i’m ", rf"\bI['’]m (?:now |just )?{ACTS}\w*ing\b"),
        Phrase(
            "let me|let us|let's|let’s",
            r"\blet(?: me|['’]s| us)\b(?! (?:explain|show|describe|tell|illustrate|quote))",
        ),
        Phrase(
            "we can |we have to |we must |we need to |we should |we will ",
            rf"\bwe (?:can|need to|should|have to|must|will) (?:{ACTS})\w*",
        ),
        Phrase(
            "ing",
            rf"(?:\A|[.!?,;:—–-]\s)\W*(?:(?:now|ok|okay|sure|right|so|then|next|first|great|good|fine|alright)\b\W*)*+(?:just )?{ACTS}\w*ing\b(?! (?:is|was|are|were|would|could|has)\b)",
        ),
        Phrase(
            "here are |here is |here's |here’s ",
            rf"\bhere(?:['’]s| is| are) (?:the|a|an|my|your) (?:{_MARKED}[ -])*+{_CALLED}\b",
        ),
        Phrase(_CALLED_WORDS, rf"(?:\A|\n)\W*(?:the )?(?:{_MARKED} )*+{_CALLED}\W*\Z"),
        Phrase(
            "the ",
            rf"\b(?:the|these are the|this is the) (?:{_MARKED} )*+{_CALLED} (?:is|are|to (?:call|use|be called|make)|will be|for this)\b",
        ),
        Phrase(
            "the appropriate |the correct |the right ",
            rf"\bthe(?:se are the)? (?:right|correct|appropriate) {_CALLED}",
        ),
        Phrase(
            "absolutely|certainly|done|gladly|good question|got it|great|no problem|of course|ok|on it|one moment|right|sure|understood|yes",
            r"(?:\A|\n)\W*(?:sure|of course|certainly|ok(?:ay)?|absolutely|yes|got it|understood|right away|one moment|no problem|good question|gladly|alright|great|done|on it|right)\b",
        ),
        Phrase(
            "also|and|finally|first|next|now|second|then",
            r"(?:\A|\n|[.!?]\s)\W*(?:and )?(?:now|next|then|first|second|secondly|finally|and|also),? (?:the|for|to|on|I)\b",
        ),
        Phrase(
            "now",
            r"(?:\A|\n|[.!?]\s)\W*now,? (?!you\b|that\b|it\b|this\b|there\b|they\b|he\b|she\b|we\b|what|imagine|suppose|consider|assume|if\b|look|compare|not|think|take)\S",
        ),
        Phrase(
            "step",
            r"(?:\A|\n|[.!?]\s)\W*(?:(?:next|first|second|third|last|final) step|step \d++)\b(?! is to be)",
        ),
        Phrase(
            "need to ",
            rf"(?:\A|\n|[.!?:]\s)\W*need to {ACTS}",
        ),
        Phrase("i'd better|i’d better|i had better", r"\bI(?:['’]d| had) better\b"),
        Phrase("happy to", r"\bhappy to\b"),
        Phrase("time to ", rf"\btime to {ACTS}"),
        Phrase("on it|on my way", r"\bon (?:it|my way)\b"),
        Phrase(
            "to ",
            r"\bto (?:answer|find|get|do|solve|complete|fulfil|check|determine|accomplish)[^.]*, (?:I|we|use|call|run|the following)\b",
        ),
        Phrase("ai|assistant", r"(?:\A|\n)\W*(?:ai|assistant)\W*\Z"),
        Phrase("use the ", rf"\buse the (?:following )?{_CALLED}\b"),
        Phrase("here goes|here it comes|here we go|here you go", r"\bhere (?:it comes|we go|you go|goes)\b"),
    ),
    conditions=(
        Phrase(
            "after|as soon as|assuming|if|once|provided|should|unless|until|when",
            r"\b(?:assuming|once|if|when|after|as soon as|unless|until|provided(?: that)?|should)\b[^.,;:]{0,40}"
            r"\b(?:you|users?|they|he|she|permission|approval|access|rights?)\b[^.,;:]{0,25}"
            r"\b(?:confirm|approv|agree|says?\b|grant|allow|gives?\b(?! the same)|(?<!the )given\b|wants?\b|likes?\b|ok\b|okay\b|accept|consent|permit|wish|insist|prefer|object|disagree)",
        ),
        Phrase(
            "once|as soon as|when",
            r"\b(?:once|as soon as|when(?:ever)?)\b[^.,;:]{0,60}\b(?:is|are|gets?|becomes?|has been|have been)"
            r" (?:back|ready|available|granted|approved|up|online|fixed|merged|restored|allowed)\b",
        ),
        Phrase(
            "your agreement|your approval|your confirmation|your consent|your go-ahead|your ok|your permission|your word",
            r"\b(?:need|await\w*|wait\w* for|pending|without|ask\w* for|request\w*|require) your"
            r" (?:ok(?:ay)?|approval|confirmation|permission|consent|go-ahead|agreement|word)\b",
        ),
        Phrase(
            "had i|had we|if i|if we|were i|were we",
            r"\b(?:if (?:I|we) (?:had|were|could)|(?:had|were) (?:I|we))\b",
        ),
        Phrase("only if", r"\bonly if\b[^.]{0,80}\bcan (?:I|we|you)\b"),
        Phrase(
            "could have|might have|would have",
            r"\b(?:I|we|it|this|that|which|the (?:call|request)) (?:would|could|might) have (?:been )?(?:called|executed|issued|run|sent|used|written)\b",
        ),
    ),
    shows=(
        Phrase("sample", r"\bsample (?:answer|call|invocation|output|request|response|tool call)s?\b"),
        Phrase(
            "had called|had executed|had issued|had made|had run|had sent|had tried|had written",
            r"\bhad (?:called|executed|issued|made|run|sent|tried|written)\W*\Z",
        ),
        Phrase("quotes ", r"\bquotes (?:a|the|this|that)\b"),
        Phrase("being", r"\bbeing\W*\Z"),
        Phrase(
            "boilerplate|skeleton|template",
            r"\bhere(?:['’]s| is) (?:an?|the|your) (?:\w+ )?(?:boilerplate|skeleton|template)\b",
        ),
        Phrase("candidate", r"\bcandidate (?:[a-d]|\d)\b"),
        Phrase("such as", r"\bsuch as\W*\Z"),
        Phrase(
            "i already|i called|i executed|i issued|i made|i ran|i sent|i tried",
            r"\bI (?:already \w+|called|executed|issued|made|ran|sent|tried)(?: (?:was|were))?\W*\Z",
        ),
        Phrase(
            "according to",
            r"\baccording to (?:the |our |its |their )?(?:docs?|documentation|guide|log|manual|paper|readme|spec\w*|tutorial)\b",
        ),
        Phrase(
            "article|blog|guide|textbook|tutorial",
            r"\b(?:article|blog(?: post)?|guide|textbook|tutorial)\b[^.\n]*\b(?:prints?|reads?|says?|shows?)\W*\Z",
        ),
        Phrase(
            "under review|review of",
            r"\bunder review\b|\breview of (?:the|an?|this|your)\b[^.\n]{0,40}\bcalls?\b",
        ),
        Phrase(
            _each("called invoked used", "as like"),
            r"\b(?:called|invoked|used) (?:as|like) (?:so|this|follows|the following)\b",
        ),
        Phrase(
            "not calling|not executing|not going to|not running|not sending",
            r"\bnot (?:calling|executing|running|sending|going to (?:call|execute|run|send)) (?:this|that|it|the following)\b",
        ),
        Phrase(
            "would be",
            r"\b(?:action|call|command|step|thing)\b[^.:\n]{0,20}\bwould be\b(?: (?:this|that|the following))?\W*\Z",
        ),
        Phrase(
            "what is |what's |what’s ",
            r"\bwhat(?:['’]s| is) (?:wrong|missing|the (?:bug|error|matter|problem)) (?:with|in|about) (?:this|that|it|the following)\b",
        ),
        Phrase(
            "exercise|homework|lesson|quiz|tutorial",
            r"(?:\A|\n)\W*(?:exercise|homework|lesson|quiz|tutorial)\b[^.:\n]{0,20}[:.]",
        ),
        Phrase(
            "could|might|would|i'd|i’d|we'd|we’d",
            r"(?:\b(?:could|might|would)|\b(?:I|we)['’]d)(?: (?:also|have|just|normally|now|probably|then|usually))*+"
            r" (?:call|execut|invok|issu|ran|run|send|sent|submit|us|writ)\w*+(?: (?:this|that|it|the following|the \w+))?+\W*\Z",
        ),
        Phrase(
            "entries|excerpt|lines|log|trace",
            r"\b(?:here|these|this|following) (?:are|is)\b[^.]{0,30}\b(?:lines|entries|excerpt|log|trace)\b",
        ),
        Phrase("excerpt|transcript", r"\b(?:excerpt|transcript)\b"),
        Phrase(
            "dump|history|journal|log|trace",
            r"\b(?:log|trace|journal|history|dump)\b[^.]*\b(?:contains?|shows?|says?|reads?)\b",
        ),
        Phrase("contain |contains |show |shows ", r"\b(?:contains?|shows?) (?:this|one|a) \w+"),
        Phrase(
            "has the|has this|have the|have this|take the|take this|takes the|takes this",
            r"\b(?:has|have|takes?) (?:the|this) (?:following )?(?:shape|form|format|structure|syntax)\b",
        ),
        Phrase("written as|written like|written so", r"\bwritten (?:like|as|so)\b"),
        Phrase(
            "request are written|request carr|request look|request now |requests are written|requests carr|requests look|requests now ",
            r"\brequests? (?:now )?(?:carry|carries|are written|looks?)\b",
        ),
        Phrase(
            "action|call|command|function|message|request|tool",
            r"(?<!write )(?<!define )\b(?:a|an|each|every|any) (?:\w+ )?(?:tool|request|call|function|action|command|message)s? (?:\w+ ){0,2}(?:is|are|has|looks?|takes?|consists?) (?!needed|required|necessary|missing)",
        ),
        Phrase(
            "not be |not to be ",
            r"\b(?:must|should|may|can|is|are|shall) ?not(?: to)? be (?:executed|run|used|sent|called)\b",
        ),
        Phrase("not to be|not yet to be", r"\bnot (?:yet )?to be (?:used|executed|run|sent)\b"),
        Phrase(
            "agent |assistant |bot |colleague |customer |model |user ",
            r"\b(?:assistant|model|agent|bot|colleague|user|customer) (?:\w+ )?(?:answered|replied|wrote|sent|said|responded|proposed|typed|entered|pasted|posted|ran|executed|called|issued|tried)\b",
        ),
        Phrase(
            "your last answer|your last message|your last reply|your previous answer|your previous message|your previous reply",
            r"\byour (?:last|previous) (?:message|answer|reply)\b",
        ),
        Phrase("you sent|you wrote", r"\byou (?:sent|wrote)\b(?! that)"),
        Phrase(
            _each("call command line query request", "that which"),
            r"\b(?:request|call|command|query|line) (?:that|which) (?:failed|broke|crashed|caused)\b",
        ),
        Phrase(
            _each("bug culprit error mistake problem", "is was"),
            r"\b(?:problem|error|bug|culprit|mistake) (?:is|was) (?:this|the following|here)\b",
        ),
        Phrase(
            "added in |changed in |fixed in |new in ", r"\b(?:changed|new|added|fixed) in (?:version )?v?\d"
        ),
        Phrase(
            "changelog|fictional|first draft|fixture|hypothetical|illustrat|mock|unit test",
            r"\b(?:first draft|mock-?up|hypothetical|fictional|illustrat\w+|fixture|(?:from|in|of|per|says?) (?:the |our )?changelog|(?:in|of) (?:a|the|this) unit test"
            r"|unit test (?:asserts?|checks?|contains?|expects?|feeds?|has|says?|shows?|uses?))\b",
        ),
        Phrase(
            "i executed th|i issued th|i made th|i ran th|i sent th",
            r"\bI (?:ran|sent|made|executed|issued) (?:this|the following)\b",
        ),
        Phrase(
            "day ago|days ago|hour ago|hours ago|minute ago|minutes ago|week ago|weeks ago",
            r"\b(?:hour|hours|day|days|minutes?|week|weeks) ago\b",
        ),
        Phrase("yesterday's run|yesterday’s run", r"\byesterday['’]s run\b"),
        Phrase(
            "after you |as soon as you |once you |when you ",
            r"\b(?:once|as soon as|after|when) you (?:confirm|approve|agree|say)\b",
        ),
        Phrase("waiting for your", r"\bwaiting for your\b"),
        Phrase("enter |paste |type ", r"\b(?:paste|type|enter) (?:this|the following|it)\b"),
        Phrase(
            "if you ever|if you like|if you need|if you prefer|if you want",
            r"\bif you (?:ever|want|need|like|prefer)\b",
        ),
        Phrase(
            "rejected|emitted|sent|made|logged|written|produced|generated|issued|refused|recorded|answered|returned|quoted|printed",
            r"\b(?:the|this|that|these|those) (?:following |above |last |first )?(?:blocks?|calls?|commands?|following|lines?|messages?|query|queries|requests?)"
            r" (?:was|were|has been|have been|got|is|are) (?:\w+ )?(?:rejected|emitted|sent|made|logged|written|produced|generated|issued|refused|recorded|answered|returned|quoted|printed)\b",
        ),
        Phrase(
            "next block|next line|next text|following block|following line|following text|block below|line below|text below",
            r"\b(?:the (?:next|following) (?:block|line|text)|the (?:block|line|text) below)\b",
        ),
        Phrase(
            "docs|documentation|manual|readme|paper|specification",
            r"\b(?:docs|documentation|manual|readme|paper|specification)\b (?:shows?|gives?|lists?|writes?|puts?) (?:it|this|that|them|such|one|an?|the following)\b(?: \w+){0,3}\W*\Z",
        ),
        Phrase(
            _each("a an her his my the their your", "earlier failed last old original previous"),
            r"\b(?:here|this|that|these|those)(?:['’]s| is| was| are| were) (?:my|your|the|an?|his|her|their) (?:earlier|failed|last(?! (?:time|step|one|check)\b)|old|original|previous) \w+",
        ),
        Phrase("look like|looks like", r"\blooks? like (?:this|so|that|the following)\b"),
        Phrase("like the", r"\b\w{2,}s like the following\b"),
        Phrase(
            "do not |don't |don’t |never ",
            r"\b(?:never|do not|don['’]t) (?:ever )?(?:send|run|execute|use|call|write|submit)\b",
        ),
    ),
    open=(
        Phrase(
            " could| might| would|'d|’d",
            r"\b(?:I|we|you|it|that|which|they|one)(?: would\b(?! like to)|['’]d\b(?! like to)| could\b| might\b)",
        ),
        Phrase("would", r"\bwould(?: have)?\b(?! like to)"),
        Phrase("if", r"\bif\b"),
        Phrase("unless", r"\bunless\b"),
        Phrase("once i|once that|once the|once we|once you", r"\bonce (?:you|I|it|the|we|that)\b"),
        Phrase("until", r"\buntil\b"),
        Phrase(
            "after |as soon as |before |when |whenever ",
            r"\b(?:when(?:ever)?|after|as soon as|before) (?:you|your|the user)\b",
        ),
        Phrase("wait", r"\bwait(?:ing)? for (?:you|approval|confirmation)"),
        Phrase("approv", r"\bapprov"),
        Phrase("permission", r"\bpermission"),
        Phrase("not allowed", r"\bnot allowed\b"),
        Phrase(
            "confirm",
            r"\bconfirmation\b|\bplease confirm|\b(?:you|they|he|she|users?|customers?)\b[^.]{0,20}\bconfirm|\bconfirmed by\b",
        ),
        Phrase("ago", r"\bago\b"),
        Phrase("yesterday", r"\byesterday"),
        Phrase("earlier", r"\bearlier\b"),
        Phrase("previously", r"\bpreviously\b"),
        Phrase(
            "last message|last month|last night|last run|last time|last week|last year",
            r"\blast (?:time|week|night|month|year|message|run)\b",
        ),
        Phrase(
            "called|executed|issued|made|ran|sent|tried",
            r"\bI (?:already )?(?:ran|called|sent|made|issued|executed|tried)\b",
        ),
        Phrase(
            "answered|failed with|rejected|replied|responded|wrote",
            r"\b(?:answered|replied|wrote|responded|rejected|failed with)\b",
        ),
        Phrase(
            "changelog|documentation|draft|dummy|fictional|fixture|hypothetical|illustrat|mock|placeholder|protocol|pseudo|sketch|spec|unit test",
            r"\b(?:draft|sketch|mock-?up|hypothetical|dummy|fictional|placeholder|pseudo|illustrat\w+|documentation|changelog|protocol|fixture|unit test|spec)\b",
        ),
        Phrase("format|schema|shape|structure|syntax", r"\b(?:shape|syntax|format|structure|schema)\b"),
        Phrase("yourself", r"\byourself\b"),
        Phrase(
            "describe|explain|recommend|show you|showing|suggest",
            r"\b(?:explain|describe|show you|showing|recommend|suggest)\b",
        ),
        Phrase("not for|not to be|not yet", r"\bnot (?:yet|to be|for)\b"),
        Phrase("only a|only for|only to", r"\bonly (?:a|an|for|to)\b"),
        Phrase("example", r"\bexample"),
        Phrase("test checks", r"\btest checks\b"),
        Phrase(
            "paste it|paste the|paste this|type it|type the|type this", r"\b(?:paste|type) (?:this|it|the)\b"
        ),
    ),
    takes_back=(
        r"ignore\b",
        r"disregard\b",
        r"(?:do not|don['’]t|never) (?:actually )?(?:run|execute|send|use|call|do|submit|apply|take (?:this|that|it)|act on)\b",
        "not to be (?:run|executed|used|sent)",
        "I (?:have no|had no|lack|can(?:no|['’])t|cannot|may not|must not|mustn['’]t|should not|shouldn['’]t|am not (?:allowed|able|permitted|authori[sz]ed)|(?:do not|don['’]t) have (?:the )?(?:permission|access|right)|(?:did not|didn['’]t|have not|haven['’]t|won['’]t|will not) (?:actually |really )?(?:run|send|sent|execute|executed|call|called|use|try|do|act|repeat))",
        "I['’]m not (?:allowed|able|permitted|authori[sz]ed)",
        "this (?:session|account|environment) is (?:read-only|not)",
        "nothing (?:has been|was|is|will be) (?:sent|run|executed|called|done|changed|deleted|started|submitted)",
        r"(?:on|upon) second thoughts?\b|never ?mind\b",
        r"(?:scrap|forget|cancel|drop|discard|scratch|strike|undo|skip)(?: about)? (?:that|this|it|the (?:above|last|previous|call|request|line|block))\b",
        r"not (?:actually |really )?(?:executed|run|sent|called|submitted|performed|meant)\b",
        r"I (?:decided|chose|opted) (?:against|not to)\b",
        r"I (?:do not|don['’]t) (?:actually |really )?(?:need|want) (?:that|this|it|the (?:tool|call|result))\b",
        r"I(?:['’]m| am) (?:not (?:going|about) to|ignoring|refusing|leaving it)\b",
        r"let me (?:cancel|retract|take back|undo|withdraw) (?:this|that|it|the call)\b|I take (?:this|that|it) back\b",
        r"(?:consider|treat) (?:this|that|it|the (?:above|call)[^.\n]{0,20}) as (?:cancel|never|not|unsent|void|withdrawn)",
        r"I (?:decline|refuse|reject)\b|I(?:['’]d| would) reject\b|(?:would|will) violate\b",
        r"(?:the |all )?(?:(?:lines?|block|call|text|snippet|json|code|request|command|message|output) )?above (?:is|was|are|were|shows?|only|merely|comes?|came)\b",
        "(?:that|this|it|the (?:above|call))(?:['’]s| (?:was|is)) (?:(?:only|just|merely|purely) |an? (?:mistake|example|illustration|sketch|draft|mock|error|typo|placeholder|sample)|not (?:to be|meant|real|a real|executed|run)|(?:the )?wrong|what I (?:would|had)|what the (?:model|agent|assistant|user|log|paper|document)|how (?:it|one|you|a|the))",
    ),
    halts=(
        r"(?:no\b[,.!… —–-]*+(?=actually|hold on|sorry|stop|wait))?+(?:(?:oh|oops|err?|argh|wait|hmm*|hold on|stop|actually|sorry|whoa|uh|ah)\b[,.!… —–-]*+)++"
        r"(?:no\b(?! (?:\w+ (?:is|are|was|were|exists?)|errors?|files?|longer|more|need|one|other|problem|results?|tests?|worries)\b)"
        r"|that(?:['’]s| is| was| would be) (?:wrong|not|dangerous|incorrect|a mistake|the wrong)\b|wrong \w+|my (?:mistake|error)\b"
        r"|I should(?: not|n['’]t)\b|not (?:that|this|yet)\b)"
    ),
    corrects=(
        Phrase(
            "corrected |fixed |proper |revised |right |updated ",
            r"\b(?:corrected|fixed|revised|updated|right|proper) (?:\w+ )?(?:call|version|one|json|request|command|query|arguments|form)\b",
        ),
        Phrase("correction", r"\bcorrection\b"),
        Phrase(
            "let me correct|let me fix|let me redo|let me rewrite", r"\blet me (?:correct|fix|redo|rewrite)\b"
        ),
        Phrase(
            "actually|apologies|my mistake|oops|sorry|wait",
            r"\b(?:sorry|oops|apologies|my mistake|wait|actually)\b[^\n]{0,60}\b(?:meant|should|correct|right|wrong|instead)\b",
        ),
        Phrase("a mistake|incorrect|wrong", r"\b(?:that|this|it) (?:was|is) (?:wrong|incorrect|a mistake)\b"),
        Phrase("i made a mistake|i meant", r"\bI (?:meant|made a mistake)\b"),
    ),
    leads=r"(?:but|however|so|and|though|please|sorry|oh|oops|no|wait|well|actually|hmm)\b[,，.!]?\s*+",
    describes=(
        r"(?:this|that|which|these|those|the (?:call|request|command|message|block|json|text|snippet|code|line)s?|this (?:call|request|command|message|block|one)|that (?:call|request|command|message|block|one))"
        r"(?: above| below)?(?:['’]s| is| was| are| were| came| comes| has| had| shows?| illustrates?| demonstrates?| failed| worked)\b(?! (?:all\b|going|needed|required|necessary|all i|my\b|to\b|step|a (?:quick|first)|the (?:first|next|last|best)|everything|enough|it(?: for now| then)?(?:[.!,]|$)))"
        r"|it (?:came|failed|was|worked)\b|and (?:it|the (?:answer|call|output|result|server|tool)) (?:answered|crashed|failed|replied|returned|said|was)\b|(?:is|was|were|came)\b|\(?(?:taken |quoted |copied )?from (?:the )?(?:manual|docs?|documentation|logs?|paper|readme|specs?|specification|book|website|forum|ticket)\b|hypothetically"
    ),
    defers=(
        r"please (?:confirm|approve|(?:let me know|say|tell me) (?:if|whether|when|before)|check (?:this|it)|review)|(?:let me know|tell me) (?:(?:if|whether) (?:I |to |you(?:['’]d| would)? (?:agree|approve|want me|like me)|(?:that|this|it)\b)|when\b|before\b)"
        r"|(?:i(?:['’]m| am) )?(?:await|wait)ing (?:for )?your|(?:if|once|when|as soon as|after|unless) you (?:agree|approve|confirm|accept|say|consent|are (?:ok|okay|fine|happy)|want me to|(?:['’]d|would) like me to)\b|(?:if|once) (?:that|this|it)(?:['’]s| is) (?:ok|okay|fine|all right)\b"
    ),
    offers=r"\b(?:do you want|would you like|shall (?:I|we)|should (?:I|we)|may I|can I|could I|is (?:it|this) (?:ok|okay|fine|all right)|do I have your|am I allowed|are you (?:ok|fine|sure))\b",
    anything_else=r"anything else|something else|any other|else|(?<!this )(?<!that )(?<! it )as well\b|also (?!\w+ (?:it|that|this)\b)|know more",
)
