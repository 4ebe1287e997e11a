"""How values look in a notebook and in a terminal: pure functions from values to HTML and to text.

A model may have written any of it: everything goes through ``text.visible`` or ``html.escaped`` before it is shown, nothing
is rendered, and there is no script and nothing to fetch. Colours are the surroundings' own, in light and in dark.
"""
