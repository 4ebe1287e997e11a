"""Building blocks of formats: each part knows what a dialect is, and none knows a format.

Every format returns verdicts and writes its calls. Beyond that it is a marker around JSON, JSON that must be recognized
by its content, calls in Python's notation, or a tag for each parameter.

    verdicts         a block is parsed, unparseable, or only shown
    writing          calls and values as text

    markers          where a block ends that a marker opens
    marked           JSON after a marker                     sections         a section of calls, a marker around each

    thoughts         a family's thoughts between its own markers

    json_values      a value at a known place                doubts           values that must not be acted on
    json_calls       objects that are calls                  bare_calls       calls without a marker
    json_shapes      which objects are actions               json_blocks      such values in a labelled fence
    fence_content    the values in a fence, and its end      mislabelled      another label, or no fence

    python_source    calls in source, read strictly          python_literals  a literal as a JSON value
    python_blocks    blocks of such calls

    tagged_calls     a tag for each parameter, read          writing_tags     the same, written
    tag_grammar      the tags of one action                  tag_spelling     tags in another spelling
    nesting          calls within a value                    value_marks      tags of the format within a value
"""
