"""Texts of a model as HTML: shown as they are, and never as markup."""

from actionledger.core.html import faithful


def test_only_an_invisible_character_has_a_token():
    """Everything else is itself, escaped, so that positions in the element are those in the text."""
    assert faithful('a <b> & "c"\n') == "a &lt;b&gt; &amp; &quot;c&quot;\n"
    unseen = faithful("a\u200bb")
    assert unseen.startswith("a<")
    assert unseen.endswith(">b")
    assert "\u200b" in unseen
