goal = gb.create_goal("Read 12 books", notes="2026")
read = 5
percent = round(read / 12 * 100, 1)
gb.update_goal(goal["goal_id"], notes=f"progress {percent}%", status="ongoing")
print(gb.list_goals(status="ongoing")["goals"])
