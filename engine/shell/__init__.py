"""What commands are made of: their options, the engine they are given, what they print. Nothing here knows a desk."""
