"""For people and disks: messages, the checks that refuse a value, files, spelling, the table as a scene and as text.

Nothing here knows a game or runs compiled.
"""
