"""Evidence of intent: what is made of an offered name in call position that no dialect has read. See ``docs/evidence.md``.

weighing    the pass over what the dialects left; the table of what is made of each place
candidates  where offered names are called: fences, lines, sentences
statements  calls one after the other, with what stands around them
shapes      from a value to the calls that it states         arguments  by name, as one object, in order
names       offered names as models write them               places     quotations, echoes, thoughts, sentences
turns       turns that a model invents                       cues       words that ask, refuse or offer a choice
echoes      blocks that dialects read in places that quote  enclosed  calls in a tag named after another tool
glued       names that have grown together with what stood beside special tokens
"""
