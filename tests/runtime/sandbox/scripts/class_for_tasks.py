class TaskBatch:
    def __init__(self, prefix):
        self.prefix = prefix
        self.ids = []

    def add(self, text):
        result = gb.create_task(f"{self.prefix}: {text}")
        self.ids.append(result["id"])
        return self

batch = TaskBatch("Launch")
batch.add("write post").add("send mail")
print(batch.ids)
