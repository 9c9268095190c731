"""From items to raw claims: which parts speak of now, and what is stated in them."""
