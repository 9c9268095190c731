"""What the engine says of model calls and of answers that cannot be used; a sentence a pair of lines, as in `trading`."""

MODELS = """
the answer was cut off by its length limit
回答因长度限制被截断
the answer cannot be read: {}
无法读取回答：{0}
the answer stayed unreadable: {}
回答始终无法读取：{0}
the answer broke off without a finish
回答未结束即中断
the endpoint's content filter stopped the answer
端点的内容过滤中止了回答
the answer was cut off within a tool call
回答在工具调用中被截断
nothing of the answer could be read
回答全部无法读取
the answer was empty (finish: {})
回答为空（结束原因：{0}）
{}: no complete answer within {} s (TRIBUNAL_CALL_DEADLINE_S), in attempt {}
{0}：{1} 秒内没有完整的回答（TRIBUNAL_CALL_DEADLINE_S），尝试次数 {2}
there is no OPENAI_API_KEY: set it, or use --model scripted
没有 OPENAI_API_KEY：请设置它，或使用脚本模型
OPENAI_API_KEY holds characters that no key has: set it again, or use --model scripted
OPENAI_API_KEY 含有密钥不会有的字符：请重新设置，或使用脚本模型
OPENAI_BASE_URL is not an http address, such as https://api.openai.com/v1
OPENAI_BASE_URL 不是 http 地址，例如 https://api.openai.com/v1
this model takes no images
此模型不接受图像
nothing answers at {}: check OPENAI_BASE_URL, or use --model scripted
{0} 没有应答：请检查 OPENAI_BASE_URL，或使用脚本模型
the endpoint gave the answer up (finish_reason: {})
端点放弃了回答（finish_reason：{0}）
the proxy's address is not a valid one: check HTTP_PROXY, HTTPS_PROXY and ALL_PROXY
代理地址无效：请检查 HTTP_PROXY、HTTPS_PROXY 与 ALL_PROXY
the stream ended without a finish_reason
数据流结束时没有 finish_reason
the endpoint's answer is not a stream of chat completions
端点的回答不是对话补全的数据流
the model declined to answer: {}
模型拒绝作答：{0}
the model takes no tools
模型不支持工具
the model takes no tools: asking again without them
模型不支持工具：改为不带工具再问一次
the model takes no system message: asking again with its words before the user's
模型不接受 system 消息：改为并入用户消息再问一次
the model does not stream: asking again for a whole answer
模型不支持流式输出：改为整段回答再问一次
what was written was a thought, and the answer begins behind it
已写内容属于思考过程，回答从其后开始
the endpoint's answer is not a stream of chat completions ({})
端点的回答不是对话补全的数据流（{0}）
the endpoint broke off with an error: {}
端点中断并报错：{0}
the client failed: {}: {}
客户端失败：{0}：{1}
no connection to {} in time
未能及时连接 {0}
the connection to {} failed: {}
与 {0} 的连接失败：{1}
the connection to {} failed or broke{}
与 {0} 的连接失败或中断{1}
the endpoint's or the proxy's address is not a valid one (OPENAI_BASE_URL, HTTP_PROXY)
端点或代理的地址无效（OPENAI_BASE_URL、HTTP_PROXY）
the account behind OPENAI_API_KEY has no quota left (429){}
OPENAI_API_KEY 的账户已无额度（429）{0}
too many requests ({}){}
请求过多（{0}）{1}
the model takes no {}: asking again without it
模型不支持 {0}：去掉后重新提问
the model takes no {}: asking again with {}
模型不支持 {0}：改用 {1} 重新提问
the model takes no {}: asking again {}
模型不支持 {0}：重新提问（{1}）
the scripted model has no words for the role {}: its flow does not name it
脚本模型没有角色 {0} 的台词：其流程没有列出该角色
{}: found {}, wanted {}
{0}：得到 {1}，应为 {2}
{}: stated as {} and as {}; only one can be meant
{0}：同时写作 {1} 与 {2}；只能是其一
{}: not found; the answer needs a line `{}: ...` with one value
{0}：未找到；回答须有一行 `{1}: ...`，只含一个值
action: adjust_position without an adjustment_type or a signed adjustment_pct
action：adjust_position 缺少 adjustment_type 或带正负号的 adjustment_pct
verdict {} beside direction {}: only one of them can be meant
verdict {0} 与 direction {1} 并存：只能是其一
adjustment_type: found {} beside the action {}: only one of them can be meant
adjustment_type：得到 {0}，与 action {1} 并存：只能是其一
quantity: found {}, wanted a number of shares, 0 or above
quantity：得到 {0}，应为不小于 0 的股数
the answer is empty
回答为空
it gave neither a report nor a call
既没有给出报告，也没有调用工具
action {} is not allowed on the {} path (allowed: {})
{1} 路径不允许 action {0}（允许：{2}）
leverage {} is not a whole number from {} to {}
杠杆 {0} 不是 {1} 至 {2} 的整数
{} needs a stop and a target; {} is missing
{0} 须有止损与目标；缺少 {1}
adjustment_pct of {} is {}; it must be from {} to {}
{0} 的 adjustment_pct 为 {1}；须在 {2} 至 {3} 之间
{} states no {}; it needs {}
{0} 没有写明 {1}；须有 {2}
action {} contradicts direction {}
action {0} 与 direction {1} 矛盾
{} states no leverage
{0} 没有写明杠杆
{} {} is not a price
{0} {1} 不是价格
{} {} is on the wrong side of the price {}: a {} needs it {}
{0} {1} 在价格 {2} 的错误一侧：{3} 时它须在{4}
the decision did not finish
决策未完成
no proposal could be filed: {}
未能提交提案：{0}
{}: decided as if flat, and nothing can be ordered from it
{0}：按空仓决策，且不能据此下单
there is no news #{}: the numbers go from 1 to {}
没有第 {0} 条新闻：编号为 1 至 {1}
{} must be a text
{0} 须为文字
{} must be one of {}, not {}
{0} 须为 {1} 之一，而不是 {2}
{} takes no argument {}; it takes {}
{0} 没有参数 {1}；其参数为 {2}
only {} can be looked up here, not {}
此处只能查询 {0}，不能查询 {1}
{} must be a whole number from {} to {}, not {}
{0} 须为 {1} 至 {2} 的整数，而不是 {3}
there is no tool of that name
没有这个名称的工具
there is no tool of that name; there are {}
没有这个名称的工具；有 {0}
the arguments are no JSON object
参数不是 JSON 对象
no answer in time
未及时答复
the stop
止损
the target
目标
refused the request ({}){}
拒绝了请求（{0}）{1}
{} refused the request ({}){}
{0} 拒绝了请求（{1}）{2}
too many requests
请求过多
the endpoint failed
端点出错
TRIBUNAL_MAX_TOKENS bounds answers
TRIBUNAL_MAX_TOKENS 限制回答的长度
before that: {}
此前：{0}
{} refused the key (401): check OPENAI_API_KEY
{0} 拒绝了密钥（401）：请检查 OPENAI_API_KEY
{} refused the key (403): check OPENAI_API_KEY and what it may do{}
{0} 拒绝了密钥（403）：请检查 OPENAI_API_KEY 及其权限{1}
{} does not know this model or path (404): check --model and OPENAI_BASE_URL{}
{0} 没有此模型或路径（404）：请检查模型与 OPENAI_BASE_URL{1}
the endpoint failed ({}){}
端点出错（{0}）{1}
no facts for this timeframe
没有该周期的事实
the fact is missing
没有该事实
cannot be checked from the facts
无法由事实核验
some charts draw the histogram at twice its value
有的图表把柱状图画成两倍
a second reader says that this is not stated here
第二位读者认为此处并未如此陈述
a second reader cannot tell whether this is stated here
第二位读者无法判断此处是否如此陈述
not confirmed by a second reader: {}
未经第二位读者确认：{0}
its answer cannot be read
其回答无法读取
it answered a control question wrongly
它答错了对照问题
it said nothing about this one
它没有回答这一条
there were too many for one question
一次询问中条目过多
the passage reads like an instruction and was not shown to it
该段文字类似指令，未向其展示
too far from the fact to be a statement about it
与事实相差太大，所说的应是别的数
whose figure this is was not understood: {}
未能读懂这是谁的数字：{0}
of what time this is was not understood: {}
未能读懂这是何时的数字：{0}
it may be a condition or a plan: {}
可能是条件或计划：{0}
what this is measured in was not understood: {}
未能读懂数字的单位：{0}
what this is said of was not understood: {}
未能读懂所说的对象：{0}
the text gives the right value elsewhere; this may be another one
文中另处写了正确的数值，这里可能另有所指
somebody is quoted, and the right value follows: {}
此处是转述他人，随后写出了正确的数值：{0}
these words were not understood: {}
未能读懂这些词：{0}
{}: found {}, wanted one of {}
{0}：得到 {1}，应为 {2} 之一
{}: found {}, wanted a price or MARKET
{0}：得到 {1}，应为价格或 MARKET
no bench was started
还没有开始评测
the bench was stopped before its first question
评测在第一个问题之前已停止
a bench of {} goes on: wait for it, or stop it
{0} 的评测正在进行：请等待其结束，或停止它
stopped before its first question
在第一个问题之前已停止
nobody is asked
没有向任何模型提问
the bench finds nothing to change in this question
评测在此问题中找不到可改动之处
{} holds no prompts: write ROLE.LANGUAGE.txt, such as judge.en.txt
{0} 中没有提示词文件：请写成 ROLE.LANGUAGE.txt，例如 judge.en.txt
prompts in {} cannot be read: {}
无法读取 {0} 中的提示词：{1}
{}: write ROLE.LANGUAGE.txt, with a role of {} and en or zh
{0}：请写成 ROLE.LANGUAGE.txt，角色为 {1} 之一，语言为 en 或 zh
the bench's own market broke: {}
评测自身的市场出错：{0}
{} has no mirror: it has halved
{0} 没有镜像行情：价格已腰斩
{} cannot be written: {}
无法写入 {0}：{1}
"""
