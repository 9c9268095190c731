"""What the lines of a check say, in English and Chinese. `{name}` stands for what a sentence is told."""

from collections.abc import Mapping

from engine.domain.text.language import Language

_WORDS: Mapping[str, tuple[str, str]] = {
    "program_fault": ("this check itself broke: {kind}: {text}", "该检查本身出错：{kind}：{text}"),
    "program_fault_do": ("a fault of the program: report it with this line", "这是程序缺陷：请附上这一行反馈"),
    "no_answer": ("no answer within {seconds} s", "{seconds} 秒内没有回应"),
    "no_answer_do": (
        "look at the network, the proxy and the address; a slow one may need a longer --within",
        "请检查网络、代理与地址；较慢的服务可能需要更长时间",
    ),
    "failed_do": ("put right what the line names and check again", "按此行所述修正后再检查"),
    "venue_do": (
        "check the network, the proxy, TRIBUNAL_EXCHANGE and TRIBUNAL_EXCHANGE_URL, or the files of TRIBUNAL_DATA_DIR",
        "请检查网络、代理、TRIBUNAL_EXCHANGE 与 TRIBUNAL_EXCHANGE_URL，或 TRIBUNAL_DATA_DIR 中的文件",
    ),
    "not_asked": ("not asked: the model was not reached", "未询问：未能连上模型"),
    "not_for_script": ("the scripted model needs none of it", "脚本模型不需要"),
    "model_scripted": (
        "the scripted model of this program is used: its sentences are written by code, no language model is asked",
        "使用本程序自带的脚本模型：句子由代码写成，不询问任何语言模型",
    ),
    "model_scripted_do": (
        "for a language model set OPENAI_API_KEY and TRIBUNAL_MODEL",
        "要使用语言模型，请设置 OPENAI_API_KEY 与 TRIBUNAL_MODEL",
    ),
    "model_answers": ("{model} answers", "{model} 有回应"),
    "model_recorded": ("answers are read out of a recorded run, no model is asked", "回答取自已记录的运行，不询问模型"),
    "key_do": (
        "set OPENAI_API_KEY to a key of this endpoint that may use this model",
        "请将 OPENAI_API_KEY 设为该端点上可使用此模型的密钥",
    ),
    "model_name_do": (
        "check TRIBUNAL_MODEL, and that OPENAI_BASE_URL ends as the endpoint wants it (/v1)",
        "请检查 TRIBUNAL_MODEL，以及 OPENAI_BASE_URL 的结尾（/v1）",
    ),
    "busy_do": (
        "the endpoint limits requests: wait, or lower TRIBUNAL_MODEL_CONCURRENCY",
        "端点限制请求频率：请稍候，或调低 TRIBUNAL_MODEL_CONCURRENCY",
    ),
    "address_do": (
        "check OPENAI_BASE_URL (it usually ends in /v1), the network and the proxy",
        "请检查 OPENAI_BASE_URL（通常以 /v1 结尾）、网络与代理",
    ),
    "streams": ("the answer came as a stream", "回答以流的形式到达"),
    "streams_not": ("the endpoint ignores streaming: every answer comes in one piece", "端点不支持流式输出：每个回答一次性到达"),
    "streams_not_do": (
        "it works; for words as they are written switch streaming on at the endpoint",
        "可以使用；若要逐字显示，请在端点开启流式输出",
    ),
    "first_token": ("first words after {seconds} s, all of it after {whole} s", "首个词在 {seconds} 秒后，全部在 {whole} 秒后"),
    "no_text": ("the answer held no text", "回答没有文字"),
    "no_text_do": ("choose a model that writes text", "请选择能写出文字的模型"),
    "slow_do": (
        "a decision waits for four such calls in a row: a quicker model, or TRIBUNAL_CALL_DEADLINE_S raised",
        "一次决策要依次等待四次调用：请选更快的模型，或调高 TRIBUNAL_CALL_DEADLINE_S",
    ),
    "block_read": ("the closing block (direction, confidence) could be read", "结尾区块（direction、confidence）可以读取"),
    "block_unread": ("the closing block could not be read, missing: {keys}", "结尾区块无法读取，缺少：{keys}"),
    "block_unread_do": (
        "such answers are asked for again and then count as abstained: choose a model that keeps to a format",
        "这类回答会再问一次，仍不行则算弃权：请选择能遵守格式的模型",
    ),
    "tools_called": ("the tool was called as it should be", "工具调用正确"),
    "tools_none": ("no tool was called although one was asked for", "要求调用工具，但没有调用"),
    "tools_garbled": ("the arguments of the tool call are no JSON object", "工具调用的参数不是 JSON 对象"),
    "tools_refused": ("a call with tools was refused: {why}", "带工具的调用被拒绝：{why}"),
    "tools_do": (
        "decisions about markets need no tools; the equities desk does: choose a model with tool calling for it",
        "市场决策不需要工具；股票台需要：请为其选择支持工具调用的模型",
    ),
    "loop_not_begun": ("not asked: no tool was called", "未询问：没有调用工具"),
    "loop_ends": ("a call and its answer are taken back, and the loop ends when it shall", "接受带调用的历史，循环能按要求结束"),
    "loop_goes_on": ("told to call no more, the model called again", "要求不再调用后，模型仍继续调用"),
    "loop_goes_on_do": (
        "its loops end one question later, without tools: it works, and costs that question",
        "其循环会多问一次（不带工具）再结束：可用，只是多花这一问",
    ),
    "loop_refused": ("a history with a call was refused: {why}", "带调用的历史被拒绝：{why}"),
    "options_usual": ("it takes every option that is sent", "接受所有发送的选项"),
    "options_needed": ("learnt, and kept for a month: {what}", "已记下（保留一个月）：{what}"),
    "options_do": (
        "TRIBUNAL_REASONING_EFFORT or TRIBUNAL_EXTRA_BODY has no effect here: take out what is refused",
        "TRIBUNAL_REASONING_EFFORT 或 TRIBUNAL_EXTRA_BODY 在此无效：请去掉被拒绝的部分",
    ),
    "option_temperature": ("no temperature", "不发送 temperature"),
    "option_stream_options": ("no stream_options, so it may not report tokens", "不发送 stream_options，因此可能不报告词元"),
    "option_stream": ("whole answers instead of streams", "整段返回，不用流式"),
    "option_system": ("instructions in the user's message", "指令并入用户消息"),
    "option_tools": ("no tools: what a role plans to look up is given to it", "不支持工具：按角色的计划代为查询"),
    "option_tool_choice": ("no tool_choice", "不发送 tool_choice"),
    "option_carried": ("its thoughts are not sent back", "不回传其思考"),
    "option_no": ("no {name}", "不发送 {name}"),
    "option_bound": ("its bound is max_completion_tokens", "以 max_completion_tokens 限制长度"),
    "option_form_tool": ("a schema as the arguments of a tool", "以工具参数实现 schema"),
    "option_form_text": ("a schema by the words of the prompt", "仅靠提示词实现 schema"),
    "option_thinks": ("it thinks aloud, so no temperature is sent", "会写出思考，因此不发送 temperature"),
    "option_begins_thinking": (
        "its answers begin within a thought, so nothing is shown before that ends, and no temperature is sent",
        "回答以思考开头，思考结束前不显示，且不发送 temperature",
    ),
    "schema_kept_response_format": ("answers keep to a JSON schema (response_format)", "回答遵守 JSON schema（response_format）"),
    "schema_kept_tool": (
        "the endpoint takes no response_format: answers of a schema come as the arguments of a tool",
        "端点不接受 response_format：按 schema 的回答以工具参数返回",
    ),
    "schema_kept_text": (
        "the endpoint takes neither response_format nor tools: the words of the prompt ask for JSON, and it came",
        "端点既不接受 response_format 也不接受工具：仅靠提示词要求 JSON，已得到",
    ),
    "schema_not_kept_response_format": (
        "response_format is taken and not kept to: the answer was no such JSON",
        "端点接受 response_format 但未遵守：回答不是所要求的 JSON",
    ),
    "schema_not_kept_tool": (
        "the endpoint takes no response_format, and the tool for such answers was not used",
        "端点不接受 response_format，也没有使用相应的工具",
    ),
    "schema_not_kept_text": (
        "the endpoint takes neither response_format nor tools, and the answer was no JSON",
        "端点既不接受 response_format 也不接受工具，回答也不是 JSON",
    ),
    "schema_refused": ("a question for an answer of a schema was refused: {why}", "按 schema 作答的请求被拒绝：{why}"),
    "schema_do": (
        "plans are then read out of the text, or made by the words of the question: choose a model with structured output for them",
        "此时计划从文本中读取，或由问题的文字生成：请为其选择支持结构化输出的模型",
    ),
    "price_known": ("TRIBUNAL_PRICES has a price for {model}", "TRIBUNAL_PRICES 中有 {model} 的价格"),
    "price_unknown": (
        "TRIBUNAL_PRICES has no price for {model}: what a run costs is not known",
        "TRIBUNAL_PRICES 中没有 {model} 的价格：无法得知一次运行的花费",
    ),
    "price_do": (
        'add it, of a million tokens sent, received and read from a cache: TRIBUNAL_PRICES={{"{model}": [0.15, 0.6, 0.075]}}',
        '请添加（每百万词元的输入、输出与缓存命中价格）：TRIBUNAL_PRICES={{"{model}": [0.15, 0.6, 0.075]}}',
    ),
    "feed_simulated": ("markets are simulated: nothing outside is asked, and no price is real", "行情为模拟：不访问外部，价格均非真实"),
    "feed_simulated_do": (
        "for real prices set TRIBUNAL_FEED=live, or TRIBUNAL_DATA_DIR",
        "要使用真实价格，请设置 TRIBUNAL_FEED=live 或 TRIBUNAL_DATA_DIR",
    ),
    "feed_recorded": ("recorded markets that can be read: {n}", "可读取的已记录市场：{n}"),
    "feed_empty": ("the folder of recordings holds no market", "记录文件夹中没有任何市场"),
    "feed_empty_do": ("set TRIBUNAL_DATA_DIR to a folder of recorded candles", "请将 TRIBUNAL_DATA_DIR 设为已记录K线的文件夹"),
    "venue_reached": ("{venue} answers and lists {n} markets", "{venue} 有回应，列出 {n} 个市场"),
    "clock_skew": ("the clock of {venue} is {seconds} s from this machine's", "{venue} 的时钟与本机相差 {seconds} 秒"),
    "clock_unsaid": ("{venue} does not tell its time", "{venue} 不提供时间"),
    "clock_do": (
        "set this machine's clock by NTP: signed requests with a wrong time are refused",
        "请用 NTP 校准本机时钟：时间不准的签名请求会被拒绝",
    ),
    "rate_ours": ("this program sends at most {n} light requests a minute.", "本程序每分钟最多发送 {n} 个轻量请求。"),
    "rate_used": ("The venue counts {n} of weight in this minute, from this address.", "交易所统计本分钟本地址已用权重 {n}。"),
    "rate_unsaid": ("The venue does not count aloud.", "交易所未给出计数。"),
    "keys_paper": ("orders go to paper: no exchange key is used", "订单进入模拟盘：不使用交易所密钥"),
    "keys_accepted": ("the exchange takes the key: its account can be read", "交易所接受该密钥：账户可读取"),
    "keys_sandbox": ("a key of the sandbox: no real money is behind it", "沙盒密钥：背后没有真实资金"),
    "trade_may": ("the key may trade", "密钥可以交易"),
    "trade_not": ("the key may not trade", "密钥不可交易"),
    "trade_do": ("allow trading of futures for this key at the exchange", "请在交易所为该密钥开启合约交易"),
    "trade_unsaid": ("the exchange does not say whether the key may trade", "交易所未说明密钥是否可以交易"),
    "withdraw_not": ("the key may not withdraw", "密钥不可提币"),
    "withdraw_may": ("the key may withdraw: whoever gets hold of it can take everything", "密钥可以提币：任何拿到它的人都能取走全部资产"),
    "withdraw_do": ("make a key that may trade and may not withdraw, and delete this one", "请新建可交易、不可提币的密钥，并删除当前密钥"),
    "withdraw_unsaid": ("the exchange does not say whether the key may withdraw", "交易所未说明密钥是否可以提币"),
    "rights_do": ("look at the key's rights on the exchange's own page", "请在交易所页面查看该密钥的权限"),
    "home_writable": ("{home} can be written to", "{home} 可写"),
    "home_unwritable": ("{home} cannot be written to: {why}", "{home} 不可写：{why}"),
    "home_do": ("choose a TRIBUNAL_HOME that this user may write to", "请选择当前用户可写的 TRIBUNAL_HOME"),
    "space_free": ("{gigabytes} GB are free", "剩余空间 {gigabytes} GB"),
    "space_do": (
        "make room, or forget old runs (`prune --days N`): a full disk stops every order",
        "请清理空间，或删除旧运行（`prune --days N`）：磁盘写满会使所有订单停止",
    ),
    "space_unread": ("free space could not be read: {why}", "无法读取剩余空间：{why}"),
    "modes_closed": ("files are closed to other users", "文件对其他用户不可读"),
    "modes_open": ("other users may read: {names}", "其他用户可读：{names}"),
    "modes_more": (" and {n} more", " 等另外 {n} 个"),
    "modes_do": ("close it to them: chmod -R go-rwx {home}", "请收回权限：chmod -R go-rwx {home}"),
    "modes_unread": ("file modes could not be read: {why}", "无法读取文件权限：{why}"),
    "modes_unknown": ("this system has no file modes to read", "该系统没有可读取的文件权限"),
    "journal_fine": ("the journal can be read and written", "日志可读可写"),
    "journal_do": (
        "nothing that adds risk is ordered until this is put right: look at disk, rights and TRIBUNAL_DATABASE_URL",
        "修正前不会下达增加风险的订单：请检查磁盘、权限与 TRIBUNAL_DATABASE_URL",
    ),
    "chain_sound": ("the audit chain holds from its first row to its last", "审计链从头到尾完整"),
    "chain_more": ("; and {n} more", "；另有 {n} 处"),
    "chain_do": (
        "somebody changed what was written: keep a copy and look at every row with `verify`",
        "有人改动了记录：请保留副本，并用 `verify` 逐行查看",
    ),
    "login_own": ("no login is configured, and only this machine reaches the pages", "未配置登录，且仅本机可访问页面"),
    "login_open": ("no login is configured, and others can reach the pages", "未配置登录，其他人可以访问页面"),
    "login_open_do": (
        "add [auth] to .streamlit/secrets.toml, or let the server listen to 127.0.0.1 only",
        "请在 .streamlit/secrets.toml 中加入 [auth]，或让服务只监听 127.0.0.1",
    ),
    "login_unread": ("secrets.toml or config.toml in .streamlit cannot be read", ".streamlit 中的 secrets.toml 或 config.toml 无法读取"),
    "login_unread_do": ("mend its TOML; the pages refuse everybody until then", "请修正其 TOML；在此之前页面拒绝所有人"),
    "login_missing": ("the login lacks {names}", "登录配置缺少 {names}"),
    "login_missing_do": ("complete [auth] in .streamlit/secrets.toml", "请补全 .streamlit/secrets.toml 中的 [auth]"),
    "login_library": ("a login is configured, and the library it needs is not installed", "已配置登录，但未安装所需的库"),
    "login_library_do": ("pip install 'Authlib>=1.3.2'", "pip install 'Authlib>=1.3.2'"),
    "login_redirect": ("the login would lead back to another address", "登录后会返回到其他地址"),
    "login_redirect_do": (
        "set redirect_uri to the address that browsers show (TRIBUNAL_PUBLIC_URL), followed by {path}",
        "请将 redirect_uri 设为浏览器显示的地址（TRIBUNAL_PUBLIC_URL）加上 {path}",
    ),
    "login_short": ("the cookie secret of the login is short enough to guess", "登录的 cookie_secret 过短，容易被猜出"),
    "login_short_do": ("set cookie_secret to 32 random characters or more", "请将 cookie_secret 设为至少 32 个随机字符"),
    "login_whole": ("a login is configured and complete; its provider was not asked", "登录已完整配置；未询问登录服务商"),
    "versions_fit": (
        "Python {python}; all {n} direct dependencies are in the versions of requirements.txt",
        "Python {python}；{n} 个直接依赖均为 requirements.txt 中的版本",
    ),
    "versions_other": ("other versions than in requirements.txt: {names}", "与 requirements.txt 不同的版本：{names}"),
    "versions_missing": ("not installed: {names}", "未安装：{names}"),
    "versions_do": ("pip install -r requirements.txt", "pip install -r requirements.txt"),
    "versions_unread": ("there is no requirements.txt to compare with", "没有可供比较的 requirements.txt"),
}


class DiagnosticWords:
    """The words of one language. An unknown key is a KeyError."""

    def __init__(self, language: Language) -> None:
        self._at = int(language == "zh")

    def __call__(self, key: str, **values: object) -> str:
        return _WORDS[key][self._at].format(**values)
