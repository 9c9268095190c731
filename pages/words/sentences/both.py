"""What the engine says in the language of a run, for a page in the other one; a sentence a pair of lines, as in `trading`. The Chinese is
its own."""

BOTH = """
the price has moved, and no ATR is known to measure by how much
价格已变动，且没有 ATR 可供衡量
the price has moved {} ATR since the decision, more than the {} allowed
自决策以来价格已变动 {0} ATR，超过允许的 {1}
the stop {} has been crossed already: the price is {}
已穿过止损 {0}：现价 {1}
the target {} has been reached already: the price is {}
已到达目标 {0}：现价 {1}
run {} has decided about this market since
此后运行 {0} 已对该市场作出决策
the position is another one than at the decision: {} then, {} now
持仓与决策时不同：当时{0}，现在{1}
{} abstained: {}
{0} 弃权：{1}
only {} of {} analysts reported, {} are needed
{1} 位分析师中只有 {0} 位给出报告，至少需要 {2} 位
{} gave no usable answer: {}
{0} 没有给出可用的回答：{1}
gate closed: {} % of the checked numbers were false ({} of {}); the executor was not asked
闸门关闭：核验的数字中有 {0} % 错误（{2} 个中 {1} 个），未询问执行官
the model ignored the form of answers in {} of {} roles; a larger model, a lower TRIBUNAL_TEMPERATURE or TRIBUNAL_ROLE_MODELS usually helps
模型在 {1} 个角色中有 {0} 个未遵守回答格式；换用更大的模型、调低 TRIBUNAL_TEMPERATURE 或设置 TRIBUNAL_ROLE_MODELS 通常有效
limit breached: {}
超出限制：{0}
the run did not finish within {} s (TRIBUNAL_RUN_DEADLINE_S)
运行未能在 {0} 秒内完成（TRIBUNAL_RUN_DEADLINE_S）
what analysts and debaters say was said of the market at {} UTC; what has moved since is marked and is nobody's error
分析师与辩手的话针对 {0} UTC 的行情；其后变动之处已标出，不算任何人的错误
the decision broke: {}
决策流程中断：{0}
the {} report is missing, tried {} times: {}
缺少 {0} 报告，已尝试 {1} 次：{2}
the {} analyst was stopped by the breaker after {} tool calls and wrote from what it had
{0} 分析师在 {1} 次工具调用后被熔断，按已有内容写出报告
the run broke: {}
流程中断：{0}
the run did not come to its end
流程没有走到终点
the order was cut from {} to {} shares: largest_allowed_order is {} ({} binds)
订单由 {0} 股削减为 {1} 股：largest_allowed_order 为 {2}（受限于 {3}）
the sale was cut from {} to {} shares: no more may be sold
卖出由 {0} 股削减为 {1} 股：可卖数量不足
{} shares were rounded down to {}: whole lots of {}
{0} 股向下取整为 {1} 股：每手 {2} 股
{} shares are fewer than the smallest order there, {}
{0} 股少于该市场的最小订单 {1} 股
{} {} is no price near the last one, {}
{0} {1} 不是接近最新价 {2} 的价格
the trader asked for more than was decided: {} became {} shares
交易员要求超过决策：{0} 股改为 {1} 股
the trader's {} is not what was decided ({})
交易员的 {0} 与决策（{1}）不符
nothing can be bought: largest_allowed_order is {} ({} binds)
无法买入：largest_allowed_order 为 {0}（受限于 {1}）
no order is possible: {} shares, the smallest buy, cost {}; {} is allowed ({} binds), none can be sold
无法下单：最小买入 {0} 股需 {1}，允许 {2}（受限于 {3}），且没有可卖的持股
nothing can be sold: no sellable shares are held
无法卖出：没有可卖的持股
stop {} is not below the buy at {}
止损价 {0} 不低于买入价 {1}
target {} is not above the buy at {}
目标价 {0} 不高于买入价 {1}
trading is halted
交易已停止
{} cannot be ordered: it is an index
{0} 不可下单：它是指数
{} cannot be bought or sold in part: companies in Hong Kong choose their own lot, and this one is not known here
{0} 不可买入，也不可部分卖出：香港公司自定每手股数，此处未知
confidence {} is below {}
信心 {0} 低于 {1}
the order breaches a limit, so that it can be filed but not approved: {}
订单违反限制，可以提交但不能批准：{0}
the order cannot be answered: {}
订单无法批准：{0}
no proposal could be filed: {}
未能提交提案：{0}
no source, library or journal gave anything
没有任何来源、资料库或日志给出内容
none of the {} documents is near enough to the question
找到的 {0} 篇文档中没有一篇与问题足够相关
the model gave no usable answer, this one is picked from the documents: {}
模型没有给出可用的回答，以下内容摘自文档：{0}
the agent gave no usable thought, it searched without: {}
代理没有给出可用的思考，已直接进入搜索：{0}
the breaker ended the optional calls after {}
可选工具调用在 {0} 次后被熔断
left out, dated after {}: {}
{1} 篇文档的日期晚于 {0}，已排除
without a date, so whether it was known at {} cannot be told: {}
{1} 篇文档没有日期，无法判断在 {0} 时是否已知
{} of {} sentences are not supported by the sources they cite
{1} 句中有 {0} 句没有得到所引来源的支持
text that reads like an instruction stands in document {}; it was treated as a quotation
文档 {0} 中有类似指令的文字，已仅作引文处理
the documents are in the order of their sources: {}
文档按来源顺序排列：{0}
there is no such source here; there are {}
这里没有该来源；现有 {0}
the answer holds no documents
返回内容中没有文档
the download gave no file
下载没有得到文件
fetched from another source that has it too, after its own gave no file: document {}
文档 {0} 的来源未提供文件，已从同样收录它的其他来源下载
A tool of {}. Its own description reads like an instruction and is withheld.
{0} 的工具。其自带说明类似指令，未予转述。
{} has no download tool
{0} 没有下载工具
"""
