"""What the engine says of proposals, orders, accounts and positions. A sentence a pair of lines: as its code writes it, `{}` where it
puts something in; in Chinese, `{0}` the first of these."""

TRADING = """
nobody answered in time
无人及时答复
{} came after it
已被更新的提案取代：{0}
nothing was ordered: {}
没有下单：{0}
nothing was ordered: trading was halted
没有下单：交易已暂停
{} at {}, fee {}{}
以 {1} 成交 {0}，手续费 {2}{3}
ITS STOP IS NOT CONFIRMED
其止损未得到确认
its order rests at {}, good for one session
委托挂在 {0}，仅当日有效
the levels stand
止损与目标已就位
the session of {} did not trade through {}: it was good for the day
{0} 的交易未穿过 {1}：委托仅当日有效
the market had nothing to offer at {} or better when it arrived
到达市场时没有 {0} 或更优的报价
{} shares are no order of {}: whole lots of {}, {} at least
{1} 不能委托 {0} 股：每手 {2} 股，至少 {3} 股
{} shares of {} cannot be sold: {} may be in this session
{1} 不能卖出 {0} 股：本交易日可卖 {2} 股
the lot of {} is not known: companies in Hong Kong choose their own
不知道 {0} 的每手股数：香港公司自定
it was decided with {} shares held, and now it is {}
决策时持有 {0} 股，现为 {1} 股
the shares were sold
股份已卖出
trading was halted
交易已暂停
trading is halted: proposal {} cannot be approved; `unhalt` allows it again
交易已暂停：在恢复之前不能批准提案 {0}
{} has signed proposal {} already: a second person has to
{0} 已签署提案 {1}：需另一人签署
proposal {} was changed by {} since you read it: read it again before you sign
提案 {0} 在你阅读之后被 {1} 修改：请重新阅读后再签
no position in {} is open
{0} 没有持仓
{} of {} {} is ours
{2} 的持仓 {1} 中，{0} 为本系统所开
none of the {} {} is ours
{1} 的持仓 {0} 均非本系统所开
{}{}: say how much to close
{0}{1}：请说明平仓数量
the entry that still worked ({}) was cancelled
仍在挂单的入场委托（{0}）已撤销
nothing was ordered: its market was closed
未下单：该市场已被平仓
proposal {} is not known: `proposals` lists them
没有提案 {0}
proposal {} is {} since {}, by {}{}{}
提案 {0} 自 {2} 起为“{1}”，由 {3}{4}{5}
a contract is ordered at market: there is no limit price to change
合约以市价下单：没有可修改的限价
an order is at market or has a limit price: give one of them
委托或为市价，或有限价：请只给其一
the limit {} is between two prices of this market: they are whole steps of {}; the next is {}
限价 {0} 介于该市场两个价位之间：价位为 {1} 的整数倍；最近的是 {2}
the limit {} is outside the session's prices: from {} to {}
限价 {0} 超出当日价格范围：{1} 至 {2}
nothing is traded here: only the stop and the target of the position can be changed
此处不交易：只能修改持仓的止损与目标
an order that makes a position smaller has no stop, target or leverage: change its size
减仓委托没有止损、目标或杠杆：请修改数量
size {} is no order here: whole lots of {}, {} at least
数量 {0} 不能委托：须为 {1} 的整数倍，至少 {2}
{} {} is not a number above zero, or none that any market knows
{0} {1} 不是大于零的数，或没有市场用这样的数
a rejection wants a reason: --why TEXT
拒绝须写明理由
proposal {} is locked: {}; refresh it: a new snapshot, checked and decided again
提案 {0} 已锁定：{1}；请刷新：以新的快照重新核验与决策
proposal {} is locked: its stop is farther away than the one that stands now; propose it again
提案 {0} 已锁定：其止损比现有止损更远；请重新提出
proposal {} is locked: {}
提案 {0} 已锁定：{1}
proposal {} is locked: at the price of now, {}
提案 {0} 已锁定：按现价，{1}
proposal {} is blocked: {}
提案 {0} 已被阻止：{1}
shares are paid for in cash: there is no leverage to change
股票以现金支付：没有可修改的杠杆
leverage {} is not from 1 to {}
杠杆 {0} 不在 1 至 {1} 之间
proposal {} stays as it was: {}
提案 {0} 保持不变：{1}
shares cannot be ordered on {}: no source of companies is there
无法在 {0} 委托股票：那里没有公司数据源
{} holds {}, and nobody knows since when: what it went through cannot be measured
{0} 持有 {1}，但不知何时建仓：无法衡量其经历
{} is held in several accounts: name one with --account ({})
{0} 在多个账户中持有：请指明账户（{1}）
the broker refused to close {}: {}
经纪商拒绝平仓 {0}：{1}
size {} is below one step of {}, {}
数量 {0} 小于 {1} 的最小步长 {2}
nobody knows since when it is held
不知何时建仓
{}: no closed candle is known at {} UTC
{0}：{1} UTC 没有已收盘的K线
this was decided for the account {}, and orders would go to {} now (TRIBUNAL_LIVE): answer it with the settings it was decided with
此提案针对账户 {0}，而委托现在会送往 {1}（TRIBUNAL_LIVE）：请在决策时的设置下答复
proposal {} was approved, and nothing was ordered: {}
提案 {0} 已批准，但没有下单：{1}
the broker refused order {} of proposal {}: {}
经纪商拒绝了提案 {1} 的委托 {0}：{2}
proposal {} was approved, and {}
提案 {0} 已批准，但{1}
the market took {} s to give its price, more than the {} s it may be old
行情用了 {0} 秒才给出价格，超过允许的 {1} 秒
another process has taken care of it
已由另一进程处理
it took {} s from the measuring to the order, more than {}
从测量到下单用了 {0} 秒，超过 {1} 秒
none of the {} {} is ours{}: close it by hand if that is meant
{1} 的持仓 {0} 均非本系统所开{2}：如确要平仓，请手动平仓
{} of the {} that was signed is ours: no more was sent
签署的数量 {1} 中，{0} 为本系统所开：只发送了这一部分
the proposal expired at {} UTC, before its order left
提案已于 UTC {0} 过期，其委托尚未发出
it took too long to measure, and another approval has come before it
测量用时过长，另一批准已先到
the order of proposal {} is gone from the journal: run `verify`
提案 {0} 的委托已不在日志中：请核验日志
order {} of proposal {} may or may not have reached the broker ({}); it is looked for by its id and not sent again
提案 {1} 的委托 {0} 是否到达经纪商不明（{2}）；将按其编号查找，不会重发
proposal {} stays as it is, and nothing was ordered: {}
提案 {0} 保持不变，没有下单：{1}
the levels of proposal {} may stand in part ({}); this is finished or taken back
提案 {0} 的止损与目标可能只部分就位（{1}）；将补完或撤回
an exchange's account is traded at its own prices: use --feed live with --broker exchange
交易所账户按其自身价格交易：请使用实时行情
a decision about the past cannot be ordered on an exchange: leave --at out, or use --broker paper
关于过去的决策不能在交易所下单：请不填时间，或使用模拟账户
what is decided for a position in a file cannot be proposed: leave --position out, the broker's own counts
针对文件中持仓的决策不能成为提案：以经纪商的持仓为准
{}: its stop and target stand there already: nothing is changed
{0}：其止损与目标已在该处：没有变化
the levels of {} stay as they are: {}
{0} 的止损与目标保持不变：{1}
the position in {} was not opened here: change its stop where it was opened
{0} 的持仓不是在此建立的：请在建仓处修改止损
nobody knows since when {} is held: what it risks cannot be measured
不知 {0} 何时建仓：无法衡量其风险
{}: no candles reach back to {}: what happened since cannot be known
{0}：没有可回溯至 {1} 的K线：此后的情况无从得知
no shares of {} may be sold in the session of {}: they were bought in it
{0} 在 {1} 买入，当日不可卖出
size {} is below one lot of {}, {} shares
数量 {0} 不足 {1} 的一手（{2} 股）
{}: no prices reach back to {}: what happened since cannot be known
{0}：没有可回溯至 {1} 的价格：此后的情况无从得知
{}: {} sessions have passed since the account was read, more than {}
{0}：自读取账户以来已过 {1} 个交易日，超过 {2} 个
shares are ordered on paper only: leave --broker exchange out
股票只能在模拟账户委托
account {} is not known
没有账户 {0}
an older one could not be cancelled: {}
较早的一笔未能撤销：{0}
the venue ended it without a fill ({})
交易所未成交即结束了它（{0}）
it was cancelled
已撤销
it would turn the position round: close it first
这会使持仓反向：请先平仓
it would turn the position round
这会使持仓反向
there is no position it could make smaller
没有可减的持仓
a position is open in this market already
该市场已有持仓
{} is below the market's smallest order
{0} 小于该市场的最小委托
the order cannot be sized: price, stop or leverage is not usable
无法计算委托数量：价格、止损或杠杆不可用
an order of {} (worth {}) is below the market's smallest: at least {}
委托 {0}（价值 {1}）低于市场最小值：至少 {2}
{} is an index: it cannot be ordered; order a fund that follows it
{0} 是指数，不能委托；请委托跟踪它的基金
the paper account {} is too busy: try again
模拟账户 {0} 繁忙：请重试
the paper account {} has lost everything: there is no equity to trade with
模拟账户 {0} 已亏损殆尽：没有可交易的权益
{}: how it stood then is past
{0}：当时的状况已成过去
the paper account {} has come to {} UTC in {}: what it held at {} UTC is past
模拟账户 {0} 在 {2} 已推进到 {1} UTC：{3} UTC 时的持仓已成过去
an order that protects is no trade: it is carried out by `protect`
保护性委托不是交易：由修改止损与目标来执行
its order is {}
其委托为 {0}
no order was made of it
没有由它产生委托
a spot market cannot be sold short
现货市场不能做空
its best and worst price are not known: {}
其最优与最差价格未知：{0}
the process ended before they stood
进程在其就位之前已结束
proposal {} of the same account comes first ({}); approve this one again
同一账户的提案 {0} 在先（{1}）；请再次批准本提案
nobody knows yet what became of the order of proposal {}; it is looked for by its id
尚不知提案 {0} 的委托结果；将按其编号查找
the price {} is beyond {}, the worst it may be filled at
价格 {0} 超出可接受的最差成交价 {1}
the price {} is beyond its {} {} already
价格 {0} 已越过其{1} {2}
it needs a margin of {}, and {} is free
需要保证金 {0}，可用 {1}
the position was closed
持仓已平
there is no position it could protect
没有可保护的持仓
its limit {} is outside the session's prices, {} to {}
其限价 {0} 超出当日价格范围 {1} 至 {2}
no shares of it are held, and shares cannot be sold short
没有持有该股票，且股票不能卖空
{} shares cannot be sold: {} of {} may be{}
不能卖出 {0} 股：{2} 股中可卖 {1} 股{3}
{} shares are no sale here: whole lots of {}, or all of a rest below a lot
此处不能卖出 {0} 股：须为 {1} 股的整手，或不足一手的全部余数
a buy makes no position in shares smaller
买入不会减少持股
shares of it are held already
已持有该股票
{} shares are no order here: whole lots of {}, {} at least
此处不能委托 {0} 股：须为 {1} 股的整手，至少 {2} 股
it costs {} {} with its fees, and {} in cash may be spent
含费用需 {0} {1}，可用现金 {2}
the price {} is at its {} limit of the session: nobody {}
价格 {0} 处于当日{1}限：没有人{2}
the paper account {} has come further than {} UTC in {}
模拟账户 {0} 在 {2} 已超过 {1} UTC
{} and worth {}
{0} 且价值 {1}
nothing was ordered: the broker never got the order
没有下单：经纪商从未收到委托
the levels stay as they were: {}
止损与目标保持不变：{0}
nothing was ordered: the process ended before the order left, and it is too late now
没有下单：进程在委托发出前已结束，现在为时已晚
the broker does not know the order yet
经纪商尚不知该委托
the process ended before it could be
进程在此之前已结束
{}: decided as if nothing were held, and nothing can be ordered from it
{0}：按没有持股决策，且不能据此下单
{} {} is below {}, the smallest price of this market
{0} {1} 低于该市场的最小价格 {2}
the clock was put back while it was measured: how long ago that was nobody can say
测量期间时钟被调回：无法得知那是多久以前
proposal {} is approved, and its order has not left: {}; it leaves once that can be written, unless trading is halted or it expires before
提案 {0} 已批准，其委托尚未发出：{1}；可写入后即发出，除非交易暂停或先行过期
order {} of proposal {}: {}; {}; it is put down once that can be
提案 {1} 的委托 {0}：{2}；{3}；可写入后即记下
the broker says that it is {}
经纪商称其状态为“{0}”
nobody knows yet what became of an order in {}: change its levels when that is known
尚不知 {0} 的一笔委托的结果：待知晓后再修改止损与目标
"""
