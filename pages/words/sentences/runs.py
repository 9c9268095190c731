"""What the engine says of runs, their journal and what was asked of them; a sentence a pair of lines, as in `trading`."""

RUNS = """
run {} is not known
没有运行 {0}
run {} has no struck claim {}
运行 {0} 没有被判错的陈述 {1}
run {} is about {}, not {}
运行 {0} 是关于 {1} 的，而不是 {2}
run {} has no decision yet
运行 {0} 尚无决策
run {} has no snapshot
运行 {0} 没有快照
run {} has not finished: fork the run it was made from
运行 {0} 未完成：请从它的来源运行分叉
run {} has no decision to export: it is {}
运行 {0} 没有可导出的决策：其状态为“{1}”
time {} cannot be read: write ISO 8601, for example 2026-05-16T12:00Z
无法识别时间 {0}：请按 ISO 8601 填写，例如 2026-05-16T12:00Z
time {} cannot be read: write it like 2024-03-05T12:00:00Z
无法识别时间 {0}：请写成 2024-03-05T12:00:00Z 的样子
analyst {} is not known; analysts are {}
没有分析师 {0}；分析师有 {1}
a question has 1 to 2000 characters
问题须为 1 至 2000 个字符
run {} is about another question: {}
运行 {0} 问的是另一个问题：{1}
run {} has not finished: its statements are not there yet
运行 {0} 未完成：其陈述尚未产生
run {} asked {}, not {}
运行 {0} 问的是 {1}，而不是 {2}
run {} cannot be attached as evidence: {}
运行 {0} 不能作为证据附上：{1}
there is no journal that evidence could be read from
没有可从中读取证据的日志
the run holds no end of the run that {} asked for
运行中没有 {0} 所要求的运行的结果
a run of {} has no statements that could be handed on
{0} 的运行没有可传递的陈述
the statements of run {} cannot be read: {}
无法读取运行 {0} 的陈述：{1}
chaos kind {} is not known: write ROLE:KIND with a kind of {}
没有谎言类型 {0}：请写成 ROLE:KIND，类型为 {1}
chaos role {} is not known: write ROLE:KIND with a role of {}
没有角色 {0}：请写成 ROLE:KIND，角色为 {1}
model {} is not known: name a model of your endpoint, or {}
没有模型 {0}：请写出你的端点上的模型，或 {1}
TRIBUNAL_PRICES has no price for {}: without one its cost cannot be limited
TRIBUNAL_PRICES 中没有 {0} 的价格：没有价格就无法限制其费用
setting {}: {}
设置 {0}：{1}
settings cannot be read: {}
无法读取设置：{0}
{} has no key {}; its keys are {}
{0} 没有键 {1}；其键为 {2}
{} lacks {}; its keys are {}
{0} 缺少 {1}；其键为 {2}
the flow {} is not known here; flows are {}
没有流程 {0}；流程有 {1}
run {} has lost its inputs
运行 {0} 的输入已丢失
run {} has no inputs to begin from
运行 {0} 没有可开始的输入
run {} was {}
运行 {0} 已{1}
{}; what was saved is kept, and `resume {}` continues from it
{0}；已保存的保留，可由此继续运行 {1}
run {} asked for a run that is made from run {}: a child has no other origin
运行 {0} 要求由运行 {1} 产生的运行：子运行没有其他来源
runs ask for runs at most {} deep, and run {} is that deep already: {}
运行相互调用最多 {0} 层，运行 {1} 已在该层：{2}
run {} failed and cannot be continued: {}
运行 {0} 失败，无法继续：{1}
run {} is being run by another process: stop it there, or with `stop {}`
运行 {0} 正由另一进程执行：请在那里停止
run {} was taken up by another process just now
运行 {0} 刚被另一进程接手
run {} is not running: it has {} already
运行 {0} 没有在进行：它已{1}
run {} has not ended; see `resume`
运行 {0} 尚未结束；可以继续
a fault of the program, not of your request: {}
是程序的错误，而非你的请求有误：{0}
a fault of the program: {}: {}
程序的错误：{0}：{1}
the bundle cannot be read: {}
无法读取运行包：{0}
the bundle holds no answer of {}
运行包中没有 {0} 的回答
this is no run bundle of version {}: its format is {}
这不是版本 {0} 的运行包：其格式为 {1}
run {} has no decision to verify: it has {}
运行 {0} 没有可核验的决策：它已{1}
cannot write a checkpoint to the journal: {}
无法向日志写入检查点：{0}
a checkpoint of the kind {} is not this program's: the run is not continued from it; ask again
类型为 {0} 的检查点不属于本程序：不从它继续；请重新提问
a checkpoint holds what is not JSON: {}
检查点中有非 JSON 内容：{0}
a checkpoint cannot be read: the run is not continued from it; ask again
无法读取检查点：不从它继续；请重新提问
this decision ended before its executor spoke: there is nothing to compare it with
此决策在执行官发言前已结束：没有可比较的
this run is no decision: its flow is {}
此运行不是决策：其流程为 {0}
this run is none of the equities desk: its flow is {}
此运行不属于股票台：其流程为 {0}
this run is no plan: its flow is {}
此运行不是计划：其流程为 {0}
this run is no research: its flow is {}
此运行不是研究：其流程为 {0}
{} (TRIBUNAL_RISK): a decision's own limits can only be stricter
{0}（TRIBUNAL_RISK）：决策自身的限额只能更严
node {} is not known; a run can be forked from {}
没有节点 {0}；可从 {1} 分叉
node {} is not known; a plan can be forked from {} and {}
没有节点 {0}；计划可从 {1} 与 {2} 分叉
role {} is not known; roles are {}
没有角色 {0}；角色有 {1}
role {} is not known; roles are {}, factor_N_{}, factor_N_{}
没有角色 {0}；角色有 {1}、factor_N_{2}、factor_N_{3}
the text of {} is empty
{0} 的文字为空
the halt was written as audit row {} and cannot be read back: run `verify`
停止交易已写入第 {0} 条审计记录，但无法读回：请运行 `verify`
the kill switch cannot be read from the journal: run `verify`
无法从日志读取紧急停止开关：请核验日志
trading stays halted: what was done while the journal could not be written has not been taken into it yet
交易仍暂停：日志不可写期间所做的尚未写入
trading is halted in this process only: nothing can be written beside the journal either ({})
仅本进程暂停交易：日志旁也无法写入（{0}）
{} written aside while the journal could not be written: {}
日志不可写期间另存了 {0} 条：{1}
the signing secret of this installation cannot be used
本安装的签名密钥不可用
the signing secret of this installation cannot be used: nothing is written to the audit chain
本安装的签名密钥不可用：不再写入审计链
the audit chain does not end as this installation signed it: run `verify`; until then nothing is written to it
审计链的结尾与本安装的签名不符：请核验；在此之前不再写入
the journal has lost the end of its audit chain: run `verify`, and trade on with a new TRIBUNAL_HOME
日志丢失了审计链的结尾：请核验，并用新的 TRIBUNAL_HOME 继续交易
the journal {} was deleted or replaced while this program runs: nothing is ordered any more; stop the program, \
bring the file back, and start it again
日志 {0} 在程序运行时被删除或替换：不再下单；请停止程序，恢复文件后再启动
cannot open the journal at {}: {}
无法打开日志 {0}：{1}
cannot {} the journal at {}: {}
无法读写日志 {1}：{2}
whether trading is halted cannot be seen at {}: {}
无法在 {0} 查看交易是否暂停：{1}
trading stays halted: the halt flag {} cannot be removed: {}
交易仍暂停：无法移除暂停标记 {0}：{1}
this journal was written by a later version of the program (step {}): open it with that one
此日志由更新版本的程序写入（步骤 {0}）：请用该版本打开
the signing secret {} may be read by others: set its mode to 0600, or remove it and sign anew
签名密钥 {0} 可被他人读取：请将其权限设为 0600，或移除后重新签名
the signing secret {} is damaged: bring back the file this journal was signed with
签名密钥 {0} 已损坏：请恢复签署此日志所用的文件
the signing secret {} cannot be used: {}; choose a TRIBUNAL_HOME you may write to
签名密钥 {0} 不可用：{1}；请选择可写的 TRIBUNAL_HOME
the spool {} cannot be read: {}
无法读取暂存文件 {0}：{1}
the spool {} cannot be held: {}
无法占用暂存文件 {0}：{1}
the spool {} is in the journal and cannot be removed: {}
暂存文件 {0} 已写入日志但无法移除：{1}
run {} has ended, or was taken over by another process: what this one made of it is not kept
运行 {0} 已结束或已被另一进程接管：本进程的结果不保留
run {} cannot be read: {}
无法读取运行 {0}：{1}
TRIBUNAL_DATABASE_URL cannot be used: {}; write e.g. sqlite:////path/file.db
TRIBUNAL_DATABASE_URL 不可用：{0}；请写成例如 sqlite:////path/file.db
TRIBUNAL_HOME {} cannot be made: {}; choose a folder you may write to
无法建立 TRIBUNAL_HOME {0}：{1}；请选择可写的文件夹
there is no such run
没有这个运行
it has not finished
它尚未完成
the process that ran it ended
运行它的进程已结束
ask again
请重新提问
been stopped
停止
stopped by a person; it can be continued
由人停止；可以继续
"""
