gb.create_memory('Project initialized', notes='milestone')
