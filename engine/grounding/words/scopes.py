"""Words that open or close a scope: conditions, forecasts, targets, plans, the past, definitions, speakers, smuggled instructions.

Each entry: category, payload, phrases. See `lexer/lexicon.py` for the notation, `categories.py` for what the categories do. Of two entries
with the same phrase the earlier one wins, so the order matters.
"""

from engine.grounding.words import categories as c

SCOPES: tuple[tuple[str, object, str], ...] = (
    (
        c.POSITION,
        "is",
        """
        we carry; we are carrying; we 're carrying; we are; we 're; we remain; we hold; we have; i am; 我们{是,持有,持}; 我方{是,持有};
        目前持有; 当前持有; 现持有; 持有; 目前持;
        手持; 手里是; 手上是
        """,
    ),
    (
        c.POSITION,
        None,
        """
        {,the,our,my,this} {position,trade,holding}; 仓位; 持仓; 该仓位; 本仓位; 单子; 这笔{交易,单,仓位,持仓}; 我们的{仓位,持仓,单子};
        当前{仓位,持仓}; 现有{仓位,持仓}
        """,
    ),
    (
        c.SIDE,
        "is long",
        """
        {we,i} {went,stay,stayed,have gone,'ve gone,have been,'ve been,remain} long; we {opened,took,put on,have on,run,are running,
        're running,are in,'re in,are sitting in,'re sitting in,are holding,
        're holding,already hold,currently hold,still hold,are carrying,'re carrying,have} a long{, position, trade, on}; {the,
        our} {account,book,desk} is {,running a,holding a,in a}{, currently, still} long;
        {our,the} {,open,current,existing,live} {position,trade} is {,a }long{, position, trade, one}; currently {in,holding,
        running} a long{, position, trade}; {i,we} {'m,am,are,'re} long from; {,position ,trade }direction {:,=,is} long;
        {目前,当前,现在,眼下,手里,手上}{是,为,持有,拿着,拿的是,持的是}{,一张,一手,的}{多单,多头仓位,多头,多头持仓,多仓位}; {仓位,持仓,
        头寸}{,目前,当前}{是,为}{多单,多头仓位,多头,多头持仓,多仓位,多}; {持仓,仓位,}方向{为,是,:,：}{做,}多; 我们{做多了,开了多,
        开的是多单,拿的是多单,是多单,持有的是多单};
        {我方,我们,本方}{持,拿}{多仓,多单}
        """,
    ),
    (
        c.SIDE,
        "is short",
        """
        {we,i} {went,stay,stayed,have gone,'ve gone,have been,'ve been,remain} short; we {opened,took,put on,have on,run,are running,
        're running,are in,'re in,are sitting in,'re sitting in,are holding,
        're holding,already hold,currently hold,still hold,are carrying,'re carrying,have} a short{, position, trade, on}; {the,
        our} {account,book,desk} is {,running a,holding a,in a}{, currently, still} short;
        {our,the} {,open,current,existing,live} {position,trade} is {,a }short{, position, trade, one}; currently {in,holding,
        running} a short{, position, trade}; {i,we} {'m,am,are,'re} short from; {,position ,trade }direction {:,=,is} short;
        {目前,当前,现在,眼下,手里,手上}{是,为,持有,拿着,拿的是,持的是}{,一张,一手,的}{空单,空头仓位,空头,空头持仓,空仓位}; {仓位,持仓,
        头寸}{,目前,当前}{是,为}{空单,空头仓位,空头,空头持仓,空仓位,空}; {持仓,仓位,}方向{为,是,:,：}{做,}空; 我们{做空了,开了空,
        开的是空单,拿的是空单,是空单,持有的是空单};
        {我方,我们,本方}{持,拿}{空仓,空单}
        """,
    ),
    (
        c.SIDE,
        "long",
        """
        long; longs; {the,our,this,a,an,my,open,current,existing} long; long {position,trade,side};
        {the,our,this,my,open,current,existing} long {position,trade}; 多单; 多仓; 做多仓位; 多头仓位; 多头持仓; 当前多单; 做多; 持多
        """,
    ),
    (
        c.SIDE,
        "short",
        """
        short; shorts; {the,our,this,a,an,my,open,current,existing} short; short {position,trade,side};
        {the,our,this,my,open,current,existing} short {position,trade}; 空单; 空仓位; 做空仓位; 空头仓位; 空头持仓; 当前空单; 做空; 持空
        """,
    ),
    (
        c.SINK,
        None,
        """
        持有上限; 持仓上限; 最长持{有,仓}; {max,maximum} {hold,holding}; holding limit; risk; risks; risking; confidence; conviction;
        probability; odds; chance; win rate; weight; weighting;
        {risk,reward}{, }{/,:,-to-,to} {reward,risk};
        {risk reward,reward risk,risk-reward,reward-to-risk,risk-to-reward,rr,r:r,r/r,r}{, ratio}; ratio; equity; exposure; margin;
        capital; portfolio; hallucination score; hallucination_score; grounding; version; step; round;
        {next,second,secondary,further,minor,deeper,lower,other,higher,third,final,weekly,previous,prior,old,former,psychological}
        {support,resistance}{, level}; {support,resistance} {2,3,two,three}; s2; s3; r2; r3; low; high; lows; highs; swing {low,high};
        range; channel; trendline; trend line; pivot; fibonacci; fib; retracement; gap; order block; liquidity; neckline; round number;
        score; correlation; beta; dominance; market cap; supply; {24,24 h} {high,low}; 24 h {high,low}; period; periods; length; bars ago;
        adjustment_pct; adjustment; {close,exit,reduce}_{pct,percent,fraction,share}; {take,profit}_{profit,target}; volatility; spread;
        slippage; fee; fees; commission; liquidations;
        风险; 置信度; 信心; 信心度; 概率; 胜率; 评分; 权重; 风险回报比; 盈亏比; 风报比; 收益风险比; 回报风险比; 赔率; 资金; 本金; 敞口;
        保证金; 净值; 总资金; 账户; 预算; {下一,次级,次,第二,更高,更低,次要,第三,前期,此前,心理}{支撑,支撑位,阻力,阻力位,压力,压力位};
        {缺口,强,更强,颈线,整数关口,平台,更上方,更下方,再上方,再下方}{支撑,支撑位,阻力,阻力位,压力,压力位};
        {支撑,阻力,压力}{二,2,位二}; 高点; 低点; 前高; 前低; 新高; 新低; 高位至; 颈线; 缺口; 趋势线; 通道; 斐波那契; 回撤位; 回撤至; 市值;
        相关性; 波动率; 手续费; 滑点; 点差; 幻觉分; 幻觉分数; 幻觉检测分数; 期数; 参数; 周期参数; 把握; 止盈比; 权益; 关联度; 爆仓量;
        清算量; 周期
        """,
    ),
    (
        c.STOP,
        None,
        """
        target; targets; targeting; targeted; price target; tp; tp1; tp2; tp3; take{, -}profit{,s}; objective; objectives; aim; aims;
        aiming; eyeing; eyes; stop; stops; stop{, -}loss{,es}; stoploss; sl; trailing stop; stopped out; invalidation; invalidated;
        invalidate;
        invalidates; invalid; cut loss; cut losses; bail; stop_loss_price; take_profit_price; takeprofit; profit target; bail out;
        exit {at,if,on,near,around,below,above}; exit level; trim {at,into}; 目标; 目标价; 目标位; 目标区; 目标看; 第一目标; 第二目标;
        止损; 止盈; 止损位; 止损价; 止盈位; 止盈价; 止损设; 离场; 出场; 失效; 失效位; 看向; 上看; 下看; 剑指; 看至; 看到; 作废; 平仓;
        防守位; 防守; 移动止损; 止损放在; 止损于; 撤退; 认错
        """,
    ),
    (
        c.PLAN,
        None,
        """
        intended; intended leverage; plan; plans; planned; planning; recommend; recommended; recommends; suggest using;
        suggested leverage; propose; proposed;
        proposing; use; using; size in; scale in; scaling in; scale out; add; adding; reduce; reducing; allocate; allocating; limit;
        limited; cap; capped; max leverage; maximum leverage; buy; buying; sell; selling; enter; enter at; entering; re-enter; open a;
        opening a; go; going; i would; we would; i'd; we'd; let us; let's; consider; considering; set; place; trim; trimming; deploy;
        commit; lever; tighten; raise;
        raising; move; roll; bids; bid; limit order; orders; adjust; adjusting; cut; budget; risk budget; 原定;
        原计划; 杠杆{降到,降至,提到,提高到,提升到,调到,加到,升到,降为}; 再{加,减,买,卖,补,议,谈,定,动,考虑};
        {就,则,即}{加,减,平,走,砍,买,卖,撤,止};
        {立刻,立即,马上}{平,走,撤,减};  加码; 摊平; 先走; 先出; 计划;
        打算; 建议; 推荐; 拟; 加仓; 减仓; 开多; 开空; 挂单; 买入; 卖出; 使用; 采用; 控制; 限制; 仓位上限;
        最大杠杆; 杠杆上限; 单笔; 单笔风险; 风险预算; 分批; 布局; 做t; 追多; 追空; 追涨; 杀跌; 抄底; 配置; 投入; 设在; 设置; 设于; 上移至;
        下移至; 上调至; 调整; 提高到; 降杠杆; 参与; 试多; 试空; 轻仓; 重仓; 了结; 止盈; 锁定
        """,
    ),
    (c.PLAN, "entry", "入场; 进场; 开仓; 建仓"),
    (c.PLAN, "entered", "买入的; 进的场; 进场的; 入场的; 建的仓; {开,进,做}的{多,空}{,单,头}; 开的仓"),
    (
        c.IF,
        None,
        """
        if; unless; until; till; whenever; wherever; provided; providing; assuming; suppose; supposing; in case; as soon as;
        as long as; whether; wait for; waiting for; waits for; await; awaits; awaiting; look for; looking for; looks for; watch for;
        want to see; wants to see; need to see; like to see; would like; hoping for; hope for; hope; before;
        after a {close,break,pullback,retest,bounce,dip,rejection,confirmed,clean,sustained,daily,decisive,move,reclaim};
        on a {break,close,move,drop,push,dip,bounce,rally,pullback,retest,reclaim,rejection}; upon; a break; a close; a move; a drop;
        a push; a rise; a fall; a daily close; a clean break; a sustained; a bounce; a dip; a rejection; a rally; a reclaim; a loss of;
        a retest; were; imagine; hypothetically; in the event; even if; only if; what if; given a; a break above; a break below;
        a breakout; a breakdown; confirmation; a return; a flush; a sweep; or else; otherwise; ideally; contingent on;
        conditional on; requires; require; break; breaks above which; 若; 如果; 假如; 倘若; 假设; 假使; 一旦; 只要; 除非; 万一; 要是;
        若是; 倘; 等待; 等到; 等回; 等其; 静待; 直到; 直至; 能否; 是否; 只有当; 除了; 或者等; 设若; 如若; 若能; 若未; 若再; 假定; 需等;
        须等; 前提是; 条件是; 有待; 再等; 坐等; 耐心等; 期待; 希望; 期望; 观望至
        """,
    ),
    (c.IF, "once", "once"),
    (c.IF, "should", "should"),
    (c.IF, "short", "等; 如; 当; any; when; 待; 算不算; 是不是; 有没有"),
    (c.THEN, None, "then; 则; 便; 即可; 可; 可以; 才; 就; 方可; 那么; 才能; 才会; 再; 则可; 才考虑"),
    (
        c.MODAL,
        "sticky",
        """
        expect; expects; expected; expecting; forecast; forecasts; projected; projecting; predict; predicts; 预计; 预期; 预测; 料; 料将;
        有望; 展望
        """,
    ),
    (
        c.MODAL,
        None,
        """
        would {normally,usually,ordinarily,typically}; needed; required; want; wants; wanting; would; could; may; might; will; shall;
        can; must; cannot; has to; have to; needs to;
        need to; needs; need; ought to; expect; expects; expected; expecting; likely; unlikely; possible; possibly; potential;
        potentially; forecast; forecasts; projected; projecting; predict; predicts; poised; set to; ready to; going to; about to;
        tends to; tend to; opens the door; open the door; headed; heading; en route; bound for; eventual; eventually; soon; next;
        tomorrow; aims; won't; 'll; 'd; to test; to retest; to reach; to break; to hit; to confirm; to see; a test of; a retest of;
        path to; way to; room to; if not; 将; 会; 可能; 有望; 预计; 预期; 或将; 料; 料将; 需; 需要; 须; 应; 应当; 应该; 必须; 可望; 恐;
        恐将; 能够; 能; 有机会; 或; 或会; 大概率; 后市; 后续; 未来; 明日; 明天; 接下来; 下一步; 指望; 有可能; 倾向于; 冲击; 挑战; 测试;
        考验; 看多至; 有空间; 预测; 展望; 或许; 也许; 势必; 必将; 早晚
        """,
    ),
    (
        c.HISTORY,
        "whole",
        "{previous,prior,last,earlier} {report,note,review,reading}; {上期,上次,上一期,上一份,前次,前一份}{报告,点评,复盘,记录,}",
    ),
    (
        c.HISTORY,
        None,
        """
        on {monday,tuesday,wednesday,thursday,friday,saturday,sunday}; prev; prev {bar,candle,close,value,reading}; 上一笔; 上一单;
        上一次交易; 三天前; 两天前; 几天前; yesterday; yesterday 's; ago; previously; previous; prior; earlier;
        昨{天,日}{此时,这个时候,同一时间}{,的};
        last {week,month,year,night,session,hour,time,monday,tuesday,wednesday,thursday,friday,quarter,cycle}; formerly; in the past;
        historically; back then; at the time; the day before; a {week,day,month} earlier; back in; at the open; at its peak; at the peak;
        earlier today; used to; in {january,february,march,april,june,july,august,september,october,november,december}; days back;
        before that; initially; at first; originally; 昨日; 昨天; 昨; 昨晚; 前日; 前天; 此前; 之前; 先前; 早前; 上周; 上月; 去年; 前期;
        早些时候; 早先; 过去曾; 历史上; 前一日; 前一交易日; 前值; 上一交易日; 上一根; 上个月; 上个; 上次; 前次; 当时; 那时; 当初; 起初;
        最初; 原来; 早盘; 上一周期; 前一根; 小时前; 天前; 分钟前; 周前; 日前; 前几日; 月初; 年初; 盘初; 几天前; 几根k线前; 根k线前; 根前
        """,
    ),
    (
        c.DEFINITION,
        None,
        """
        {常用,通用,经典}{,的}{边界,阈值,界限,门槛}; 边界是; by the {textbook,book,books}; 叫做; 才叫; 就叫; 叫超买; 叫超卖; 方为; 才算;
        textbooks;
        {textbook,books} {call,calls}; what we call; what {i,traders} call;
        counts as; count as; is considered;
        are considered; considered; is defined; defined as; by definition; generally; {is,are} the textbook;
        textbook {level,definition,threshold};
        usually; typically; conventionally; rule of thumb; threshold; thresholds; a reading; readings {above,below,over,under};
        any reading; a value; values {above,below,over,under}; is regarded; regarded as; traditionally; is deemed; classified as;
        by convention; commonly; in theory; the classic; is said to; as a rule; is called; is known as; in general; normally; the usual;
        levels of; common thresholds; 视为; 被视为; 视作; 被视作; 一般; 通常; 定义; 定义为; 教科书; 被认为; 认为是; 称为; 被称为;
        通常指; 理论上; 传统上; 按定义; 惯例; 一般而言; 阈值; 门槛; 临界值; 标准是; 常规; 即为; 界定; 按惯例; 按照惯例; 常被; 经典;
        通用标准; 分界线; 分界; 为界; 的定义; 被定义为; 判定标准; 算作; 按教科书; 划分标准
        """,
    ),
    (
        c.DEFINITION,
        "weak",
        """
        算; means that; means; denotes; signifies; implies; signals; indicates; 意味着; 往往; 代表着; 表明; 说明; 代表
        """,
    ),
    (
        c.INJECT,
        None,
        """
        ignore {,all,any,the,your,these,previous,prior,all previous,all prior,the above,the previous}{, }{rules,instructions,
        instruction,facts,data,rule,prompt,checks,grounding}; ignore previous; ignore all; disregard; system prompt; system :;
        assistant :; user :; hallucination score; hallucination_score; hallucinationscore;
        grounding {passed,verified,result,check,ok,says,score}; grounding_verified; verified claims; mark {this,all,every,it,them,the};
        mark as; treat {this,all,every,it,them,the} {,following,above,claims}{, }as; you must; you are now; override; overwrite;
        set facts; fact sheet says; factsheet; correction :; corrected :; verdict :; new instructions; developer mode; <|; |>; [ system ];
        [ inst ]; do not check; skip verification; all claims {verified,true,are}; pretend; act as; for the checker;
        note to {,the} {grader,verifier,reviewer,validator,system,evaluator}; note to {the,grounding,executor,checker};
        忽略{,以上,之前,所有,全部,前面,先前,一切}{,的}{指令,规则,指示,要求,事实,数据,提示,校验,内容}; 无视; 系统提示; 系统:; 系统消息;
        系统指令; 幻觉分; 幻觉分数; 幻觉检测; 验证通过; 校验通过; 验证结果; 标记为; 请标记; 你必须; 覆盖事实; 纠正后的; 已纠正; 请将;
        视所有; 一律视; 跳过验证; 跳过校验; 不要检查; 无需验证; 假装; 扮演; 通过验证
        """,
    ),
    (
        c.NOW,
        None,
        """
        as {i,we} {write,speak}; 手头的{数字,数据}; now; currently; at present; right now; at the moment; presently; as of now;
        at this point; today; this moment; for now; 目前;
        当前; 如今; 此刻; 眼下; 现在; 现阶段; 当下; 今日; 今天; 截至目前; 此时; 现; 今; 最新; 最新的; 现时
        """,
    ),
    (
        c.SPEAKER,
        "bull",
        """
        bull; bulls; the {bull,bulls}; the bull 's; {,the} bull {side,case,camp,analyst,agent}; 多方; 多方分析师; 多头方; 看多方;
        多头分析师; 多头一方; 多方观点; 多军
        """,
    ),
    (
        c.SPEAKER,
        "bear",
        """
        bear; bears; the {bear,bears}; the bear 's; {,the} bear {side,case,camp,analyst,agent}; 空方; 空方分析师; 空头方; 看空方;
        空头分析师; 空头一方; 空方观点; 空军
        """,
    ),
    (c.SPEAKER, "whose", "his; her; his own; bull 's own; bear 's own"),
    (c.SPEAKER, "judge", "the judge; judge; 裁判; 法官; 仲裁; 仲裁员; 裁决者"),
    (
        c.SPEAKER,
        "analyst",
        """
        he; she; 您; 你方; the {indicator,trend,sentiment,pattern} {analyst,report,agent}; the analysts; indicator report; trend report;
        sentiment report;
        pattern report; {指标,趋势,情绪,形态}{分析师,报告,代理}; 技术分析师; 分析师; 对方; 对手; 他们; the other side; my opponent;
        my counterpart; the opponent; opponents; the opposing side; some; critics; they; 有人; 市场上有人
        """,
    ),
    (
        c.SAY,
        None,
        """
        {objection,allegation,charge,suggestion} that; {would,'d,i'd,i would} {argue,say,point out}{, that}; 上一版;
        {i would,i'd,we would,we'd} {add,note,stress,argue,say,point out}{, that}; {statement,boast,remark,assertion} that; shouted;
        shouts; thundered; quipped; remarked; remarks; declared; declares; promised; promises; stressed; stresses; countered; counters;
        objected; observed; observes; {i'd,i would,we'd,we would} counter{, that}; {talk,chatter,rumours,rumors,mention} {of,about};
        {wrote,writes,written}; says; say; said; {repeats,repeating,repeat};
        keeps {saying,repeating,claiming}; {tells,tell,telling}; {touts,touting,brags,pretends}; 反驳; 反驳说; 反驳称; 反驳道; 回应说;
        吹; 吹嘘; 吹捧; 硬说; 嚷嚷;
        {would,'d} {add,note,stress} that; 写道; 写到; 写着; 说成; 报成; 写成; 讲;
        讲的;
        喊; 喊的; 喊着; 鼓吹; 念叨; 宣传; 说的; claims; claim; claimed; claiming; argues; argue; argued; insists; insist; insisted;
        states; stated; puts; notes;
        noted; cites; cited; citing; quotes; quoted; asserts; asserted; reports; alleges; alleged; maintains; believes; believe; thinks;
        assertion; the assertion; points out; tells us; wants us to believe; asserting; contends; mentions; mentioned; alleging;
        according to; reads; sees; shows; 称; 说; 声称; 认为; 坚称; 指出; 主张; 宣称; 表示; 提到; 提及; 强调; 断言; 引用; 给出; 报告;
        坚持; 坚持说; 坚持认为; 一口咬定; 口口声声说; 据称; 所说; 所称; 提出; 觉得; 辩称; 号称; 说法; 所谓; 论断; 的说法; 这一说法; 声明;
        论点
        """,
    ),
    (
        c.REJECT,
        None,
        """
        {the,} {tape,sheet,data,chart,numbers,record} {disagrees,disagree,says otherwise,say otherwise,says no,say no}; 相去甚远;
        不予采纳; 误判; 一栏却是; 表中却是; 数据却是; 不准; 也不准确; nothing of the {kind,sort}; {与,和}{盘面,数据,事实,表格,表上}不符;
        并不成立; 经核对并不成立; {does not,doesn't,do not,don't,cannot,can't,will not,won't} survive;
        {记录,数据,事实,盘面,表格}{,并}不支持; 笔误; 口误; 相悖; {don't,do not,cannot,can't,not} {accept,buy,accept the,buy the};
        {does not,doesn't,do not,don't} match; 夸大其词; 睁眼说瞎话;
        说瞎话; 胡扯; 纯属胡扯; 瞎说; 扯淡; 是错的; 错的; nowhere to be found; {not,nowhere} on the sheet; not in the data; 并无此事;
        查无此数;
        图上{根本,}看不到; 根本看不到; 看不到; wrong; incorrect; incorrectly; wrongly; mistaken; mistakenly; false; falsely; untrue;
        not true; not so; {,simply,just,plainly} not the case; in fact; in reality;
        actually; contrary to; on the contrary; fabricated; made up; invented; nonsense; misread; misreads; misquotes; overstates;
        overstated; understates; understated; misstated; misstates; does not hold; doesn't hold; no basis; inaccurate; misleading;
        not supported; disagree; reject; refute; refuted; contradicts; contradicted; hallucinated; simply not; nowhere near;
        the data says otherwise; bogus; exaggerates; exaggerated; dispute; disputes; 错误; 有误; 错了; 不实; 不对; 不符; 事实上; 其实;
        实际上; 实际; 并非如此; 相反; 站不住脚; 不成立; 虚假; 编造; 捏造; 误读; 误导; 夸大; 失实; 不准确; 与事实不符; 与数据不符; 纯属;
        驳斥; 并不属实; 子虚乌有; 不属实; 没有依据; 谎称; 误称; 看错; 搞错; 不正确; 胡说; 对不上; 对不上数据; 对不上号; 不认同; 无中生有;
        {does not,doesn't,do not,don't,cannot,can't} survive {,any,closer,the} {inspection,scrutiny,data,facts,sheet};
        {is,are} {,pure,sheer,simply} {fantasy,fiction,wrong,invention,nonsense}; fantasy; fiction; forget the {tale,story,talk,idea}
        """,
    ),
    (
        c.ENDORSE,
        None,
        """
        这点我认; 我认; 我认可; right; rightly; correct; correctly; agree; agrees; true; accurate; accurately; fair point; concede;
        concedes; granted; admit;
        admits; acknowledge; acknowledges; 说得对; 正确; 没错; 同意; 属实; 承认; 认同; 准确; 说得没错; 有道理; 确实; 言之有理; 诚如; 正如
        """,
    ),
)
