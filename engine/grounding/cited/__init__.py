"""Sentences with the sources they cite, held to what those say."""
