from string import Template

text = Template("Dear $name, your task '$task' is due.").substitute(name="Ann", task="Review")
gb.datavault_store(text, filetype="letter")
print(text)
