"""What is said to people, and the languages in which it is said."""
