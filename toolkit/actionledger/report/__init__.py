"""Display of values in a notebook and in a terminal: pure functions from values to HTML and text.

Any text may be a model's, so all of it passes through ``text.visible`` or ``html.escaped`` before display. Nothing is rendered, and
there are no scripts or requests. Colours follow the surroundings, light or dark.
"""
