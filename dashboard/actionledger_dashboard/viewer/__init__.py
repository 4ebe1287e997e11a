"""The session viewer that the dashboard and notebooks share: a turn as plain values, and a page that draws it.

It needs neither Streamlit nor a server. ``asking.view_of`` queries a ledger for a turn with its neighbours. ``page.page_of`` makes an
HTML page of it that requests nothing from any host, and ``page.frame_of`` a frame for a notebook's output. ``visible.pieces`` converts
every untrusted text, which is drawn as text, never as HTML.
"""
