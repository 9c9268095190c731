"""Analysts of a share: the market by the minute, news and sentiment by the day, fundamentals by the week."""
