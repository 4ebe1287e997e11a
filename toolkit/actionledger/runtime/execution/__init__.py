"""ACT: checked calls become observations: approved, run, recorded, told to the model."""
