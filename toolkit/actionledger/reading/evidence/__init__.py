"""Evidence of intent: judges calls of offered names that no dialect has read. See ``docs/evidence.md``.

weighing      the pass over text that no dialect read, with the verdict for each place
stretches     the parts of a response that no dialect read   candidates  calls of offered names in these parts
names         the offered names in all spellings             statements  calls in sequence
shapes        from a value to the calls in it                arguments   by name, as one object, in order
tags          calls in tags of no format                     own_marks   each dialect's marks around a call
rests         damaged calls                                  headed      calls whose name heads their arguments
foreign       calls in formats of other dialects             places      quotations, echoes, thoughts, invented turns
echoes        blocks that are quoted, invented or repeated   surroundings  the words around calls
"""
