"""What the engine says of markets, companies, recordings and files; a sentence a pair of lines, as in `trading`."""

MARKETS = """
{}: {} candles are known from {} on, not at {}
{0}：{1} K线自 {2} 起才有，{3} 没有
{}: the {} candle of {} is missing, the newest before it is of {}
{0}：缺少 {2} 的 {1} K线，此前最新的是 {3}
{}: {} candles are missing between {} and {}; only those after it are used
{0}：{2} 与 {3} 之间缺少 {1} K线；只使用其后的
{}: {} {} candles are known at {}, {} were asked for
{0}：{3} 时有 {1} 根 {2} K线，需要 {4} 根
{} has no market {}: did you mean {}?
{0} 没有市场 {1}：是否指 {2}？
{} has no market {}
{0} 没有市场 {1}
{} has no {} candles: choose {}
{0} 没有 {1} K线：请选择 {2}
{} {}: no {} candles are known around {}
{0} {1}：{3} 前后没有 {2} K线
{}: the answer is no list of rows
{0}：回答不是数据行
the venue does not say in what steps {} is traded: it cannot be sized
交易所未说明 {0} 的交易步长：无法计算数量
{}: row {} of {} is no candle: {}
{0}：{2} 的第 {1} 行不是K线：{3}
{}: the candle of {} {}
{0}：{1} 的K线{2}
{} gave no past {} of {} up to {}
{0} 没有给出 {2} 截至 {3} 的{1}
{} keeps no past {} of {}
{0} 不保存 {2} 过去的{1}
{} has no value of the last 3 hours before {}
{0} 在 {1} 前3小时内没有数值
{} is not recorded in {}: it has {}{}{}
{1} 中没有 {0} 的录制：有 {2}{3}{4}
{} is not recorded in {}: it has {}{}
{1} 中没有 {0} 的录制：有 {2}{3}
{} is not recorded in {}
{1} 中没有 {0} 的录制
{}: the files have no instant at which {} candles are known
{0}：文件中没有任何时刻具备 {1} K线
{} has no {} candles and none to build them from: choose {}
{0} 没有 {1} K线，也没有可合成它的K线：请选择 {2}
{}: choose a time outside the gap
{0}：请选择缺口以外的时间
{} has no recorded {} up to {}
{0} 没有截至 {2} 的{1}录制
{} has {} for {}: {} is not known
{0} 在 {2} 为 {1}：{3} 未知
data folder {} holds no market: its files must be named {}
数据文件夹 {0} 中没有市场：文件须命名为 {1}
{} is not simulated: choose {}, or one of them as spot (BTC/USDT){}
没有 {0} 的模拟：请选择 {1}，或其现货（BTC/USDT）{2}
{} is simulated from {} on: {} is before its first {} candle
{0} 的模拟自 {1} 开始：{2} 早于其第一根 {3} K线
{} has no history of its {} at {}
{0} 在 {2} 没有{1}的历史
higher timeframe {} is not longer than {}: choose a longer one, or none
高周期 {0} 不长于 {1}：请选更长的，或不选
higher timeframe {} is not a multiple of {}: choose one that is, for example {}
高周期 {0} 不是 {1} 的整数倍：请选整数倍的，例如 {2}
the position was opened at {}, after the time of the decision, {}
持仓建立于 {0}，晚于决策时间 {1}
a chart needs at least 2 closed candles of {}, there are {}: ask for a later clock
图表至少需要 2 根 {0} 的已收盘K线，现有 {1} 根：请选较晚的时间
the {} candles cannot be drawn: {} holds a value that is not a finite number
无法绘制 {0} K线：{1} 中有非有限数值
only {} closed bars of {}, {} needed
只有 {0} 根 {1} 已收盘K线，需要 {2} 根
{} is in the future: it is {} now, choose an earlier time
{0} 在未来：现在是 {1}，请选较早的时间
time {} has no zone: write it with one, for example {}Z
时间 {0} 没有时区：请注明，例如 {1}Z
symbol {} is not readable: write BASE/QUOTE or BASE/QUOTE:SETTLE, for example BTC/USDT:USDT
无法识别标的 {0}：请写成 BASE/QUOTE 或 BASE/QUOTE:SETTLE，例如 BTC/USDT:USDT
timeframe {} is not known: write a number and m, h, d or w, for example 15m, 1h, 1d
没有周期 {0}：请写数字加 m、h、d 或 w，例如 15m、1h、1d
{} has no column ticker or symbol
{0} 没有 ticker 或 symbol 列
symbol {} is not readable: write AAPL, 600028.SH, 000858.SZ, 0700.HK or ^GSPC{}
无法识别代码 {0}：请写成 AAPL、600028.SH、000858.SZ、0700.HK 或 ^GSPC{1}
an index or fund files no reports
指数与基金没有财报
an index or fund has no sector
指数与基金没有行业
a company has no constituents
公司没有成分股
the live source does not read constituents
实时数据源不读取成分股
the live source does not read macro figures
实时数据源不读取宏观数据
the recordings hold no macro figures
录制中没有宏观数据
the recordings have a dividend of {} of the price on {}, which is hardly right
录制中 {1} 的分红为股价的 {0}，数值可疑
the recordings have a price {} times its neighbour on {}, which is hardly right
录制中 {1} 的价格与相邻价格相差 {0} 倍，数值可疑
the recordings have a split of {}:1 on {}, which is hardly right
录制中 {1} 的拆股比例为 {0}:1，数值可疑
the recordings have {} more values that are hardly right
录制中另有 {0} 个可疑数值
the recordings do not say its sector
录制中没有其行业
nothing was filed by then
截至当时没有财报
nothing was published in the 30 days before
此前30天没有新闻
no closes of constituents by then
截至当时没有成分股收盘价
no figure was published by then
截至当时没有公布数据
its sector is not known
不知道其行业
{} has no session at {}: the sessions beside it are {} and {}
{1} 不是 {0} 的交易日：前后的交易日为 {2} 与 {3}
live prices of {} need {}, not installed: pip install {}
{0} 的实时价格需要 {1}，尚未安装：pip install {2}
{} {} is in the future: it is {} UTC
{0} {1} 在未来：现在是 {2} UTC
{} has no row of {} for {}: its close is not known
{0} 没有 {2} 的{1}数据：收盘价未知
{} left a number out of {} rows: they are not used
{0} 有 {1} 行缺少数字：未使用
{}; choose a later or an earlier date
{0}；请选较晚或较早的日期
{}; choose a date whose close is there
{0}；请选有收盘价的日期
{} has no row for {}: it is recorded in {}
{0} 没有 {1} 的数据：录制范围为 {2}
data folder {} holds no prices of companies: its files must be named {}
数据文件夹 {0} 中没有公司价格：文件须命名为 {1}
{}: the price goes from {} to {} on {}, as in a split of {}, and {}
{0}：价格在 {3} 从 {1} 变为 {2}，如同 {4} 拆股，且{5}
{}: {} has no session at {}
{0}：{1} 在 {2} 没有交易日
timestamp {} is not on the trade date {} in {}
时间戳 {0} 不在 {2} 的交易日 {1}
the session after {} at {} is not known: its calendar ends {}
{1} 在 {0} 之后的交易日未知：其日历止于 {2}
no session at {} is known before {}
{0} 在 {1} 之前没有已知的交易日
the sessions of {} are known to {}, and {} is later: update exchange_calendars
{0} 的交易日仅知至 {1}，{2} 在此之后：请升级 exchange_calendars
the sessions of {} are known from {} to {}: {} is outside
{0} 的交易日自 {1} 至 {2} 已知：{3} 在范围之外
timestamp {} is not readable: write it as {} 15:59:30
无法识别时间戳 {0}：请写成 {1} 15:59:30
{} UTC is before the close of {} ({} UTC): ask for pre_open, or for a later time
{0} UTC 早于 {1} 的收盘（{2} UTC）：请选盘前，或较晚的时间
{} is not simulated: choose {}{}
没有 {0} 的模拟：请选择 {1}{2}
{} is simulated from {} on: choose a later date than {}
{0} 的模拟自 {1} 开始：请选晚于 {2} 的日期
session {} is not known: choose pre_open or post_close
没有时段 {0}：请选 pre_open 或 post_close
{} has no row for {}: its close is not known
{0} 没有 {1} 的数据：收盘价未知
{} gave a row without a date
{0} 给出了没有日期的一行
{} answered without a column {}: it has {}
{0} 的回答缺少 {1} 列：有 {2}
{} gave no prices: the symbol may be unknown there, or it cannot be reached
{0} 没有给出价格：那里可能没有该代码，或无法连接
{} gave a day twice, a price that is not above zero, or a volume below it
{0} 给出了重复的日期、非正的价格或负的成交量
data folder {} cannot be opened ({}): name a folder of recorded {}
无法打开数据文件夹 {0}（{1}）：请指明录制{2}的文件夹
{} cannot be read: {}
无法读取 {0}：{1}
{} is empty: it has no rows
{0} 为空：没有数据行
{} is empty: it has no heading and no rows
{0} 为空：没有表头也没有数据行
{} has no column {}: its heading is {}
{0} 没有 {1} 列：其表头为 {2}
{} has more than one column {}: leave the right one
{0} 有多个 {1} 列：请只留正确的一个
{}: column {} holds {}, not numbers
{0}：{1} 列中是 {2}，不是数字
{} is not a text file in UTF-8: byte {} cannot be read
{0} 不是 UTF-8 文本文件：无法读取第 {1} 字节
{} is not a whole gzip file ({}): copy it again
{0} 不是完整的 gzip 文件（{1}）：请重新复制
{}: {} fields instead of {}: {}
{0}：有 {1} 个字段而非 {2} 个：{3}
{} {} is not a line of a table: {}
{0} {1} 不是表格中的一行：{2}
{} is not a whole Parquet file ({}): copy it again
{0} 不是完整的 Parquet 文件（{1}）：请重新复制
{} line {} is not a line of a table: {}
{0} 第 {1} 行不是表格中的一行：{2}
{} row {} (line {}): {} fields instead of {}: {}
{0} 数据行 {1}（第 {2} 行）：有 {3} 个字段而非 {4} 个：{5}
a recorded market needs its folder: --data FOLDER or TRIBUNAL_DATA_DIR
录制行情需要文件夹：请在上方填写
the {} feed did not answer within {} s
{0} 行情源未在 {1} 秒内答复
the {} companies did not answer within {} s
{0} 公司数据源未在 {1} 秒内答复
{} was not read: the engine is closing
未读取 {0}：引擎正在关闭
did you mean {}?
是否指 {0}？
{} has no factor for it
{0} 没有它的复权因子
no file of factors stands beside it
旁边没有复权因子文件
there is no session before
此前没有交易日
the {} report to {} does not state it
截至 {1} 的{0}财报没有写明
depends on the venue's maintenance margin and the margin mode, which the position does not state
取决于交易所的维持保证金与保证金模式，而持仓未写明
{} is not a number
{0} 不是数字
is empty
为空
another venue
另一交易所
file names that could not be read: {}
无法识别的文件名：{0}
{} is not known at {}: {} candles are recorded from {}; choose a time in between
{1} 时没有 {0}：{2} K线的录制范围为 {3}；请选其间的时间
{} is not known at {}: the files hold no whole {} candle, choose a shorter timeframe
{1} 时没有 {0}：文件中没有完整的 {2} K线，请选较短的周期
nothing newer than {}
没有比 {0} 更新的
"""
