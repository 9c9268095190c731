"""From decision to position: proposals, their answers, orders and what is held. Names protocols, never a broker or a feed."""
