"""Every page in every state, visited once: what its boxes, its picture, axe and the keyboard have to say of it."""
