"""Building blocks of formats: each part knows what a dialect is, and none knows a format.

Every format returns verdicts and writes its calls. Beyond that it is a marker around JSON, JSON that must be recognized
by its content, calls in Python's notation, or a tag for each parameter.

    markers        the end of a marker's block, thoughts, and shared verdicts
    writing        calls and values as text                 truth          the truth value of a flag
    truncation     calls cut off by the end of the text     templates      the fields of a response template

    marked         JSON after a marker, sections of calls   plain_calls    fast paths for the usual calls
    json_values    values at known places                   value_faults   values that are broken, cut or contradictory
    json_calls     objects that are calls                   json_shapes    objects that are actions
    json_blocks    such objects in a labelled fence         fence_content  the values in a fence, and its end

    python_source  calls in Python source, read strictly

    tagged_calls   a tag for each parameter, parsed         call_tags      its grammar, and the same written
    tag_grammar    the tags of one action                   tag_strangers  unknown tags with known fields
    tag_bodies     a field's text without its wrapping      nested_tags    tags with the parameters' names
    value_trees    lists and objects as tags
"""
