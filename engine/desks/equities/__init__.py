"""The equities desk as a flow: private analysts with memories, fusion, two closed debates, a trader."""
