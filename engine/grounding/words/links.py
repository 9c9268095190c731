"""Words between a subject and its value: comparisons, verbs, approximations, negation, movement, conjunctions.

Each entry: category, payload, phrases. See `lexer/lexicon.py` for the notation, `categories.py` for what the categories do. Of two entries
with the same phrase the earlier one wins, so the order matters.
"""

from engine.grounding.words import categories as c

LINKS: tuple[tuple[str, object, str], ...] = (
    (
        c.CMP,
        ">",
        """
        {has,have} broken {through,above,out of,past}; in front of; {tops,outpaces}; beyond; {gone,went,going} {beyond,above,over};
        in excess of; above; over; >; ≥;
        {outranks,outweighs,beats,beating,towers over,dominates,leads,eclipses,dwarfs}; ahead of; clear of; well clear of;
        {carried,taken,lifted,driven} {it,price,us,them} {through,past,above,over};
        {poked,pokes,punched,punches,punching,pushed,spiked} {above,over,through}; 冲出; 冲出了; 冲破了; 已冲出; turned up through;
        压制; leading; edges out; edging out; {tops,topping,pips}; {已,}越出; {overtaken,overtook,overtakes,outtrades,outtrading};
        盖住; {压着,压住,盖过,高过,超越,大过,多过,反超}; 站到;
        站回到; 已站到; 冲过; 冲到了; 踏上; 高出; > =; = >; exceeds; exceed; exceeding; exceeded;
        {burst,bursts,bursting} {through,above,past}; {more,greater,bigger,higher,larger,stronger} than; at least;
        no less than; not less than; north of; {topped,tops,topping}; {surpassed,surpasses,surpassing}; past;
        {cross,crosses,crossed,crossing,break,breaks,broke,broken,breaking,climb,climbs,climbed,climbing,hold,holds,held,holding,
        stay,stays,stayed,staying,push,pushes,pushed,sit,sits,sitting,rise,rises,rose,rising,move,moved,moves,trade,trades,trading,
        remain,remains,closed,closes,stand,stands,standing,firmly,comfortably,well,just,slightly,safely,clearly} {above,over};
        {cleared,clears,clearing}; {reclaimed,reclaims,reclaiming,regained,regains,recaptured,retaken,retook,retakes}; leads; on top of;
        upwards of;
        {cross,crosses,crossed} up through; {broke,breaks,broken} through; {crossed,crosses} up; outpaces; 高于; 大于; 超过; 突破; 站上;
        站上了; 站稳; 站在; 升破; 上破; 逾; 不低于; 不少于; 至少; 上穿; 向上突破; 超出; 高出; 越过; 收复; 冲破; 冲上; 强于; 涨破; 重返;
        守住; 踩上; 又踩上; 踩上了; reclaim 了; 守在; 守稳; 突破了; 已越过; 已突破; 向上穿越; 多于; 升穿; 大于等于; 收于{,其}上方; 领先;
        压过; 站回; 不小于
        """,
    ),
    (
        c.CMP,
        "<",
        """
        below; under; sub; <; ≤; {has,have} broken {below,under,down through}; {fallen,falls,fell,dropped,sliced,slid,cut} {through,out of};
        {stuck,pinned,trapped,buried,back} {under,below,beneath}; {has,have} {,already,now,just,since} lost {the,its,both};
        turned down through; not quite;
        {丢了,丢掉了}; {还,}{没,未}{摸到,碰到,触到,够到}; 头顶{还有,有,就是,是}; {is,are} lower than; still short of;
        {比不上,不如,没到,还没到,未及,远没到,远未到,没能到,低过,差一点到}; 被压制于; 受制; < =; underneath;
        {less,lower,smaller,weaker,fewer} than; beneath; south of; at most; no more than;
        not more than; {trails,lags,slots in,trailing,lagging} {,under,below,behind}; {尚未,还未,未,没}达到;
        {ducked,ducks} {under,below}; 跌出;
        {has,have} yet to {reclaim,regain,clear,recover,retake}; {hasn't,haven't,has not,have not,hadn't} {reached,hit,topped,cleared};
        {fails,failed} to {reach,hit,top,break,clear}; {does not,doesn't,did not,didn't} {reach,top,break}; not even;
        short of; {undercut,undercuts};
        {cross,crosses,crossed,crossing,break,breaks,broke,broken,breaking,fall,falls,fell,fallen,falling,drop,drops,dropped,slip,
        slips,slipped,sink,sank,hold,holds,held,stay,stays,sit,sits,sitting,move,moved,moves,trade,trades,trading,remain,remains,
        closed,closes,stand,stands,standing,firmly,well,just,slightly,clearly,stuck,capped,dipped,dips,slid} {below,under,beneath};
        {lost,loses,losing} {its,the}; trails; lags; lags behind; {crossed,crosses} down through; {crossed,crosses} down; 低于; 小于;
        不足; 不到; 跌破; 跌破了; 跌穿; 下破; 失守; 下穿; 未达; 未到; 不超过; 至多; 最多; 弱于; 击穿; 向下跌破; 少于; 受制于; 受压于;
        落后于; 跌回; 输给; 独独输给; 小于等于; 不高于; 不大于; 向下穿越; 丢失; 丢掉; 被压制在; 已跌破; 不及; 矮于; 未及
        """,
    ),
    (c.CMP, "than", "比"),
    (c.ZERO, 2.0, "{double,twice} {its,the,their}"),
    (c.ZERO, 3.0, "{triple,thrice,three times} {its,the,their}"),
    (c.ZERO, 0.5, "half {its,the,their}"),
    (c.ZERO, 0.25, "a quarter of its"),
    (c.ZERO, 1 / 3, "a third of its"),
    (c.ZERO, 2 / 3, "{two thirds,two-thirds} of its"),
    (c.ZERO, 0.75, "{three quarters,three-quarters} of its"),
    (c.ZERO, 0.8, "{four fifths,four-fifths} of its"),
    (c.ZERO, None, "zero; zero line; zero mark; zero level; zero axis; 零轴; 零线; 0 轴; 0 线; 零轴线"),
    (
        c.POST,
        ">",
        """
        {也,仍,还,}{没丢,未丢}; {也在,已在,都在,在,踩在,被踩在,被价格踩在}{脚下,身后}; 抛在身后; 甩在身后;
        {也,都}守住{,了}; 还守住;
        {still ,}{supports,supporting,holds,props up} {price,us} {from below,from underneath};
        {supports,supports price,holds,cushions,sits,waits} from {below,underneath}; 以上; 之上; 上方; 之上方; 上边; 上面;
        or {higher,more,above,greater}; and above; 开外; 往上; 有余
        """,
    ),
    (
        c.POST,
        "<",
        """
        {悬在,就在,压在,挂在,横在,就悬在}{价格,}{头上,头顶,上头}; {has been,have been,was,were} lost;
        {也一并,一并}{丢掉,丢失,失守}; {也,已,}{守不住,没守住,未能守住,未守住}; overhead;
        {caps,is capping,keeps capping} price{, from above}; {keeps,is} pressing {,down} {,on price} from above;
        {都,也}{没,未}{收回,站上,站回,收复}; {presses,presses down,caps,capping,looms,hangs} from {above,overhead}; 以下; 之下; 下方;
        下边; 下面; or {lower,less,below};
        and below; 以内; 往下
        """,
    ),
    (c.POST, "us>", "{,far,well,just,miles} {beneath,below,under,underneath,behind} us"),
    (c.POST, "us<", "{,far,well,just,miles} {above,over} us; 头顶; 头顶上方"),
    (c.POST, "it>", "其上; 其之上"),
    (c.POST, "it<", "其下; 其之下"),
    (c.CMP, "by", "被"),
    (c.CMP, "lost", "lost; loses"),
    (c.LINK, "plural", "are"),
    (c.FILL, "since entry", "{开仓,入场,建仓,进场}{至今,以来,后}"),
    (c.FILL, None, "to add to that; adding to that; on top of that"),
    (c.FILL, "line", "line"),
    (c.FILL, "last", "last"),
    (c.FILL, "mark", "mark"),
    (c.FILL, "article", "a; an"),
    (c.FILL, "all", "all; both; all of them; 均; 都; 双双; 皆; 全部; 全都; 全在; 齐齐; 一齐; 一起; 同时都"),
    (
        c.LINK,
        None,
        """
        {does,did,do} {show,reach,read,print,sit,stand,hit,post}; equal to; parked; 跌进; 升进; {已经,已,}转为; 为中; 表中为; totals;
        amounts to; adds up to; comes to; is no joke at; {is,are,remains,stays,still} capped by; capped by; {我,}看到的是; 折算{成,为};
        换算{成,为}; 折成; 高悬{于,在}; 飙到; 飙至; 飙升{到,至}; 划在; is where; {lagging,trailing} at; {is,was,currently} set {to,at};
        hangs; looms; lurks; towers; tags; tagged; {has,have} turned to; turned to; 高居; manages;
        musters; ekes out; {is,are,was,keeps,kept} {holding,open,holding up} {at,around,near}; holding {at,around,near};
        写的是; 记的是; 记着; 维持; 扎进; 闯入; 跌入; 落入; 进入; 冲入; 踏入; 已进入; is; 's; at; =;
        深陷; 退到; 退至; {trails,lags} at; {widened,narrowed,stretched,deepened} to; 每期;
        {parked,anchored,pegged,perched,planted,lodged}{, down, up} at; as {low,high} as; qualifies as;
        {slots in,settles} at; now at;
        刚好; 刚好是; 刚好在; 对应; 对应的是; 对应着; 对应于;
        {costs,pays,carries,carried,commands,languishes,lingers,idles,trails off,clocks,touched,touching,oscillates,swings}; locked in;
        stuck {at,in}; pinned {at,in}; down at; up at; way up at; all the way {up,down} {to,at}; acts as; located; located at;
        situated at; positioned at; seen at; found at; {has been,have been,is,was} limited to; worth; equates to;
        works out {at,to};
        剩; 还剩; 剩下; 爬到; 爬到了; 爬升到; 爬升至; 冲到; 才; 却才; 却只有; 却有; 只剩; 仅剩; 停在; 读; 读出; 砸到; 砸至; 滑到;
        滑到了; 跌到了; 落到; 给到; 给到了; 看在; 看; 掉到; 已掉到; 涨到了;
        升到了; 回到了; 冲上了; 现在是; {折合,约合,相当于,占}{现价,价格,股价,收盘价,币价}{,的}; 压在; 被压在; 折合; 合; 占到; 占; 打到;
        翻正到;
        翻负到; 报在; 录在; 定在; 卡在; 挂在; 摆在; 躺在; 守在了; equals; equal to; = =; reads; reading; prints; printing; printed;
        sits; sits at; sitting; stands; standing;
        shows; showing; registers; comes in; came in; comes; hits; hit; touches; marks; lands; currently at; posts; posting; clocks in;
        measures; measured; quoted; puts; put; has; have; with; on; gives; as; to be; hovers; reported; remains; stays; being; holds;
        holding; runs; running; ranges; lies; rests; reached; reaches; reaching; 为; 是; 在; 于; 报; 报收; 报价; 读数; 读数为; 读数是; 达;
        达到; 达到了; 处于; 处在; 位于; 录得; 显示; 显示为; 有; 只有; 仅有; 仅为; 等于; 为止; 来到; 落在; 维持在; 保持在; 徘徊于; 停留在;
        高达; 低至; 竟达; 仅; 只; 已达; 共; 了; 在于; 现为; 运行于; 运行在; 运行; 收于; 收在; 徘徊在; 触及; 呈; 呈现; 为正; 不过;
        走到; 走至; 值为; 数值为; 指标为; 显示的是; 给出; 属于; 属; 算是; 说是; 升至; 涨至; 降至; 跌至; 滑至; 升到; 跌到; 回落至; 回升至;
        回落到; 回升到; 攀升至; 下降至; 下滑至; 上升至; 上升到; 下降到; 增至; 减至; 回到; 冲到; 冲至; 涨到; 降到; 处在了; 企稳于; 企稳在
        """,
    ),
    (c.LINK, "of", "of"),
    (c.LINK, "in", "in"),
    (c.LINK, "colon", ":"),
    (c.LINK, "share", "的"),
    (
        c.PAST,
        None,
        """
        摸过; 到过; 达到过; 摸到过; 最多时; 最高的时候; 巅峰时; 高点时; 最高时; 顶峰时; 最好时; 最好的时候; 最差时; 最惨时; was; were;
        had been; having been;
        used to {be,sit,stand}; {peaked,bottomed,troughed,topped out}{,at,around,near,above,below};
        topped out at; stood at; sat at; 曾; 曾经; 曾为; 曾达; 一度;
        一度达到; 曾是; 曾在; 曾高达; 曾触及; 曾低至; 最高曾; 最低曾; 原为; 原本为; 原先
        """,
    ),
    (
        c.FILL,
        None,
        """
        趋势强度; 无法判断; 难以判断; 无从判断; 不知道; 不清楚; 不确定;
        by contrast; in contrast; in turn; for its part; on the other hand; of course; as it happens; after all;
        considering that; until {that,this,it} {happens,does,changes};
        on top of {that,this}; to top it off; on the basis of; on {that,this} basis;
        {should,must,may} {note,notice,remember,recall,know}{, that};
        {correction,correcting,update} {to,of} {my,the} {earlier,previous,prior} {note,report,message}; 作为多空分界{,线,点};
        {不足以,难以,足以,无法}支撑; 再加上; over a {sample,period,span,window,stretch} of; {开仓,入场,建仓,进场}{至今,以来,后};
        绝对值; {我,我们,我方}{这边,}看到; if there is {one,a single} {thing,number,point,takeaway}{, to take,}; if anything;
        if you ask me; if i may; close by;
        close at hand; to be exact; to be fair; {by,on} my {count,reckoning,arithmetic,math,maths}; of which; of whom; pts; pt; pp;
        同样; 一样; 照样; 早早; 教科书{式,般}{,的}; 的确; 自己; itself; you; {i,we} {was,were,am,are} wrong; we are using;
        we 're using; {that,which} we use; the; from {,that,the,its,our,this} {peak,crest};
        {a,too,for,so,as,very} long {time,while,way,stretch}; long {shot,run,enough,overdue}; in the long run; {之比,比值};
        next to; having; 在此之前; 自峰值; 自高点; 从峰值; 从高点; 较峰值; firm; limp;
        brisk; as well; too; however; though;
        its;
        this; 力量; 力道; 体量; 质量; 动能; 势能; 功能; 性能; 机会; 反应; 供应; 相应; 需求;
        供需; 资料; 规则;
        原则; 可见; 可惜; 可观; 可靠; 认可; 相当; 适当; 恰当; 当然; 例如; 比如; 诸如; 等级; 等等; 加权; 更加; 附加; 高度; 偏高; 偏低;
        多空; 多数; 许多; 众多; 少数; 不少; 社会; 会议; decimal; annualised; annualized; per interval; 小数; i . e .; in other words;
        that is; that is to say; namely; put differently;
        to be precise; indeed; notably; importantly; in short; until then; since then; has since; have since; already well; 已将;
        最新的; so far; thus far; to date; 反而; 却; 能核实的是; 可以核实的是; 既; 呢; 嘛; 啊;
        吧; 而已; 罢了; 足足; 整整; 恰恰; 差不多恰好; 眼见; 早; 早已; 倒; 倒是; 反倒;
        反倒是; 暂时; 本级别; 同级别; 不偏不倚; that; our; their; my; and its; value; values; level; levels; line; lines; just;
        slightly; only; already;
        also; still; very; even; quite; figure; score; measure; metric; indicator; index; gauge; rate; total; recent; full; whole; well;
        right; exactly; precisely; merely; clearly; {,of} price; a mere; mere; has now; have now; has been; have been; been; itself;
        there; here; readings; technical; my; we; have; rather; fully; firmly; period; sitting; latest; again; spot on; price units;
        units; points; usdt; usd; dollars; by; modest; healthy; mild; weak; soft; solid; robust; lofty; hefty; tepid; muted; comfortable;
        whopping; respectable; extreme; deep; tiny; small; large; slight; meagre; meager; paltry; moderate; strong; bullish; bearish;
        base; main; overall; zone; territory; area; region; range; reading; 仍; 仍然; 依然; 依旧; 已; 已经; 值; 数值; 指标; 数据; 大幅;
        小幅; 略; 略微; 明显; 显著; 稳稳; 牢牢; 也; 又; 还; 还是; 该; 此; 这; 那; 一个; 个; 之; 刚; 刚刚; 正; 正好; 恰好; 线;
        水平; 位置; 区域; 区间; 区; 状态; 附近的; 整; 最新; 极; 很; 较; 稍; 偏; 更; 持续; 一直; 继续; 进一步; 快速; 迅速; 缓慢; 总计;
        合计; 累计; 图上; 上; 里; 中; 内; 竟; 居然; 直接; 有效; 成功; 重新; 强势; 再次; 再度; 严重; 深度; 高位; 低位; 美元;
        元; 价位; 一线; 关口; 大关; 整数关口; 单位; 点; 价; 本; 目标品种
        """,
    ),
    (c.FILL, "between", "之间; 间"),
    (
        c.FILL,
        None,
        """
        价格的; 股价的; 现价的; 占股价; 占价格; 占现价; 占收盘价; 为价格的; of {the,} {price,close,spot};
        of {the,} {last,closing,current} price; since entry; since the entry; since we entered; since opening; since it was opened;
        自入场以来; 入场以来; 开仓以来; 自开仓以来;
        建仓以来; 持仓以来; 持仓期间; 期间
        """,
    ),
    (
        c.HEDGE,
        None,
        """
        紧贴; 贴着; 紧挨; 紧挨着; around; about; approximately; approx; approx .; roughly; near; nearly; nearing; close to; hovering;
        hovers {around,near,about};
        hovering {around,near,about}; barely; some; ~; ≈; circa; ca .; c .; almost; just about; nearer; right by; hard by;
        in the vicinity of;
        in the {neighborhood,neighbourhood} of; 约; 大约; 大致; 约为; 大概; 接近; 将近; 差不多; 近; 大约为; 大致为; 大致在; 约在; 接近于;
        大概在; 大概为; 近乎; 约莫; 差不多是; 差不多在; 估计; 徘徊于; 徘徊在; 贴近; 靠近; 临近; 约合; 约等于
        """,
    ),
    (c.HEDGE_POST, None, "左右; 附近; 上下; 前后; 一带; or so; or thereabouts; ish; give or take; 边缘"),
    (c.NEG, "out", "out of"),
    (
        c.NEG,
        "none",
        """
        nor; none of; no; without; lacks; lack of; 无; 没有; 未见; 尚无; 未有; 不存在; 未出现; 没出现; 并无; 未形成; 没有形成
        """,
    ),
    (
        c.NEG,
        None,
        """
        离; 距; 距离; 没进; 没进入; 未进; 未进入; 不算; 没能; 没能进入; 算不得; {refuses,refuse,refused,refusing} to; not; isn 't;
        isn't; aren't; never; hasn't; haven't;
        doesn't; don't;
        didn't; wasn't; without; not yet; has yet to; have yet to;
        yet to; far from; nowhere near; no longer; hardly; scarcely;
        by no means; anything but; neither; cannot; can't; fails to; failed to; lacks; lack of; rejects;
        not in; isn; 未; 没有; 没; 不; 并未; 尚未; 并非; 不是; 无; 还未; 还没; 还没有; 远离; 脱离; 走出; 未能; 未见; 从未; 不在; 无法;
        绝非; 尚无; 尚不; 并不; 并没有; 远未; 离开; 远非; 未处于; 未进入; 未曾; 不再; 非; 谈不上; 算不上; 未有; 不属于; 不存在
        """,
    ),
    (
        c.DIR,
        1,
        """
        {pop,pump}; 不跌反{升,涨,增}; {uptick,upswing}; heading north; {pointing,points} {up,north}; up; ahead; fatter; richer; heavier;
        higher by; better by; ahead by;
        {rise,rises,rose,risen,rising,gain,gains,gained,gaining,climb,climbs,climbed,climbing,increase,increases,increased,
        increasing,growth,added,grow,grows,grew,grown,growing,expand,expands,expanded,expanding,jump,jumps,jumped,adds,added,surged,advance,
        advances,advanced,expansion,build,buildup,build-up,shot up,rallied,rally,swelled,soared,built,building,
        higher,ticked up,uptick,rebounded,recovered,improved}; 涨; 上涨;
        大涨; 上升; 升; 增长; 增加; 增; 增持; 增仓; 扩大; 攀升; 回升; 反弹; 走高; 走升; 走强; 抬头; 多出; 多出了; 拐头向上; 朝上; 向上;
        多了; 涨出;
        上行; 抬升; 升至; 涨至; 提升; 涨了; 升到; 上扬; 飙升;
        增幅; 涨幅; 扩张; 累涨; 放大; 往上爬; 往上走; 爬升; 爬高; 高
        """,
    ),
    (
        c.DIR,
        -1,
        """
        dip; slump; reduction; 不{涨,升}反{跌,降}; heading south; {pointing,points,turned} {down,south}; dipped; dips;
        drained; drains; draining; {rolled,rolls,rolling} over; behind; lighter; poorer; leaking; leaks; 外流; 往外流;
        down; {is,are} {off,lower}; gave up;
        {lower,worse} by;
        {fall,falls,fell,fallen,falling,drop,drops,dropped,dropping,decline,declines,declined,declining,slide,slides,slid,sliding,
        shrink,shrinks,shrank,decrease,decreases,decreased,decreasing,contraction,bleeds,bled,bleeding,
        shedding,sheds,contract,contracted,contracting,lower,sank,sinks,sunk,
        slipped,slips,eased,cooled,tumbled,plunged,shed,retreated,pulled back,unwound}; 跌; 下跌; 大跌; 下降; 减少; 下滑; 回落; 走低;
        走弱; 缩; 缩了; 缩掉; 掉; 掉了; 少了; 拐头向下; 掉头向下; 朝下; 向下; 下弯;
        缩减; 跌去; 跌掉; 下挫; 重挫; 挫; 累跌; 往下走; 往下掉; 降; 减; 减仓了; 滑落; 下行; 降低; 收缩; 跌至; 降至; 跌了; 流失; 跌幅;
        降幅; 滑至;
        走弱至; 回调; 降到; 跌到; 缩水; 低; 少
        """,
    ),
    (c.TO, None, "to; →; - >; = >; ->; 至; 到; ⇒; ➜; ➔"),
    (c.FROM, None, "from; 从; 由; 自"),
    (
        c.VERSUS,
        None,
        """
        versus; vs; vs .; {compared,compares} {with,to}; against; relative to; 相比; 相较; 较之; 对比; 对比之下; 相对于; 较昨日; 较前;
        与 前值; rather than; instead of; 而非; 而不是
        """,
    ),
    (
        c.BETWEEN,
        "inside",
        """
        between; {somewhere,anywhere} {from,between}; in {,the,a} range of; within; 介于; ranging from; ranges from; 区间为
        """,
    ),
    (c.AND, None, "&; 和; 与; 及; 以及; 、"),
    (c.BOTH, None, "respectively; in that order; in this order; in order; 分别; 分别为; 分别是; 分别在; 依次为; 各为"),
    (
        c.MEAN,
        "volume",
        """
        20 均; 均量; 平均量; 20 期均量; 20 周期均量; 均量线; average volume; 平均成交量; 日均量; 20 日均量; 20 均量; 20 根均量;
        20 根k线均量; mean volume; 平均成交量水平; {,20}{,周期,期,日,根}成交均量; 20 根{,k线}平均量
        """,
    ),
    (
        c.MEAN,
        None,
        """
        average; averages; mean; averaged; avg; its average; the average; 平均; 均值; 平均值; 平均水平; 常态; normal; usual; norm; 日均;
        均额; 平常; 正常水平; 平时; 20 根均值; 20 期均值; 20 周期均值; 20 日均值
        """,
    ),
    (
        c.IT,
        "truth",
        """
        账上{写着,是,记着,显示}; 表内{是,为}; 记录{是,显示}; the {feed,log,screen} {says,shows,has,gives};
        in truth; 盘面读数{是,为}; 正确读数{是,为}; the {sheet,book,record,log} {gives,says,shows,has};
        the {data,tape} {says,say,shows,show}; 现值; 最新值; 今值; 盘面显示; 表上是;
        表里是; 表上;
        应为; 应该是; 应是; 当为; 数据{明明,}{写着,显示}; my {screen,chart} {shows,says}; the actual {reading,value,figure,number};
        the {true,real} {reading,value,figure,number}; actual;
        in fact it; actually it; 实际;
        实际值; 实际上; 真实值; 真实读数; 实际读数; 真实; 真实的是; 准确值; 正确值; 实为
        """,
    ),
    (c.IT, "former", "the former; 前者"),
    (c.IT, "latter", "the latter; 后者"),
    (
        c.IT,
        None,
        """
        that same {oscillator,indicator,gauge,reading}; {the,that} same {oscillator,indicator,gauge,reading};
        that {oscillator,indicator,gauge}; the oscillator; ours; mine; it; which; its reading; its value; the reading; the figure;
        that reading;
        this reading; 其; 它; 该值; 该指标; 其值;
        实际; 实际值;
        实际上; 真实值; 真实读数; 实际读数; 读数; 该读数; 其读数; 这一读数; 真实; 真实的是; 数据显示; 此值; 准确值; 正确值; 数字;
        实为
        """,
    ),
    (
        c.TRADE,
        None,
        """
        {trades,trading,traded,quoted,changes hands,changing hands,priced,closed,closes,last traded} {,at,around,near};
        {交投于,报收,收报,报于,成交于,报收于,交易于,交易价}; 现报; 最新报; {目前,当前,暂,今}报
        """,
    ),
    (
        c.APPROACH,
        None,
        """
        approaching; approaches; nearing; near to; toward; towards; heading {to,toward,towards,into,for};
        {close,closer,nearer} to being; on the verge of; about to {become,turn,be,enter}; almost; bordering on;
        逼近; 接近于; 趋于; 趋向; 濒临; 快要; 即将; 走向; 靠拢; 迈向; 快到; 几近
        """,
    ),
    (c.FUZZY, (0, 4), "low; early"),
    (c.FUZZY, (3, 7), "mid; middle"),
    (c.FUZZY, (6, 10), "high; upper; late"),
    (c.STRONG, "comment", "< ! - -; - - >"),
    (c.WEAK, None, ",; 、,; —; –; …; ·; •"),
    (c.CONJ, "and", "and; or; plus; nor; 且; 并且; 并; 又; 而且"),
    (c.CONJ, "but", "but; yet; however; 但; 但是; 然而; 不过; 而是"),
    (
        c.CONJ,
        None,
        """
        while; whereas; although; though; because; since; so; as; despite; even though; with the; amid; meanwhile; also; 而; 同时; 因此;
        所以; 虽然; 尽管; 因为; 由于; 此外; 另外; 以至; 加上; 配合; 伴随; 叠加
        """,
    ),
)
