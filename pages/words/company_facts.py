"""Names of facts of companies and of the account that trades them, in English and Chinese."""

from collections.abc import Mapping

COMPANY_FACTS: Mapping[str, tuple[str, str]] = {
    "previous_close": ("Previous close", "前收盘"),
    "change_1d_pct": ("Change on the day", "日涨跌"),
    # valuation
    "market_cap": ("Market capitalisation", "市值"),
    "enterprise_value": ("Enterprise value", "企业价值"),
    "pe_ratio": ("P/E", "市盈率"),
    "pb_ratio": ("P/B", "市净率"),
    "ps_ratio": ("P/S", "市销率"),
    "peg_ratio": ("PEG", "市盈增长比"),
    "ev_to_ebitda": ("EV/EBITDA", "企业价值倍数"),
    "ev_to_revenue": ("EV/revenue", "企业价值营收比"),
    "dividend_yield_pct": ("Dividend yield", "股息率"),
    "fcf_yield_pct": ("Free cash flow yield", "自由现金流收益率"),
    # what was earned
    "revenue": ("Revenue", "营收"),
    "net_income": ("Net income", "净利润"),
    "free_cash_flow": ("Free cash flow", "自由现金流"),
    "eps": ("Earnings per share", "每股收益"),
    "fcf_per_share": ("Free cash flow a share", "每股自由现金流"),
    "book_value_per_share": ("Book value a share", "每股净资产"),
    "gross_margin_pct": ("Gross margin", "毛利率"),
    "operating_margin_pct": ("Operating margin", "营业利润率"),
    "net_margin_pct": ("Net margin", "净利率"),
    "return_on_equity_pct": ("Return on equity", "净资产收益率"),
    "return_on_assets_pct": ("Return on assets", "总资产收益率"),
    "return_on_invested_capital_pct": ("Return on invested capital", "投入资本回报率"),
    "payout_ratio_pct": ("Payout ratio", "派息率"),
    # growth
    "revenue_growth_pct": ("Revenue growth", "营收增速"),
    "earnings_growth_pct": ("Earnings growth", "净利润增速"),
    "eps_growth_pct": ("Growth of earnings per share", "每股收益增速"),
    "fcf_growth_pct": ("Growth of free cash flow", "自由现金流增速"),
    # debt
    "debt_to_equity": ("Debt to equity", "负债权益比"),
    "current_ratio": ("Current ratio", "流动比率"),
    "quick_ratio": ("Quick ratio", "速动比率"),
    "interest_coverage": ("Interest coverage", "利息保障倍数"),
    # the account
    "account_cash": ("Cash", "现金"),
    "account_total_value": ("Value of the account", "账户总值"),
    "shares_held": ("Shares held", "持股数"),
    "average_price": ("Average price paid", "持仓均价"),
    "position_value": ("Value of the position", "持仓市值"),
    "position_weight_pct": ("Share of the account", "持仓占比"),
    "max_drawdown_pct": ("Largest fall of the account", "账户最大回撤"),
    "largest_allowed_order": ("Largest allowed order", "最大允许委托"),
}

PERIODS: Mapping[str, tuple[str, str]] = {
    "ttm": ("twelve months", "近12个月"),
    "annual": ("year", "年度"),
    "quarterly": ("quarter", "季度"),
}
"""What stands before a key of reported figures."""
