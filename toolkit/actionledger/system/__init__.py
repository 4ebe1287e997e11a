"""What any room may need of the machine: locks, forks, processes of our own, folders and files."""
