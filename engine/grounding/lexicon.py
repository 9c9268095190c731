"""The words of the grammar, in both languages, by what they do in a sentence.

A word list is text: phrases separated by `;`, `{a,b}` for alternatives (they nest, and an empty one makes a word optional). All phrases
stand in one tree of units (a Latin word, a number, a Chinese character, a sign), in which the longest phrase wins. A new way of speaking
is a new phrase here; what its category does is said once, in `scopes.py` and `reader.py`.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from engine.grounding.indicators import INDICATORS

# Categories: what a phrase does.
IND, NUM, RANGE, COUNT, FRAME = "IND", "NUM", "RANGE", "COUNT", "FRAME"
CMP, POST, LINK, PAST, FILL, HEDGE, HEDGE_POST, NEG, DIR, TO, FROM, VERSUS = "CMP", "POST", "LINK", "PAST", "FILL", "HEDGE", "HPOST", "NEG", "DIR", "TO", "FROM", "VS"
BETWEEN, AND, STATE, MEAN, IT, POSITION, SIDE, SINK, STOP, PLAN = "BETWEEN", "AND", "STATE", "MEAN", "IT", "POSITION", "SIDE", "SINK", "STOP", "PLAN"
STRONG, WEAK, CONJ, OPEN, CLOSE, UNKNOWN, PIPE = "STRONG", "WEAK", "CONJ", "OPEN", "CLOSE", "UNKNOWN", "PIPE"
IF, THEN, MODAL, HISTORY, DEFINITION, INJECT, NOW = "IF", "THEN", "MODAL", "HISTORY", "DEFINITION", "INJECT", "NOW"
SPEAKER, SAY, REJECT, ENDORSE, ASSET, TRADE, APPROACH, FUZZY, BOTH, ZERO = "SPEAKER", "SAY", "REJECT", "ENDORSE", "ASSET", "TRADE", "APPROACH", "FUZZY", "BOTH", "ZERO"

Entry = tuple[str, object]
Tree = dict[str, object]
LEAF: Final = "\0"

_UNIT = re.compile(r"[0-9]+(?:\.[0-9]+)?|[a-z]+|[^\s]")

_RISE = (
    "up; {rise,rises,rose,risen,rising,gain,gains,gained,gaining,climb,climbs,climbed,climbing,increase,increases,increased,increasing,grow,grows,grew,grown,growing,expand,expands,expanded,"
    "expanding,jump,jumps,jumped,add,adds,added,surged,advance,advances,advanced,rallied,rally,swelled,soared,built,building,higher,ticked up,uptick,rebounded,recovered,improved};"
    "涨; 上涨; 大涨; 上升; 升; 增长; 增加; 增; 增持; 增仓; 扩大; 攀升; 回升; 反弹; 走高; 上行; 抬升; 升至; 涨至; 提升; 涨了; 升到; 上扬; 飙升; 增幅; 涨幅; 高"
)
_FALL = (
    "down; {fall,falls,fell,fallen,falling,drop,drops,dropped,dropping,decline,declines,declined,declining,slide,slides,slid,sliding,shrink,shrinks,shrank,decrease,decreases,decreased,decreasing,"
    "contract,contracted,contracting,lost,loses,lower,sank,sinks,slipped,slips,eased,cooled,tumbled,plunged,shed,retreated,pulled back,unwound};"
    "跌; 下跌; 大跌; 下降; 减少; 下滑; 回落; 走低; 缩减; 降; 减; 减仓了; 滑落; 下行; 降低; 收缩; 跌至; 降至; 跌了; 流失; 跌幅; 降幅; 滑至; 走弱至; 回调; 降到; 跌到; 缩水; 低; 少"
)

_ABOVE = (
    "above; over; >; ≥; > =; = >; exceeds; exceed; exceeding; exceeded; {more,greater,higher,larger,stronger} than; at least; no less than; not less than; north of; {topped,tops,topping}; {surpassed,surpasses,surpassing};"
    "past; {cross,crosses,crossed,crossing,break,breaks,broke,broken,breaking,climb,climbs,climbed,climbing,hold,holds,held,holding,stay,stays,stayed,staying,push,pushes,pushed,sit,sits,sitting,rise,rises,rose,rising,move,moved,moves,"
    "trade,trades,trading,remain,remains,closed,closes,stand,stands,standing,firmly,comfortably,well,just,slightly,safely,clearly} {above,over}; {cleared,clears,clearing}; {reclaimed,reclaims,reclaiming,regained,regains,recaptured};"
    "leads; on top of; upwards of; {cross,crosses,crossed} up through; {broke,breaks,broken} through; {crossed,crosses} up; outpaces;"
    "高于; 大于; 超过; 突破; 站上; 站上了; 站稳; 站在; 升破; 上破; 逾; 不低于; 不少于; 至少; 上穿; 向上突破; 超出; 高出; 越过; 收复; 冲破; 冲上; 强于; 涨破; 重返; 守住; 守在; 守稳; 突破了; 已越过; 已突破; 向上穿越; 多于; 升穿; 大于等于; 收于{,其}上方; 领先; 压过; 站回; 不小于; 比; "
)
_BELOW = (
    "below; under; <; ≤; < =; underneath; {less,lower,smaller,weaker,fewer} than; beneath; south of; at most; no more than; not more than; not even; short of; {undercut,undercuts};"
    "{cross,crosses,crossed,crossing,break,breaks,broke,broken,breaking,fall,falls,fell,fallen,falling,drop,drops,dropped,slip,slips,slipped,sink,sank,hold,holds,held,stay,stays,sit,sits,sitting,move,moved,moves,trade,trades,trading,remain,remains,closed,closes,"
    "stand,stands,standing,firmly,well,just,slightly,clearly,stuck,capped,dipped,dips,slid} {below,under,beneath}; {lost,loses,losing} {its,the}; trails; lags; lags behind; {crossed,crosses} down through; {crossed,crosses} down;"
    "低于; 小于; 不足; 不到; 跌破; 跌破了; 跌穿; 下破; 失守; 下穿; 未达; 未到; 不超过; 至多; 最多; 弱于; 击穿; 向下跌破; 少于; 受制于; 受压于; 落后于; 跌回; 小于等于; 不高于; 不大于; 向下穿越; 丢失; 丢掉; 被压制在; 已跌破; 落在; 不及; 矮于; 未及; 压在; "
)

WORDS: tuple[tuple[str, object, str], ...] = (
    (CMP, ">", _ABOVE),
    (CMP, "<", _BELOW),
    (ZERO, None, "zero; zero line; zero mark; zero level; zero axis; 零轴; 零线; 0 轴; 0 线; 零轴线"),
    (POST, ">", "以上; 之上; 上方; 之上方; 上边; 上面; or {higher,more,above,greater}; and above; 开外; 往上; 有余"),
    (POST, "<", "以下; 之下; 下方; 下边; 下面; or {lower,less,below}; and below; 以内; 往下"),
    (
        LINK,
        None,
        "is; are; 's; at; =; :; equals; equal to; = =; reads; reading; prints; printing; printed; sits; sits at; sitting; stands; standing; shows; showing; registers; comes in; came in; comes; hits; hit; touches; marks; lands;"
        "currently at; {,is} now; posts; posting; clocks in; measures; measured; quoted; puts; put; has; have; with; in; on; gives; as; to be; hovers; reported; remains; stays; being; holds; holding; runs; running; ranges; lies; rests; reached; reaches; reaching;"
        "为; 是; 在; 于; 报; 报收; 报价; 读数; 读数为; 读数是; 达; 达到; 达到了; 处于; 处在; 位于; 录得; 显示; 显示为; 有; 只有; 仅有; 仅为; 等于; 为止; 来到; 落在; 维持在; 保持在; 徘徊于; 停留在; 高达; 低至; 竟达; 仅; 只; 已达; 共; 的; 了; 在于; 现为; 现在; 运行于; 运行在; 运行; 收于; 收在; 徘徊在; 触及; 呈; 呈现; 为正; 不过; 走到; 走至; 值为; 数值为; 指标为; 显示的是; 给出; 属于; 属; 算是; 说是; 升至; 涨至; 降至; 跌至; 滑至; 升到; 跌到; 回落至; 回升至; 回落到; 回升到; 攀升至; 下降至; 下滑至; 上升至; 上升到; 下降到; 增至; 减至; 回到; 冲到; 冲至; 涨到; 降到; 处在了; 企稳于; 企稳在",
    ),
    (LINK, "of", "of"),
    (PAST, None, "was; were; had been; used to {be,sit,stand}; peaked at; bottomed at; topped out at; stood at; sat at; 曾; 曾经; 曾为; 曾达; 一度; 一度达到; 曾是; 曾在; 曾高达; 曾触及; 曾低至; 最高曾; 最低曾; 原为; 原本为; 原先"),
    (
        FILL,
        None,
        "the; a; an; its; this; that; our; their; my; and its; value; values; level; levels; line; lines; just; slightly; only; already; also; still; very; even; quite; figure; score; measure; metric; indicator; index; gauge; rate; total; recent;"
        "full; whole; well; right; exactly; precisely; merely; then; clearly; {,of} price; a mere; mere; both; has now; have now; has been; have been; been; itself; there; here; readings; technical; my; we; have; all; rather; fully; firmly; period; sitting; latest; again; spot on; price units; units; points; usdt; usd; dollars; by; modest; healthy; mild; weak; soft; solid; robust; lofty; hefty; tepid; muted; comfortable; whopping; respectable; extreme; deep; tiny; small; large; slight; meagre; meager; paltry; moderate; strong; bullish; bearish; base; main; overall; zone; territory; area; region; range; reading;"
        "仍; 仍然; 依然; 依旧; 已; 已经; 值; 数值; 指标; 数据; 大幅; 小幅; 略; 略微; 明显; 显著; 稳稳; 牢牢; 均; 都; 也; 又; 还; 还是; 其; 该; 此; 这; 那; 一个; 个; 之; 就; 才; 刚; 刚刚; 正; 正好; 恰好; 线; 水平; 位置; 区域; 区间; 区; 状态; 附近的; 整; 最新; 极; 很; 较; 稍; 偏; 更; 持续; 一直; 继续; 进一步; 快速; 迅速; 缓慢; 总计; 合计; 累计; 日线图; 图上; 上; 里; 中; 内; 竟; 居然; 直接; 有效; 成功; 重新; 强势; 再次; 再度; 双双; 严重; 深度; 高位; 低位; 美元; 元; 价位; 一线; 关口; 大关; 整数关口; 单位; 点; 价; 本; 目标品种",
    ),
    (FILL, "between", "之间; 间"),
    (FILL, None, "since entry; since the entry; since we entered; since opening; since it was opened; 自入场以来; 入场以来; 开仓以来; 自开仓以来; 建仓以来; 持仓以来; 持仓期间; 期间"),
    (
        HEDGE,
        None,
        "around; about; approximately; approx; approx .; roughly; near; nearly; nearing; close to; hovering; hovers {around,near,about}; hovering {around,near,about}; barely; some; ~; ≈; circa; ca .; c .; almost; just about; in the vicinity of; in the {neighborhood,neighbourhood} of;"
        "约; 大约; 大致; 约为; 大概; 接近; 将近; 差不多; 近; 大约为; 大致为; 大致在; 约在; 接近于; 大概在; 大概为; 近乎; 约莫; 差不多是; 差不多在; 估计; 徘徊于; 徘徊在; 贴近; 靠近; 临近; 约合; 约等于",
    ),
    (HEDGE_POST, None, "左右; 附近; 上下; 前后; 一带; or so; or thereabouts; ish; give or take; 边缘"),
    (NEG, "none", "no; without; lacks; lack of; 无; 没有; 未见; 尚无; 未有; 不存在; 未出现; 没出现; 并无; 未形成; 没有形成"),
    (NEG, None, "not; isn 't; isn't; aren't; never; hasn't; haven't; doesn't; don't; didn't; wasn't; without; not yet; has yet to; have yet to; yet to; far from; nowhere near; no longer; neither; nor; cannot; can't; fails to; failed to; lacks; lack of; out of; rejects; not in; isn;"
     "未; 没有; 没; 不; 并未; 尚未; 并非; 不是; 无; 还未; 还没; 还没有; 远离; 脱离; 走出; 未能; 未见; 从未; 不在; 无法; 绝非; 尚无; 尚不; 并不; 并没有; 远未; 离开; 远非; 未处于; 未进入; 未曾; 不再; 非; 谈不上; 算不上; 未有; 不属于; 不存在"),
    (DIR, 1, _RISE),
    (DIR, -1, _FALL),
    (TO, None, "to; →; - >; = >; ->; 至; 到; ⇒; ➜; ➔"),
    (FROM, None, "from; 从; 由; 自"),
    (VERSUS, None, "versus; vs; vs .; compared {with,to}; against; relative to; 相比; 相较; 较之; 对比; 对比之下; 相对于; 较昨日; 较前; 与 前值"),
    (BETWEEN, "inside", "between; in {,the,a} range of; within; 介于; ranging from; ranges from; 区间为"),
    (AND, None, "&; 和; 与; 及; 以及; 、"),
    (BOTH, None, "respectively; 分别; 分别为; 分别是; 分别在; 依次为; 各为"),
    (MEAN, "volume", "20 均; 均量; 平均量; 20 期均量; 20 周期均量; 均量线; average volume; 平均成交量; 日均量; 20 日均量; 20 均量; 20 根均量; 20 根k线均量; mean volume; 平均成交量水平; {,20}{,周期,期,日,根}成交均量; 20 根{,k线}平均量"),
    (MEAN, None, "average; averages; mean; averaged; avg; its average; the average; 平均; 均值; 平均值; 平均水平; 常态; normal; usual; norm; 日均; 均额; 平常; 正常水平; 平时; 20 根均值; 20 期均值; 20 周期均值; 20 日均值"),
    (IT, "truth", "the actual {reading,value,figure,number}; the {true,real} {reading,value,figure,number}; actual; in fact it; actually it; 实际; 实际值; 实际上; 真实值; 真实读数; 实际读数; 真实; 真实的是; 准确值; 正确值; 实为"),
    (IT, None, "it; which; its reading; its value; the reading; the figure; that reading; this reading; 其; 它; 该值; 该指标; 其值; 实际; 实际值; 实际上; 真实值; 真实读数; 实际读数; 读数; 该读数; 其读数; 这一读数; 真实; 真实的是; 数据显示; 此值; 准确值; 正确值; 数字; 后者; 实为"),
    (POSITION, "is", "we are; we 're; we remain; we hold; we have; i am; 我们{是,持有,持}; 我方{是,持有}; 目前持有; 当前持有; 现持有; 持有; 目前持; 手持; 手里是; 手上是"),
    (POSITION, None, "{,the,our,my,this} {position,trade,holding}; 仓位; 持仓; 该仓位; 本仓位; 单子; 这笔{交易,单,仓位,持仓}; 我们的{仓位,持仓,单子}; 当前{仓位,持仓}; 现有{仓位,持仓}"),
    (SIDE, "long", "long; longs; {the,our,this,a,an,my,open,current,existing} long; long {position,trade,entry,side}; {the,our,this,my,open,current,existing} long {position,trade}; 多单; 多仓; 做多仓位; 多头仓位; 多头持仓; 当前多单; 做多; 持多"),
    (SIDE, "short", "short; shorts; {the,our,this,a,an,my,open,current,existing} short; short {position,trade,entry,side}; {the,our,this,my,open,current,existing} short {position,trade}; 空单; 空仓位; 做空仓位; 空头仓位; 空头持仓; 当前空单; 做空; 持空"),
    (TRADE, None, "{trades,trading,traded,quoted,changes hands,changing hands,priced,closed,closes,last traded} {,at,around,near}; {交投于,报收,收报,报于,成交于,报收于,交易于,交易价}; 现报; 最新报"),
    (APPROACH, None, "approaching; approaches; nearing; toward; towards; heading {to,toward,towards,into,for}; {close,closer,nearer} to being; on the verge of; about to {become,turn,be,enter}; almost; bordering on; 逼近; 接近于; 趋于; 趋向; 濒临; 快要; 即将; 走向; 靠拢; 迈向; 快到; 几近"),
    (FUZZY, (0, 4), "low; early"),
    (FUZZY, (3, 7), "mid; middle"),
    (FUZZY, (6, 10), "high; upper; late"),
    # Numbers that belong to something else. SINK takes the numbers after it; STOP and PLAN silence the rest of their clause.
    (
        SINK,
        None,
        "risk; risks; risking; confidence; conviction; probability; odds; chance; win rate; weight; weighting; {risk,reward}{, }{/,:,-to-,to} {reward,risk}; {risk reward,reward risk,risk-reward,reward-to-risk,risk-to-reward,rr,r:r,r/r,r}{, ratio}; ratio; equity; exposure; margin; capital; portfolio; hallucination score; hallucination_score; grounding; version; step; round;"
        "{next,second,secondary,further,minor,deeper,lower,other,higher,third,final,weekly,previous,prior,old,former,psychological} {support,resistance}{, level}; {support,resistance} {2,3,two,three}; s2; s3; r2; r3; low; high; lows; highs; swing {low,high}; range; channel; trendline; trend line; pivot; fibonacci; fib; retracement; gap; order block; liquidity; neckline; round number; score; correlation; beta; dominance; market cap; supply; {24,24 h} {high,low}; 24 h {high,low}; period; periods; length; bars ago; adjustment_pct; adjustment; {take,profit}_{profit,target}; volatility; spread; slippage; fee; fees; commission; liquidations;"
        "风险; 置信度; 信心; 信心度; 概率; 胜率; 评分; 权重; 风险回报比; 盈亏比; 风报比; 收益风险比; 回报风险比; 赔率; 资金; 本金; 敞口; 保证金; 净值; 总资金; 账户; 预算; {下一,次级,次,第二,更高,更低,次要,第三,前期,此前,心理}{支撑,支撑位,阻力,阻力位,压力,压力位}; {支撑,阻力,压力}{二,2,位二}; 高点; 低点; 前高; 前低; 新高; 新低; 高位至; 颈线; 缺口; 趋势线; 通道; 斐波那契; 回撤位; 回撤至; 市值; 相关性; 波动率; 手续费; 滑点; 点差; 幻觉分; 幻觉分数; 幻觉检测分数; 期数; 参数; 周期参数; 把握; 止盈比; 权益; 关联度; 爆仓量; 清算量; 周期",
    ),
    (
        STOP,
        None,
        "target; targets; targeting; targeted; price target; tp; tp1; tp2; tp3; take{, -}profit{,s}; objective; objectives; aim; aims; aiming; eyeing; eyes; stop; stops; stop{, -}loss{,es}; stoploss; sl; trailing stop; stopped out; invalidation; invalidated; invalidates; invalid; cut loss; cut losses; bail; stop_loss_price; take_profit_price; takeprofit; profit target; bail out; exit {at,if,on,near,around,below,above}; exit level; trim {at,into};"
        "目标; 目标价; 目标位; 目标区; 目标看; 第一目标; 第二目标; 止损; 止盈; 止损位; 止损价; 止盈位; 止盈价; 止损设; 离场; 出场; 失效; 失效位; 看向; 上看; 下看; 剑指; 看至; 看到; 作废; 平仓; 防守位; 防守; 移动止损; 止损放在; 止损于; 撤退; 认错",
    ),
    (
        PLAN,
        None,
        "plan; plans; planned; planning; recommend; recommended; recommends; suggest using; suggested leverage; propose; proposed; proposing; use; using; size in; scale in; scaling in; scale out; add; adding; reduce; reducing; allocate; allocating; limit; limited; cap; capped; max leverage; maximum leverage; buy; buying; sell; selling; enter; enter at; entering; re-enter; open a; opening a; go; going; i would; we would; i'd; we'd; let us; let's; consider; considering; set; place; trim; trimming; deploy; commit; lever; tighten; raise; move; roll; bids; bid; limit order; orders; adjust; adjusting; cut; budget; risk budget; "
        "计划; 打算; 建议; 推荐; 拟; 加仓; 减仓; 建仓; 入场; 进场; 开仓; 开多; 开空; 挂单; 买入; 卖出; 使用; 采用; 控制; 限制; 仓位上限; 最大杠杆; 杠杆上限; 单笔; 单笔风险; 风险预算; 分批; 布局; 做t; 追多; 追空; 追涨; 杀跌; 抄底; 配置; 投入; 设在; 设置; 设于; 上移至; 下移至; 上调至; 调整; 提高到; 降杠杆; 参与; 试多; 试空; 轻仓; 重仓; 了结; 止盈; 锁定",
    ),
    # Clauses that speak of something else than the market now.
    (
        IF,
        None,
        "if; once; unless; until; till; whenever; wherever; should; provided; providing; assuming; suppose; supposing; in case; as soon as; as long as; whether; wait for; waiting for; waits for; await; awaits; awaiting; look for; looking for; looks for; watch for; want to see; wants to see; need to see; like to see; would like; hoping for; hope for; hope; before; after a; on a {break,close,move,drop,push,dip,bounce,rally,pullback,retest,reclaim,rejection}; upon; a break; a close; a move; a drop; a push; a rise; a fall; a daily close; a clean break; a sustained; a bounce; a dip; a rejection; a rally; a reclaim; a loss of; a retest; were; imagine; hypothetically; in the event; even if; only if; what if; given a; a break above; a break below; a breakout; a breakdown; confirmation; a return; a flush; a sweep; for a; or else; otherwise; ideally; contingent on; conditional on; requires; require; break; breaks above which;"
        "若; 如果; 假如; 倘若; 假设; 假使; 一旦; 只要; 除非; 万一; 要是; 若是; 倘; 等待; 等到; 等回; 等其; 静待; 直到; 直至; 能否; 是否; 只有当; 除了; 或者等; 设若; 如若; 若能; 若未; 若再; 假定; 需等; 须等; 前提是; 条件是; 有待; 再等; 坐等; 耐心等; 期待; 希望; 期望; 观望至",
    ),
    (IF, "short", "等; 如; 当; any; when; 待"),
    (THEN, None, "then; 则; 便; 即可; 可; 可以; 才; 就; 方可; 那么; 才能; 才会; 再; 则可; 才考虑"),
    (MODAL, "sticky", "expect; expects; expected; expecting; forecast; forecasts; projected; projecting; predict; predicts; 预计; 预期; 预测; 料; 料将; 有望; 展望"),
    (
        MODAL,
        None,
        "needed; required; want; wants; wanting; would; could; may; might; will; shall; can; must; cannot; has to; have to; needs to; need to; needs; need; ought to; expect; expects; expected; expecting; likely; unlikely; possible; possibly; potential; potentially; forecast; forecasts; projected; projecting; predict; predicts; poised; set to; ready to; going to; about to; tends to; tend to; opens the door; open the door; headed; heading; en route; bound for; eventual; eventually; soon; next; tomorrow; aims; won't; 'll; 'd; to test; to retest; to reach; to break; to hit; to confirm; to see; a test of; a retest of; path to; way to; room to; if not;"
        "将; 会; 可能; 有望; 预计; 预期; 或将; 料; 料将; 需; 需要; 须; 应; 应当; 应该; 必须; 可望; 恐; 恐将; 能够; 能; 有机会; 或; 或会; 大概率; 后市; 后续; 未来; 明日; 明天; 接下来; 下一步; 指望; 有可能; 倾向于; 冲击; 挑战; 测试; 考验; 看多至; 有空间; 预测; 展望; 或许; 也许; 势必; 必将; 早晚",
    ),
    (
        HISTORY,
        None,
        "yesterday; yesterday 's; ago; previously; previous; prior; earlier; last {week,month,year,night,session,hour,time,monday,tuesday,wednesday,thursday,friday,quarter,cycle}; formerly; in the past; historically; back then; at the time; the day before; a {week,day,month} earlier; back in; at the open; at its peak; at the peak; earlier today; used to; in {january,february,march,april,june,july,august,september,october,november,december}; days back; before that; initially; at first; originally;"
        "昨日; 昨天; 昨; 昨晚; 前日; 前天; 此前; 之前; 先前; 早前; 上周; 上月; 去年; 前期; 早些时候; 早先; 过去曾; 历史上; 前一日; 前一交易日; 前值; 上一交易日; 上一根; 上个月; 上个; 上次; 前次; 当时; 那时; 当初; 起初; 最初; 原来; 早盘; 上一周期; 前一根; 小时前; 天前; 分钟前; 周前; 日前; 前几日; 月初; 年初; 盘初; 几天前; 几根k线前; 根k线前; 根前",
    ),
    (
        DEFINITION,
        None,
        "counts as; count as; is considered; are considered; considered; is defined; defined as; by definition; textbook; generally; usually; typically; conventionally; rule of thumb; threshold; thresholds; a reading; readings {above,below,over,under}; any reading; a value; values {above,below,over,under}; is regarded; regarded as; traditionally; is deemed; classified as; by convention; commonly; in theory; the classic; is said to; as a rule; is called; is known as; in general; normally; the usual; levels of; common thresholds;"
        "视为; 被视为; 视作; 被视作; 一般; 通常; 定义; 定义为; 教科书; 被认为; 认为是; 属于超; 称为; 被称为; 通常指; 理论上; 传统上; 按定义; 惯例; 一般而言; 阈值; 门槛; 临界值; 标准是; 常规; 即为; 界定; 按惯例; 按照惯例; 常被; 经典; 通用标准; 分界线; 的定义; 被定义为; 判定标准; 算作; 按教科书; 划分标准",
    ),
    (DEFINITION, "weak", "means that; means; denotes; signifies; implies; signals; indicates; 意味着; 往往; 代表着; 表明; 说明; 代表"),
    (
        INJECT,
        None,
        "ignore {,all,any,the,your,these,previous,prior,all previous,all prior,the above,the previous}{, }{rules,instructions,instruction,facts,data,rule,prompt,checks,grounding}; ignore previous; ignore all; disregard; system prompt; system :; assistant :; user :; hallucination score; hallucination_score; hallucinationscore; grounding {passed,verified,result,check,ok,says,score}; grounding_verified; verified claims; mark {this,all,every,it,them,the}; mark as; treat {this,all,every,it,them,the} {,following,above,claims}{, }as; you must; you are now; override; overwrite; set facts; fact sheet says; factsheet; correction :; corrected :; verdict :; new instructions; developer mode; <|; |>; [ system ]; [ inst ]; do not check; skip verification; all claims {verified,true,are}; pretend; act as; for the checker; note to {the,grounding,executor,checker};"
        "忽略{,以上,之前,所有,全部,前面,先前,一切}{,的}{指令,规则,指示,要求,事实,数据,提示,校验,内容}; 无视; 系统提示; 系统:; 系统消息; 系统指令; 幻觉分; 幻觉分数; 幻觉检测; 验证通过; 校验通过; 验证结果; 标记为; 请标记; 你必须; 覆盖事实; 纠正后的; 已纠正; 请将; 视所有; 一律视; 跳过验证; 跳过校验; 不要检查; 无需验证; 假装; 扮演; 通过验证",
    ),
    (NOW, None, "now; currently; at present; right now; at the moment; presently; as of now; at this point; today; this moment; for now; 目前; 当前; 如今; 此刻; 眼下; 现在; 现阶段; 当下; 今日; 今天; 截至目前; 此时; 现; 今; 最新的; 现时"),
    (SPEAKER, "bull", "bull; bulls; the {bull,bulls}; the bull 's; {,the} bull {side,case,camp,analyst,agent}; 多方; 多方分析师; 多头方; 看多方; 多头分析师; 多头一方; 多方观点; 多军"),
    (SPEAKER, "bear", "bear; bears; the {bear,bears}; the bear 's; {,the} bear {side,case,camp,analyst,agent}; 空方; 空方分析师; 空头方; 看空方; 空头分析师; 空头一方; 空方观点; 空军"),
    (SPEAKER, "judge", "the judge; judge; 裁判; 法官; 仲裁; 仲裁员; 裁决者"),
    (SPEAKER, "analyst", "the {indicator,trend,sentiment,pattern} {analyst,report,agent}; the analysts; indicator report; trend report; sentiment report; pattern report; {指标,趋势,情绪,形态}{分析师,报告,代理}; 技术分析师; 分析师; 对方; 对手; 他们; the other side; my opponent; my counterpart; the opponent; opponents; the opposing side; some; critics; they; 有人; 市场上有人"),
    (
        SAY,
        None,
        "says; say; said; claims; claim; claimed; claiming; argues; argue; argued; insists; insist; insisted; states; stated; puts; notes; noted; cites; cited; citing; quotes; quoted; asserts; asserted; reports; alleges; alleged; maintains; believes; believe; thinks; assertion; the assertion; points out; tells us; wants us to believe; asserting; contends; mentions; mentioned; alleging; according to; reads; sees; shows;"
        "称; 说; 声称; 认为; 坚称; 指出; 主张; 宣称; 表示; 提到; 提及; 强调; 断言; 引用; 给出; 报告; 坚持; 坚持说; 坚持认为; 一口咬定; 口口声声说; 据称; 所说; 所称; 提出; 觉得; 辩称; 号称; 说法; 所谓; 论断; 的说法; 这一说法; 声明; 论点",
    ),
    (REJECT, None, "wrong; incorrect; incorrectly; wrongly; mistaken; mistakenly; false; falsely; untrue; not true; not so; in fact; in reality; actually; contrary to; on the contrary; fabricated; made up; invented; nonsense; misread; misreads; misquotes; overstates; overstated; understates; understated; misstated; misstates; does not hold; doesn't hold; no basis; inaccurate; misleading; not supported; disagree; reject; refute; refuted; contradicts; contradicted; hallucinated; simply not; nowhere near; the data says otherwise; bogus; exaggerates; exaggerated; dispute; disputes;"
     "错误; 有误; 错了; 不实; 不对; 不符; 事实上; 其实; 实际上; 实际; 并非如此; 相反; 站不住脚; 不成立; 虚假; 编造; 捏造; 误读; 误导; 夸大; 失实; 不准确; 与事实不符; 与数据不符; 纯属; 驳斥; 反驳; 并不属实; 子虚乌有; 不属实; 没有依据; 谎称; 误称; 看错; 搞错; 不正确; 胡说; 不认同; 无中生有"),
    (ENDORSE, None, "right; rightly; correct; correctly; agree; agrees; true; accurate; accurately; fair point; concede; concedes; granted; admit; admits; acknowledge; acknowledges; 说得对; 正确; 没错; 同意; 属实; 承认; 认同; 准确; 说得没错; 有道理; 确实; 言之有理; 诚如; 正如"),
    # Borders.
    (WEAK, None, ", ; 、, ; — ; – ; … ; · ; •"),
    (CONJ, "and", "and; or; plus; nor; 且; 并且; 并; 又; 而且"),
    (CONJ, "but", "but; yet; however; 但; 但是; 然而; 不过; 而是"),
    (CONJ, None, "while; whereas; although; though; because; since; so; as; despite; even though; with the; amid; meanwhile; also; 而; 同时; 因此; 所以; 虽然; 尽管; 因为; 由于; 此外; 另外; 以至; 加上; 配合; 伴随; 叠加"),
)

STATES: tuple[tuple[str, str], ...] = (
    ("oversold", "oversold; over-sold; over sold; {,deeply} oversold; 超卖; 超卖区; 超卖区间; 超卖区域; 超卖状态"),
    ("overbought", "overbought; over-bought; over bought; 超买; 超买区; 超买区间; 超买区域; 超买状态"),
    ("neutral", "neutral; neutral {zone,territory}; 中性; 中性区域; 中性区间; 中性区; 中性状态; 中性偏{多,空,强,弱}"),
    ("bullish_divergence", "{bullish,positive,hidden bullish} divergence; divergence; diverging; bearish divergence; negative divergence; 底背离; 顶背离; 背离; 看涨背离; 看跌背离"),
    ("weak_trend", "weak {,directional} {trend,trending}; {no,lacks} {,clear} trend; trendless; {,a} {weak,soft,feeble} trend; {no,without} trend; range-bound; ranging market; trend is weak; trend strength is weak; weak trend strength; 弱趋势; 趋势弱; 趋势较弱; 趋势偏弱; 趋势疲弱; 无趋势; 趋势不明; 趋势不明显; 趋势强度弱; 趋势强度偏弱; 趋势很弱; 震荡市; 无明显趋势; 没有趋势; 缺乏趋势; 趋势强度不足; 趋势疲软; 趋势性弱; 趋势微弱"),
    ("moderate_trend", "{moderate,medium,middling} {,strength} trend; moderate trend strength; {,a} {moderate,medium-strength} trend; 中等趋势; 趋势中等; 中等强度; 趋势强度中等; 中等趋势强度; 中度趋势; 中等强度趋势; 温和趋势"),
    ("strong_trend", "{strong,solid,robust,powerful,trending} {,directional} {trend,market}; trend is strong; strong trending; {,a} strong trend; strong trend strength; trend strength is strong; strongly trending; well-established trend; 强趋势; 趋势强; 趋势强劲; 强势趋势; 趋势较强; 趋势很强; 趋势明确; 趋势强度高; 趋势强度较强; 强劲趋势; 趋势强烈; 明显趋势; 趋势显著; 趋势强度强; 趋势偏强"),
    ("very_strong", "{very,extremely,exceptionally} strong {,trend}; {,a} very strong trend; extreme trend; 极强趋势; 趋势极强; 非常强的趋势; 超强趋势; 趋势非常强; 极强; 趋势异常强; 非常强劲的趋势; 趋势非常强劲; 趋势极为强劲; 极强的趋势; 很强的趋势"),
    ("golden_cross", "golden cross; golden crossover; bullish {cross,crossover,signal cross}; {crossed,crosses,crossing} {bullish,bullishly,upward,upwards}; cross to the upside; bull cross; positive crossover; 金叉; 黄金交叉; 多头交叉; 看涨交叉; 上金叉; 金叉状态; 看多交叉"),
    ("dead_cross", "{dead,death} {cross,crossover}; bearish {cross,crossover,signal cross}; {crossed,crosses,crossing} {bearish,bearishly,downward,downwards}; cross to the downside; bear cross; negative crossover; 死叉; 死亡交叉; 空头交叉; 看跌交叉; 死叉状态; 看空交叉"),
    ("positive", "positive; positive territory; above {,the} zero{, line}; green; in the green; above zero line; positive side; north of zero; 为正; 正值; 转正; 正数; 零轴上方; 零轴之上; 0轴上方; 0轴之上; 零轴以上; 0轴以上; 正区间; 正区域; 翻红; 翻正; 水上; 零上; 偏正; 呈正值; 零线上方; 零线之上"),
    ("negative", "negative; negative territory; below {,the} zero{, line}; red; in the red; under {,the} zero{, line}; negative side; south of zero; sub-zero; 为负; 负值; 转负; 负数; 零轴下方; 零轴之下; 0轴下方; 0轴之下; 零轴以下; 0轴以下; 负区间; 负区域; 翻绿; 翻负; 水下; 零下; 偏负; 呈负值; 零线下方; 零线之下"),
    ("positive_bars", "红柱; 红柱{放大,增长,缩短,收窄,延长,扩大}; {green,positive} {histogram,} bars"),
    ("negative_bars", "绿柱; 绿柱{放大,增长,缩短,收窄,延长,扩大}; {red,negative} {histogram,} bars"),
    ("inside", "inside; within the {bands,channel,band}; 之内; 以内; 内部; 内运行; 内; 通道内; 区间内; 轨道内; 内侧"),
    ("bullish_align", "bullish {alignment,stack,order,ordering,arrangement,configuration,sequence}; bullish {ema,ma,moving average,emas} {alignment,stack,order,ordering}; bullishly {aligned,stacked,ordered}; {aligned,stacked} bullishly; bullish aligned; bullish-aligned; in bullish {order,alignment}; fanned out bullishly; {aligned,stacked} {bullish,to the upside}; bull stack; 多头排列; 呈多头排列; 多头发散; 多头趋势排列; 看涨排列; 顺多排列"),
    ("bearish_align", "bearish {alignment,stack,order,ordering,arrangement,configuration,sequence}; bearish {ema,ma,moving average,emas} {alignment,stack,order,ordering}; bearishly {aligned,stacked,ordered}; {aligned,stacked} bearishly; bearish aligned; bearish-aligned; in bearish {order,alignment}; {aligned,stacked} {bearish,to the downside}; bear stack; 空头排列; 呈空头排列; 空头发散; 空头趋势排列; 看跌排列; 顺空排列"),
    ("broken", "broken; breached; {has,have} {broken,given way,failed}; gave way; given way; has {,already} {failed,gone}; violated; pierced; taken out; cracked; 被突破; 被跌破; 已破; 告破; 被击穿; 已被突破; 已被跌破; 被破; 破位; 被攻破; 已被击穿; 沦陷; 被打穿; 被有效跌破; 被有效突破"),
    ("intact", "intact; unbroken; unbreached; holds; holding; holding up; still holds; respected; {,is} holding firm; untested; capping; caps; 完好; 有效; 未破; 未被突破; 未被跌破; 守住; 坚守; 稳固; 尚存; 未失守; 仍在; 得到守住; 完好无损; 尚未被突破; 尚未被跌破; 仍有效; 未被攻破; 尚未被攻破"),
    ("surge", "{surge,surges,surging,surged,spike,spikes,spiking,spiked,explosive,explodes,exploded,heavy,huge,massive}; 放量; 激增; 暴增; 明显放量; 显著放量; 巨量; 大幅放量; 爆量; 急剧放大; 显著放大; 大幅放大; 明显放大; 骤增; 陡增; 放出巨量"),
    ("above_avg", "above{, -}average; higher than average; above {,the,its} {average,mean,norm}; elevated; higher{, -}than{, -}average; above {,its,the} 20{,-}{bar,period,day,candle} {average,mean}; 高于均量; 高于平均; 高于均值; 超过均量; 高于平均水平; 高于常态; 在均量之上; 均量之上; 大于均量; 超出均量; 均量以上; 均值之上; 高于20日均量; 高于20期均量; 高于20均量; 高于20周期均量"),
    ("below_avg", "below{, -}average; lower than average; below {,the,its} {average,mean,norm}; subdued; light; lower{, -}than{, -}average; under {,the,its} {average,mean}; below {,its,the} 20{,-}{bar,period,day,candle} {average,mean}; thin; 低于均量; 低于平均; 低于均值; 不及均量; 低于平均水平; 不足均量; 在均量之下; 均量之下; 小于均量; 均量以下; 均值之下; 低迷; 清淡; 低于20日均量; 低于20期均量; 低于20均量; 低于20周期均量"),
    ("shrinking", "{shrinking,shrinks,shrank,shrunk,dried up,drying up,dries up,fading,dwindling,contracting,waning,evaporating,tapering}; 缩量; 萎缩; 缩减; 明显缩量; 大幅萎缩; 持续萎缩; 减小; 缩小; 极度萎缩; 量缩; 枯竭"),
    ("flat", "flat; sideways; flatlining; unchanged; steady; stagnant; stable; moving sideways; 走平; 横盘; 持平; 平稳; 横向; 走横; 平坦; 不变; 横移"),
    ("extreme_fear", "extreme fear; 极度恐惧; 极度恐慌; 极端恐惧; 极端恐慌"),
    ("fear", "fear; fearful; fear zone; fear territory; 恐惧; 恐慌; 恐惧区; 恐慌区; 恐惧区间"),
    ("greed", "greed; greedy; greed zone; greed territory; 贪婪; 贪婪区; 贪婪区间"),
    ("extreme_greed", "extreme greed; extremely greedy; 极度贪婪; 极端贪婪"),
    ("in_profit", "in {,the} {profit,money}; {,is,are} profitable; profitable; {is,are,sits} in the black; winning; above water; 处于盈利; 盈利中; 浮盈中; 盈利状态; 浮盈状态; 处于浮盈; 有浮盈; 账面盈利中; 仍有利润; 获利状态; 处于浮盈状态; 处于盈利状态; 正在盈利; 目前盈利; 仍在盈利; 仍盈利; 在赚钱; 赚钱; 处在盈利"),
    ("in_loss", "in {,a,the} {loss}; {at,showing} a loss; underwater; under water; losing money; unprofitable; is losing; offside; 处于亏损; 亏损中; 浮亏中; 亏损状态; 浮亏状态; 处于浮亏; 有浮亏; 被套; 套牢; 账面亏损中; 处于亏损状态; 处于浮亏状态; 正在亏损; 仍在亏损; 仍亏损; 在亏钱; 亏钱; 处在亏损"),
    ("gave_back_half", "{gave,given,giving,gives,handed,give,surrendered,returned,erased} {,back} {,about,roughly,over,more than,at least,nearly,almost} half; {gave,given,giving,gives,give} {half,more than half,over half} {,of its gains,of the gain,of our gains} back; halved; half {,of} {,its,the,our} {,peak,open,unrealised,unrealized,best} {gain,gains,profit,profits,mfe} {is,are,has been,have been} {gone,given back,erased,lost}; {利润,浮盈,盈利,收益,}{,已,已经}{回吐,回撤,吐回}{,了}{过半,一半,超过一半,超半,近半,大半,一半以上,逾半,五成,五成以上,超五成}; {回吐,吐回,吐出}{,了}{,最大}{浮盈,利润,盈利}{,的}{一半,过半}; 利润腰斩; 浮盈腰斩; 腰斩; 利润已腰斩; 浮盈已腰斩"),
    ("kept_half", "{kept,keeps,retained,retains,preserved,preserves,still holds,still has,retaining,keeping} {,about,roughly,over,more than,at least,well over} half; {gave,given,giving} back {,far,well,much} {less,under} than half; {保留,保住,守住,留住}{,了}{,超过,逾,大约,约}{一半,过半,半数,大半,一半以上,五成以上}; {利润,浮盈,盈利}{仍,尚,还,依然}{保留,留有,保住}{,了}{过半,一半以上,大半,一半,超过一半}; {,利润,浮盈,盈利}{回吐,回撤}{,了}{不足,不到,未过,未到,少于}{一半,半,五成}"),
)  # fmt: skip

ASSETS = (
    "btc; bitcoin; xbt; eth; ethereum; ether; sol; solana; bnb; xrp; ripple; doge; dogecoin; ada; cardano; avax; ltc; litecoin; chainlink; matic; trx; shib; sui; arb; tsla; tesla; aapl; apple; nvda; nvidia; msft; microsoft; amzn; amazon; googl; google; spy; qqq; spx; s&p; s&p 500; s&p500; nasdaq; dow; vix; dxy; dollar index; gold; silver; oil; crude; crude oil; nikkei; altcoins; alts; the broader market;"
    "比特币; 大饼; 以太坊; 以太; 二饼; 索拉纳; 瑞波; 瑞波币; 狗狗币; 莱特币; 特斯拉; 苹果; 英伟达; 微软; 亚马逊; 谷歌; 标普; 标普500; 纳指; 纳斯达克; 道指; 美元指数; 黄金; 白银; 原油; 美股; 山寨币; 沪深300; 上证; 恒指; 大盘"
)
SAME_ASSET = (
    ("btc", "bitcoin", "xbt", "比特币", "大饼"),
    ("eth", "ethereum", "ether", "以太坊", "以太", "二饼"),
    ("sol", "solana", "索拉纳"),
    ("xrp", "ripple", "瑞波", "瑞波币"),
    ("doge", "dogecoin", "狗狗币"),
    ("ada", "cardano"),
    ("ltc", "litecoin", "莱特币"),
    ("tsla", "tesla", "特斯拉"),
    ("aapl", "apple", "苹果"),
    ("nvda", "nvidia", "英伟达"),
    ("msft", "microsoft", "微软"),
    ("amzn", "amazon", "亚马逊"),
    ("googl", "google", "谷歌"),
)


def expand(text: str) -> Iterator[str]:
    """Every phrase that `text` with its `{a,b}` alternatives stands for."""
    start = text.find("{")
    if start < 0:
        yield text
        return
    depth, at, parts, piece = 0, start, [], start + 1
    while True:
        char = text[at]
        depth += (char == "{") - (char == "}")
        if depth == 0 or (depth == 1 and char == ","):
            parts.append(text[piece:at])
            piece = at + 1
        if depth == 0:
            break
        at += 1
    for part in parts:
        yield from expand(text[:start] + part + text[at + 1 :])


def phrases(text: str) -> Iterator[str]:
    """The phrases of a word list."""
    for item in text.split(";"):
        if item.strip():
            yield from expand(item.strip())


@cache
def tree() -> Tree:
    """All words as one tree: unit -> subtree, LEAF -> entry. An earlier entry of the same phrase wins."""
    root: Tree = {}
    for indicator in INDICATORS:
        for phrase in phrases(indicator.names + ";" + indicator.base):
            _plant(root, phrase, (IND, indicator))
    for name, words in STATES:
        for phrase in phrases(words):
            _plant(root, phrase, (STATE, name))
    for category, payload, words in WORDS:
        for phrase in phrases(words):
            _plant(root, phrase, (category, payload))
    for phrase in phrases(ASSETS):
        _plant(root, phrase, (ASSET, phrase))
    for signs, category in ((";。!", STRONG), ("([【{〔", OPEN), (")]】}〕", CLOSE), ("|", PIPE), ("/_\"'#%$^@\\", FILL)):
        for sign in signs:
            _plant(root, sign, (category, "/" if sign == "/" else None))
    return root


def _plant(root: Tree, phrase: str, entry: Entry) -> None:
    node = root
    for unit in _UNIT.findall(phrase):
        node = node.setdefault(unit, {})  # type: ignore[assignment]
    if node is not root:
        node.setdefault(LEAF, entry)
