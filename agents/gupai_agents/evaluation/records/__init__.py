"""Games that were played: lines of JSON, and arrays for learning from them."""
