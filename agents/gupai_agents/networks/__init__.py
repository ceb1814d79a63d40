"""Networks as players: the checkpoints they are read from, their arithmetic in numpy, and ONNX graphs."""
