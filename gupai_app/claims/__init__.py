"""Testing claims about good play: the commands, what they print, and the pages."""
