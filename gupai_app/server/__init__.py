"""A page in the browser to play, to look back at games and to try claims: `gupai web`, needs `gupai[web]`.

Nothing of a game is kept here. The address of a table holds all of it, the seed and every action so far; so the back
button, two tabs, double clicks and a server that is started again lose nothing.
"""
