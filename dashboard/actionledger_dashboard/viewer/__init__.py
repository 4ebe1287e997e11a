"""The viewer of a session, which the dashboard and notebooks share: what is drawn of a turn, as plain values, and a page that draws it.

It needs neither Streamlit nor a server. ``asking.view_of`` asks a ledger for a turn with its neighbours, ``page.page_of`` makes an HTML page of
it that asks no host for anything, and ``page.frame_of`` a frame for a notebook's output. Every text that others wrote is given as
``visible.pieces`` makes it and drawn as text, never as HTML.
"""
