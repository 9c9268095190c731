"""What pages draw still pictures with. Imported late: mplfinance takes long to import."""

from engine.prompts.chart_image import DRAWING, draw_candles

__all__ = ["DRAWING", "draw_candles"]
