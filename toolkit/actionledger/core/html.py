"""HTML from untrusted text: escaped, framed, and styled by one sheet that is legible on white and on black."""

from html import escape

from actionledger.core.text import described, is_unseen, laid_out, token, writable

STYLE = """
.al{--al-good:#1a9a5a;--al-fair:#c07f00;--al-bad:#d9483b;--al-mark:#3b82c4;--al-line:rgba(128,128,128,.35);
--al-mono:var(--jp-code-font-family,ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace);
color:inherit;font:13px/1.5 var(--jp-ui-font-family,system-ui,sans-serif);max-width:100%;margin:4px 0}
.al-top{display:flex;flex-wrap:wrap;align-items:baseline;gap:4px 14px;margin:0 0 8px}
.al-top b{font-size:14px;font-weight:600}
.al-fact,.al-foot,.al th{color:color-mix(in srgb,currentColor 68%,transparent)}
.al-fact b{font-size:13px;color:currentColor}
.al-foot{margin:4px 2px;font-size:12px}
.al-chip{display:inline-block;padding:0 8px;border-radius:9px;font-size:12px;line-height:18px;white-space:nowrap;
border:1px solid var(--al-line);background:rgba(128,128,128,.12)}
.al .good{border-color:var(--al-good);background:rgba(26,154,90,.16)}
.al .fair{border-color:var(--al-fair);background:rgba(192,127,0,.16)}
.al .bad{border-color:var(--al-bad);background:rgba(217,72,59,.16)}
.al-box{width:fit-content;max-width:100%;box-sizing:border-box;overflow:auto;max-height:420px;border:1px solid var(--al-line);border-radius:6px;margin:0 0 8px}
.al .al-box table{border-collapse:collapse;margin:0;width:auto;min-width:0;font-size:12.5px;color:inherit;background:none}
.al .al-box tr,.al .al-box tbody tr:nth-child(n){background:none}
.al .al-box tbody tr:nth-child(n):hover{background:rgba(128,128,128,.1)}
.al .al-box th,.al .al-box td{padding:4px 12px;text-align:left;vertical-align:top;border:0;border-top:1px solid var(--al-line);
white-space:pre-wrap;overflow-wrap:break-word;max-width:60ch}
.al .al-box thead th{border-top:0;font-weight:600;white-space:nowrap;border-bottom:1px solid var(--al-line)}
.al .al-box td.n,.al .al-box th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.al .al-box td.w{white-space:nowrap}
.al .al-box td.m{font-family:var(--al-mono);font-size:12px}
.al-null{opacity:.5;font-style:italic}
.al pre.al-raw,.al pre.al-told{margin:0;padding:10px 12px;white-space:pre-wrap;overflow-wrap:anywhere;color:inherit;background:none;border:0;
font:12.5px/1.65 var(--al-mono);tab-size:4}
.al-raw .al-block{background:rgba(128,128,128,.13);padding:2px 0;box-decoration-break:clone;-webkit-box-decoration-break:clone}
.al-raw .al-act{border-bottom:2px solid var(--al-line)}
.al-raw .al-act.good{background:rgba(26,154,90,.16);border-bottom-color:var(--al-good)}
.al-raw .al-act.fair{background:rgba(192,127,0,.16);border-bottom-color:var(--al-fair)}
.al-raw .al-act.bad{background:rgba(217,72,59,.16);border-bottom-color:var(--al-bad)}
.al-raw .al-fix{outline:1px solid var(--al-mark);background:rgba(59,130,196,.3);border-radius:2px}
.al-raw .al-fix:empty::before{content:"\\2038";color:var(--al-mark);font-weight:700}
.al-raw [data-tag]::before{content:attr(data-tag);font:600 10.5px/1.4 var(--jp-ui-font-family,system-ui,sans-serif);
border:1px solid currentColor;border-radius:4px;padding:0 4px;margin:0 4px 0 1px;opacity:.75;white-space:nowrap}
.al-unseen{font-size:0;unicode-bidi:isolate;white-space:nowrap}
.al-unseen::before{content:attr(data-is);font:600 10px/1.3 var(--al-mono);color:var(--al-bad);border:1px solid;
border-radius:3px;padding:0 2px;margin:0 1px}
.al-unseen[data-is=CR]::before{color:currentColor;opacity:.45}
.al details{margin:0 0 8px}.al summary{cursor:pointer;margin:0 0 4px}
.al-bar{position:relative;display:inline-block;width:160px;height:10px;border-radius:5px;background:rgba(128,128,128,.22);
vertical-align:middle;overflow:hidden}
.al-bar i{position:absolute;top:0;bottom:0;background:rgba(59,130,196,.45)}
.al-bar u{position:absolute;top:0;bottom:0;width:2px;margin-left:-1px;background:currentColor}
""".replace("\n", "")
"""CSS for a ``style`` element."""


def escaped(text: object) -> str:
    """Return a text for an element's content or a quoted attribute, with each invisible character as a token."""
    return escape(laid_out(text))


def faithful(text: str) -> str:
    """Return a text as HTML with every character unchanged and none invisible.

    A token is drawn over an invisible character, which stays in place. So the element's text content is the text, with the same
    positions. HTML can't contain two kinds of characters: NUL becomes ␀, a lone surrogate becomes �.
    """
    return "".join(_drawn(character) if is_unseen(character) else escape(character) for character in text)


def frame(*parts: str) -> str:
    """Return parts of HTML as one display, with its style."""
    return f'<div class="al"><style>{STYLE}</style>{"".join(parts)}</div>'


def heading(title: str, *facts: str) -> str:
    """Return the line at the top: a title, then facts."""
    rest = "".join(f'<span class="al-fact">{fact}</span>' for fact in facts if fact)
    return f'<div class="al-top"><b>{escaped(title)}</b>{rest}</div>'


def chip(word: object, tone: str = "") -> str:
    """Return a status as a small mark."""
    return f'<span class="al-chip {tone}">{escaped(str(word).replace("_", " "))}</span>'


def _drawn(character: str) -> str:
    match character:
        case "\0":
            kept = "\u2400"
        case "\r":
            kept = "&#13;"
        case _:
            kept = writable(character)
    return f'<bdi class="al-unseen" data-is="{token(character)}" title="{escape(described(character))}">{kept}</bdi>'
