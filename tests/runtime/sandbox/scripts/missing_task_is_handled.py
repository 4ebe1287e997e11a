try:
    gb.update_task(999, status="completed")
except ValueError as e:
    print("Could not update:", e)
