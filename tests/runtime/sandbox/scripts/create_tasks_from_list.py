import json

# Create tasks from a list
tasks = [
    'Review PR #123',
    'Update documentation',
    'Fix bug in authentication'
]

created_ids = []
for task_content in tasks:
    result = gb.create_task(task_content, notes='Auto-generated')
    created_ids.append(result['task_id'])
    gb.log(f"Created task: {result['task_id']}")

# Store summary in datavault
summary = json.dumps({'created_tasks': created_ids, 'total': len(created_ids)})
gb.datavault_store(summary, filetype='json', notes='Task creation summary')

print(f"Created {len(created_ids)} tasks")
