"""What the prose around a call says, in Chinese; see ``phrases`` for what a row is."""

from actionledger.reading.prose_words.phrases import Phrase

ANNOUNCES = (
    Phrase("我", "我(?:这就|现在|马上|来|先|会|要|将|需要|去|再|正在)(?!解释|展示|举例)"),
    Phrase("调用", r"(?:这|以下|下面)是?(?:工具|函数)?(?:的)?调用(?:[：:]|\Z)"),
    Phrase(
        "下一步|好的|当然|我使用|我修正|我去掉|我执行|我查|我获取|我读|我调用|接下来|正在|没问题|现在就|现在我|现在来|稍等|让我|首先|马上",
        "我(?:调用|查|读|获取|使用|执行|去掉|修正)|让我(?!解释|展示|举)|现在(?:就|来|我)|接下来|马上|稍等|好的|当然|没问题|正在为?|首先|下一步",
    ),
    Phrase("以下是|函数调用|工具调用", r"(?:\A|\n)\W*(?:工具|函数)调用|以下是(?:工具|函数)?调用"),
)
"""What says that its writer makes the call now."""

CONDITIONS = (
    Phrase("如果我|要是我|假如我", "(?:如果|要是|假如)我(?:有|能|可以|被)"),
    Phrase("同意|批准|确认", "(?:如果|等|一旦|只要)(?:您|你|用户)[^。，]{0,6}(?:同意|批准|确认)"),
)
"""What says that something else has to come before the call, or would have had to."""

SHOWS = (
    Phrase("练习|习题", r"(?:\A|\n)\W*(?:练习|习题)\S{0,4}[：:]"),
    Phrase(
        "使用|发出|发送|执行|提交|调用|运行",
        "(?:不要|切勿|请勿|绝不|绝不能|别)(?:再|要)?(?:发送|发出|执行|调用|使用|运行|提交)",
    ),
    Phrase(
        "以下是|会使用|会发送|会调用|写法|如下所示|形式|本来会|本来要|格式|结构",
        "(?:结构|格式|形式|写法)(?:如下|为|是)|如下所示|会(?:使用|调用|发送)(?:这|以下|下)|以下是日志|本来(?:会|要)|以下是.{0,8}(?:最后|日志)",
    ),
    Phrase(
        "不要使用|不要执行|写成这样|千万不要|失败的请求|失败的调用|如果|小时前|是这样回答|确认|草稿",
        "写成这样|是这样回答|失败的(?:请求|调用)|千万不要|不要(?:执行|使用)|草稿|小时前|确认(?:之)?后|如果您?(?:想|需要)|如果您以后",
    ),
)
"""What says plainly that a call is not made: enough against one with its format's marks, too."""

OPEN = (
    Phrase(
        "之前|之后我会|之后，|以下是|以后|例如|例子|分钟前|原本|如果|小时前|昨天|本来|格式|没有权限|测试|确认之后|确认后|示例|结构如下|草稿|许可",
        "如果|本来|原本|之后(?:，|我会)|以后|确认(?:之后|后)|昨天|之前|小时前|分钟前|没有权限|许可|草稿|示例|例子|例如|结构如下|格式|测试|以下是.{0,8}日志",
    ),
    Phrase(
        "不要|千万|发送了|已经发送|已经执行|已经调用|执行了|自己",
        "自己|不要|千万|已经(?:调用|执行|发送)|执行了|发送了",
    ),
)
"""What leaves open whether the call is made, or says of something else that it was: a condition, the past, a log, a document."""

TAKES_BACK = (
    "(?:那|这)(?:是个?(?:错误|例子|示例|草稿)|只是|仅)",
    "算了|不用了|不需要了|作废|取消(?!订)|(?:以上|上面|上述|刚才)[^。\\n]{0,10}(?:只是|仅|示例|例子|演示|不要|请勿|忽略|无视)",
    "(?:忽略|无视|勿|不要|别)|我(?:没有|不能|无法)|只是|尚未(?:发送|执行)",
)
"""What takes a call back that it follows."""

CORRECTS = (
    Phrase(
        "修正后|修正版|修正的|我写错了|我弄错了|我搞错了|改正|更正|正确的版本|正确的调用",
        "更正|修正(?:后|版|的)|改正|正确的(?:调用|版本)|我(?:写|弄|搞)错了",
    ),
)
"""What says between two calls that the second one stands for the first."""

LEADS = r"(?:但是?|请)\s*+"
"""What may stand before what takes a call back."""

DESCRIBES = r"(?:以上|上面|上述|刚才那)(?:就?是|为|来自|的)|这(?:是|段|条|个)(?!最后一步|第一步|一步)(?:用户|日志|文档|别人|同事|之前|上次|来自)"
"""How a text behind a call begins that says what it was, rather than what is to come of it."""

DEFERS = r"请(?:确认|告诉我|批准)|如果(?:您|你)(?:同意|确认|愿意)|等(?:您|你)(?:确认|同意)|(?:需要|要)我"
"""How a text behind a call begins that leaves it to somebody else whether to make it."""

OFFERS = "需要我|要我|要不要|是否|可以吗|好吗|行吗|我可以"
"""What makes a question before a call one about whether to make it."""

ANYTHING_ELSE = "其他|还有什么"
"""What makes a question one about something else than the call."""
