task_result = gb.create_task('Review code', notes='High priority')
print(f"Created task: {task_result['task_id']}")
