"""Replays: what they came to, drawn. HTML, without streamlit but for the charts."""
