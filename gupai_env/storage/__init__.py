"""Files on the disk: written whole, and read through a model that says what each may hold."""
