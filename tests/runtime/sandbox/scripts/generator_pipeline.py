def read(lines):
    for line in lines:
        yield line.strip()

def non_empty(lines):
    for line in lines:
        if line:
            yield line

text = "one\n\n two \n\nthree"
list(non_empty(read(text.split("\n"))))
