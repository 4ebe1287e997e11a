"""What formats are made of: each part knows what a dialect is, and none knows a format.

Every format gives its verdicts and writes its calls; beyond that it is a marker around JSON, JSON that has to show by
itself what it is, calls in Python's notation, or a tag for each parameter.

    verdicts         a block was read, can't be read, is only shown
    writing          calls and values as text

    markers          where a block ends that a marker opens
    marked           JSON behind a marker                    sections         a section of calls, a marker around each

    thoughts         what a family thinks between markers of its own

    json_values      a value at a known place                doubts           values that are not to be acted on
    json_calls       objects that are calls                  bare_calls       calls without a marker
    json_shapes      which objects are actions               json_blocks      such values in a labelled fence
    fence_content    the values in a fence, and its end      mislabelled      another label, or no fence

    python_source    calls in source, read strictly          python_literals  a literal as a JSON value
    python_blocks    blocks of such calls

    tagged_calls     a tag for each parameter, read          writing_tags     the same, written
    tag_grammar      the tags of one action                  tag_spelling     tags that are spelt otherwise
    nesting          calls within a value                    value_marks      tags of the format within a value
"""
