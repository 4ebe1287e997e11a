import textwrap

text = "This is a fairly long note that should be wrapped so that it reads well in a narrow column."
print(textwrap.fill(text, width=40))
