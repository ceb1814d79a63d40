"""The page that plays in a browser with nothing installed."""
