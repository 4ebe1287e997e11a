"""XML's escapes: read where the text is XML, left alone where a bare sign says that it is none."""

import pytest

from actionledger.reading.dialects.parts.call_tags import unescaped


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("a", "a"),
        ("&lt;a&gt; &amp;&amp; &quot;b&quot; &apos;c&apos;", "<a> && \"b\" 'c'"),
        ("&amp;lt;", "&lt;"),
        ("&#38;lt; &#x26;lt;", "&lt; &lt;"),
        ("&#20013;&#x1F345;", "中🍅"),
        ("a & b &lt;", "a & b &lt;"),
        ("<b>&lt;</b>", "<b>&lt;</b>"),
        ("&nbsp;", "&nbsp;"),
        ("&#xD800; &#9999999;", "&#xD800; &#9999999;"),
    ],
)
def test_escapes_stand_for_their_signs_unless_a_bare_sign_says_otherwise(text, meant):
    """An escape is undone once; what is no character stays as it was written."""
    assert unescaped(text) == meant
