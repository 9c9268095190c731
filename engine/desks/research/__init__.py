"""The research flow: a question in, documents of several sources and an answer that cites them out."""
