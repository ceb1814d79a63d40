"""What people see: the command line, playing and watching in the terminal, reports."""
