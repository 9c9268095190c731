"""What an answer says, sentence by sentence, and what its sources hold of it: pure functions of texts."""
