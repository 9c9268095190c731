"""What the engine says of exchanges, accounts there and their answers; a sentence a pair of lines, as in `trading`."""

VENUES = """
{} trades in the present only, not at {} UTC
{0} 只在当前时刻交易，不能在 {1} UTC
the account at {} is in hedge mode: set it to one-way mode, positions of both sides are not traded here
{0} 的账户处于双向持仓模式：请改为单向模式，此处不交易双向持仓
{} does not say whether the account is in one-way mode
{0} 未说明账户是否为单向模式
{} answered its open orders in a form that cannot be read: they are not known
无法读取 {0} 返回的未成交委托：情况不明
{} does not report a balance of {}
{0} 未报告 {1} 的余额
the account {} holds no {}: there is no equity to trade with
账户 {0} 没有 {1}：没有可交易的权益
{} set a leverage of {}x in place of {}x: nothing was ordered
{0} 设置了 {1} 倍杠杆，而非 {2} 倍：没有下单
{} answered its positions in a form that cannot be read: they are not known
无法读取 {0} 返回的持仓：情况不明
{} reported a position that cannot be read: {}
{0} 报告了无法读取的持仓：{1}
{} lists no market: its answer was empty
{0} 没有列出任何市场：其回答为空
{} answered its ledger in a form that cannot be read
无法读取 {0} 返回的账务记录
the venue's ledger cannot be read
无法读取交易所的账务记录
the venue's ledger holds a row that cannot be read
交易所的账务记录中有一行无法读取
{} answered {} in a form that cannot be read: they are not known
无法读取 {0} 返回的{1}：情况不明
{} has no perpetual market {} settled in its quote currency: it is not traded here
{0} 没有以计价货币结算的永续市场 {1}：此处不交易
{} trades {} in other steps: {} would have become {}, so nothing was ordered
{0} 交易 {1} 的步长不同：{2} 会变成 {3}，因此没有下单
{} prices {} in other steps: {} would have become {}, so nothing was ordered
{0} 对 {1} 的报价步长不同：{2} 会变成 {3}，因此没有下单
the client id {} is longer than {} characters: its stop could not be named after it
委托编号 {0} 超过 {1} 个字符：无法以其命名止损
the venue's answer is not about order {}
交易所的回答与委托 {0} 无关
the venue's answer does not say what became of order {}
交易所的回答未说明委托 {0} 的结果
the venue reported a conditional order that cannot be read
交易所报告了无法读取的条件委托
{}, and is done in part
{0}，只完成了一部分
the {} stands at {}, and {}
{0} 位于 {1}，并且{2}
{}, and it cannot be read back: {}
{0}，且无法回读：{1}
the stop at {} of {} could not be put back: {}
{1} 在 {0} 的止损未能恢复：{2}
its position is gone already
其持仓已不存在
the {} at {} could not be placed ({})
{1} 处的{0}未能下达（{2}）
{} does not serve this place (HTTP {}): {}
{0} 不向本地区提供服务（HTTP {1}）：{2}
{} has banned this address for a while (HTTP 418, too many requests): wait, or {}
{0} 暂时封禁了本地址（HTTP 418，请求过多）：请等待，或 {1}
{} answered with a web page instead of data: is {} its address?
{0} 返回了网页而非数据：{1} 是它的地址吗？
{} sent an answer that is cut off after {} characters
{0} 的回答在 {1} 个字符后中断
{} answered candles with {}
{0} 对K线的回答是 {1}
exchange {} gives no candles: choose one that has them, for example binanceusdm or kraken
交易所 {0} 不提供K线：请另选，例如 binanceusdm 或 kraken
exchange {} cannot be traded on here, it lacks {}: choose another, such as binanceusdm
此处不能在交易所 {0} 交易，它缺少 {1}：请另选，例如 binanceusdm
exchange {} needs keys to trade: set {}
在交易所 {0} 交易需要密钥：请设置 {1}
exchange {} wants {}, for which there is no setting: choose another exchange
交易所 {0} 需要 {1}，而没有对应的设置：请另选交易所
exchange {} has no sandbox: choose another exchange
交易所 {0} 没有测试环境：请另选交易所
TRIBUNAL_EXCHANGE_URL is not the address of an exchange: write http://host:port or https://host
TRIBUNAL_EXCHANGE_URL 不是交易所地址：请写成 http://host:port 或 https://host
keys are never sent over plain http to another host ({}): write https:// in TRIBUNAL_EXCHANGE_URL
密钥绝不以明文 http 发往其他主机（{0}）：请在 TRIBUNAL_EXCHANGE_URL 中使用 https://
{} cannot be reached, {} was not sent: {}
无法连接 {0}，{1} 未发送：{2}
{} may or may not have got {}: {}
{0} 是否收到 {1} 不明：{2}
{} refused the account: {}; {}
{0} 拒绝了该账户：{1}；{2}
{} did not give {} within {} s
{0} 未在 {2} 秒内给出 {1}
{} answered its time in a form that cannot be read
无法读取 {0} 返回的时间
{} refused {}: {}
{0} 拒绝了 {1}：{2}
{} does not know the symbol: {}
{0} 没有该标的：{1}
{} did not give {} in {} attempts: {}
{0} 在 {2} 次尝试中未给出 {1}：{3}
{} answered {} in a form that cannot be read ({})
无法读取 {0} 返回的 {1}（{2}）
TRIBUNAL_LIVE is not yes: orders go to the exchange's sandbox
TRIBUNAL_LIVE 不是 yes：委托送往交易所的测试环境
these are not the words: type those that stand in the terminal in which this program was started
文字不符：请输入启动本程序的终端中显示的文字
real orders are not confirmed yet: the settings page asks for it once per start
真实委托尚未确认：每次启动后须在设置页确认一次
wrong words were typed too often: start the program again, it will show new ones
输错次数过多：请重新启动程序，它会显示新的文字
wrong words were typed: the next try is possible in {} s
文字有误：{0} 秒后可再试
the exchange did not answer within {} s: the state of the account is not known
交易所未在 {0} 秒内答复：账户状况不明
there was no answer within {} s; what was begun goes on: look at `proposals`
{0} 秒内没有答复；已开始的会继续：请看审批页
nobody looked: the engine is closing
未查看：引擎正在关闭
the venue took it and does not show it
交易所已接受，但没有显示
its conditional orders
其条件委托
the state of the position is not known: {}
持仓状况不明：{0}
choose another venue with TRIBUNAL_EXCHANGE, or a gateway with TRIBUNAL_EXCHANGE_URL
请以 TRIBUNAL_EXCHANGE 另选交易所，或以 TRIBUNAL_EXCHANGE_URL 指定网关
the connection failed
连接失败
check TRIBUNAL_API_KEY and TRIBUNAL_API_SECRET, what the key may do and from which addresses
请检查 TRIBUNAL_API_KEY 与 TRIBUNAL_API_SECRET、密钥的权限及其允许的地址
exchange {} is not known to ccxt
ccxt 没有交易所 {0}
write a ccxt id, such as kraken
请填写 ccxt 编号，例如 kraken
"""
