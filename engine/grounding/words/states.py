"""Readings in words, `overbought`, `金叉`, `放量`, and the names of assets.

Each entry: the state as the convention names it, and its phrases. `grammar/relating.py` says of what a state can be said,
`checks/states.py` when it is true.
"""

STATES: tuple[tuple[str, str], ...] = (
    ("oversold", "oversold; over-sold; over sold; {,deeply} oversold; 超卖; 超卖区; 超卖区间; 超卖区域; 超卖状态"),
    ("overbought", "overbought; over-bought; over bought; 超买; 超买区; 超买区间; 超买区域; 超买状态"),
    ("neutral", "neutral; neutral {zone,territory}; 中性; 中性区域; 中性区间; 中性区; 中性状态; 中性偏{多,空,强,弱}"),
    (
        "bullish_divergence",
        """
        {bullish,positive,hidden bullish} divergence; divergence; diverging; bearish divergence; negative divergence; 底背离; 顶背离;
        背离; 看涨背离; 看跌背离
        """,
    ),
    (
        "weak_trend",
        """
        毫无趋势{,可言}; 谈不上趋势; weak {,directional} {trend,trending}; {no,lacks} {,clear} trend; trendless;
        {,a} {weak,soft,feeble} trend; {no,without} trend;
        range-bound; ranging market; trend is weak; trend strength is weak; weak trend strength; 弱趋势; 趋势弱; 趋势较弱; 趋势偏弱;
        趋势疲弱; 无趋势; 趋势不明; 趋势不明显; 趋势强度弱; 趋势强度偏弱; 趋势很弱; 震荡市; 无明显趋势; 没有趋势; 缺乏趋势; 趋势强度不足;
        趋势疲软; 趋势性弱; 趋势微弱
        """,
    ),
    (
        "moderate_trend",
        """
        {moderate,medium,middling} {,strength} trend; moderate trend strength; {,a} {moderate,medium-strength} trend; 中等趋势; 趋势中等;
        中等强度; 趋势强度中等; 中等趋势强度; 中度趋势; 中等强度趋势; 温和趋势
        """,
    ),
    (
        "strong_trend",
        """
        趋势{确实,的确,依然,仍然,仍}{很强,较强,强劲}; {strong,solid,robust,powerful,trending} {,directional} {trend,market};
        trend is strong; strong trending; {,a} strong trend;
        strong trend strength; trend strength is strong; strongly trending; well-established trend; 强趋势; 趋势强; 趋势强劲; 强势趋势;
        趋势较强; 趋势很强; 趋势明确; 趋势强度高; 趋势强度较强; 强劲趋势; 趋势强烈; 明显趋势; 趋势显著; 趋势强度强; 趋势偏强
        """,
    ),
    (
        "very_strong",
        """
        {very,extremely,exceptionally} strong {,trend}; {,a} very strong trend; extreme trend; 极强趋势; 趋势极强; 非常强的趋势; 超强趋势;
        趋势非常强; 极强; 趋势异常强; 非常强劲的趋势; 趋势非常强劲; 趋势极为强劲; 极强的趋势; 很强的趋势
        """,
    ),
    (
        "golden_cross",
        """
        bullishly {crossed,crossing}; crossed bullish; turned up through {,the,its} signal{, line}; {crossed,crosses} {back ,}above
        {,the,its} signal{, line}; golden cross;
        golden crossover; bullish {cross,crossover,signal cross};
        {crossed,crosses,crossing} {bullish,bullishly,upward,upwards}; cross to the upside; bull cross; positive crossover; 金叉;
        黄金交叉; 多头交叉; 看涨交叉; 上金叉; 金叉状态; 看多交叉
        """,
    ),
    (
        "dead_cross",
        """
        bearishly {crossed,crossing}; crossed bearish; turned down through {,the,its} signal{, line}; {crossed,crosses} {back
        ,}{below,under} {,the,its} signal{, line};
        {dead,death} {cross,crossover}; bearish {cross,crossover,signal cross};
        {crossed,crosses,crossing} {bearish,bearishly,downward,downwards}; cross to the downside; bear cross; negative crossover; 死叉;
        死亡交叉; 空头交叉; 看跌交叉; 死叉状态; 看空交叉
        """,
    ),
    (
        "positive",
        """
        positive; positive territory; above {,the} zero{, line}; green; in the green; above zero line; positive side;
        on the {positive,plus} side; {翻上,站上,升上,突破,回到}{了,}零轴{,上方,之上}; north of zero; 正的; 是正的; 为正;
        正值; 转正; 正数; 零轴上方; 零轴之上; 0轴上方; 0轴之上; 零轴以上; 0轴以上; 正区间; 正区域; 翻红; 翻正; 水上; 零上; 偏正; 呈正值;
        零线上方; 零线之上
        """,
    ),
    (
        "negative",
        """
        negative; negative territory; below {,the} zero{, line}; red; in the red; under {,the} zero{, line}; negative side; south of zero;
        sub-zero; {deep,well,far} below zero; on the {negative,minus} side; {跌破,跌穿,失守,跌回}{了,}零轴{,下方,之下}; 负的; 是负的;
        为负; 负值; 转负; 负数; 零轴下方; 零轴之下;
        0轴下方; 0轴之下; 零轴以下; 0轴以下; 负区间; 负区域; 翻绿; 翻负; 水下; 零下;
        偏负; 呈负值; 零线下方; 零线之下
        """,
    ),
    ("macd_golden", "{bullish,golden,positive} macd {cross,crossover,signal cross}; macd {golden,bullish} {cross,crossover}"),
    ("macd_dead", "{bearish,dead,death,negative} macd {cross,crossover,signal cross}; macd {dead,death,bearish} {cross,crossover}"),
    ("volume_shrinks", "{明显,显著,大幅,持续,}缩量; 量能{,严重,明显}{不足,缩水,跟不上}; 缩量{明显,严重}"),
    ("mood_fear", "{the ,}market is {,gripped }{in,by} {,a state of }fear; 市场{处于,处在}恐惧{区,区间,状态,区域}; sentiment is fearful"),
    ("mood_greed", "市场{处于,处在}贪婪{区,区间,状态,区域}; sentiment is greedy"),
    (
        "dominant",
        """
        占优; 占上风; 占据优势; 占据上风; 主导; in control; in charge; on top; has the upper hand; dominant; {is,are} dominating
        """,
    ),
    ("positive_bars", "红柱; 红柱{放大,增长,缩短,收窄,延长,扩大}; {green,positive} {histogram,} bars"),
    ("negative_bars", "绿柱; 绿柱{放大,增长,缩短,收窄,延长,扩大}; {red,negative} {histogram,} bars"),
    (
        "in_bands",
        """
            {夹在,处在,处于,位于}{两轨,上下两轨,上轨与下轨,上轨和下轨,上、下轨}之间; {仍,还,依然,}{在,处于}{布林,布林带,}带内; 夹在{布林,
            }上下轨之间; {夹在,处于,在}带内{运行,}; {在,处于,位于}{布林,}上下轨之间
        """,
    ),
    (
        "inside",
        """
        inside; within the {bands,channel,band};
        之内; 以内; 内部; 内运行; 内; 通道内; 区间内; 轨道内; 内侧
        """,
    ),
    (
        "bullish_align",
        """
        {stacked,aligned,ordered} 20 {over,above} 50 {over,above} 200;
        bullish {alignment,stack,order,ordering,arrangement,configuration,sequence};
        bullish {ema,ma,moving average,emas} {alignment,stack,order,ordering}; bullishly {aligned,stacked,ordered};
        {ema,emas,ma,moving average} {alignment,stack,structure,order}{,:, is, remains, stays, looks} {,fully,clearly,firmly} bullish;
        {aligned,stacked} bullishly; bullish aligned; bullish-aligned; in bullish {order,alignment}; fanned out bullishly;
        {aligned,stacked} {bullish,to the upside}; bull stack; 多头排列; 呈多头排列; 多头发散; 多头趋势排列; 看涨排列; 顺多排列
        """,
    ),
    (
        "bearish_align",
        """
        {stacked,aligned,ordered} 20 {under,below} 50 {under,below} 200;
        bearish {alignment,stack,order,ordering,arrangement,configuration,sequence};
        bearish {ema,ma,moving average,emas} {alignment,stack,order,ordering}; bearishly {aligned,stacked,ordered};
        {ema,emas,ma,moving average} {alignment,stack,structure,order}{,:, is, remains, stays, looks} {,fully,clearly,firmly} bearish;
        {aligned,stacked} bearishly; bearish aligned; bearish-aligned; in bearish {order,alignment};
        {aligned,stacked} {bearish,to the downside}; bear stack; 空头排列; 呈空头排列; 空头发散; 空头趋势排列; 看跌排列; 顺空排列
        """,
    ),
    (
        "broken",
        """
        {,早,早已,已}{被,}捅破; broken; breached; 破了; 先破了; {has,have} {broken,given way,failed}; gave way; given way;
        has {,already} {failed,gone}; violated; pierced;
        taken out; cracked; 已破; 告破; 被破; 破位; 沦陷
        """,
    ),
    ("taken", "{已,已经,}{被,遭,被多头,被多方}拿下; {已,已经,}{被,遭}{有效,}{突破,攻破,攻克}"),
    ("lost", "{已,}遭{跌破,击穿,打穿}; {已,已经,}{被,遭}{有效,}{跌破,击穿,打穿,跌穿}"),
    (
        "intact",
        """
        {还没,还未,尚未}被{突破,跌破,攻破,击穿}; 还压着; 仍压着; 依然压着; 没破; 没有破; 没被突破; intact; unbroken; unbreached; holds;
        holding; holding up; still holds;
        respected; {,is} holding firm; untested; capping; caps;
        完好; 有效; 未破; 未被突破; 未被跌破; 守住; 坚守; 稳固; 尚存; 未失守; 仍在; 得到守住; 完好无损; 尚未被突破; 尚未被跌破; 仍有效;
        未被攻破; 尚未被攻破
        """,
    ),
    (
        "surge",
        """
        {surge,surges,surging,surged,spike,spikes,spiking,spiked,explosive,explodes,exploding,ballooned,ballooning,exploded,heavy,huge,
        massive}; 放量; 激增; 暴增;
        明显放量; 显著放量; 巨量; 大幅放量; 爆量; 急剧放大; 显著放大; 大幅放大; 明显放大; 骤增; 陡增; 放出巨量; 异常放大; 放量明显
        """,
    ),
    (
        "above_avg",
        """
        above{, -}average; higher than average; above {,the,its} {average,mean,norm}; elevated; higher{, -}than{, -}average;
        above {,its,the} 20{,-}{bar,period,day,candle} {average,mean}; 高于均量; 高于平均; 高于均值; 超过均量; 高于平均水平; 高于常态;
        在均量之上; 均量之上; 大于均量; 超出均量; 均量以上; 均值之上; 高于20日均量; 高于20期均量; 高于20均量; 高于20周期均量
        """,
    ),
    (
        "below_avg",
        """
        below{, -}average; lower than average; below {,the,its} {average,mean,norm}; subdued; anemic; anaemic; light; lower{, -}than{,
        -}average;
        under {,the,its} {average,mean}; below {,its,the} 20{,-}{bar,period,day,candle} {average,mean};
        {is,are,looks,remains,was,stays,too} thin; thin {,on} {volume,turnover,trading}; 低于均量; 低于平均;
        低于均值; 不及均量; 低于平均水平; 不足均量; 在均量之下; 均量之下; 小于均量; 均量以下; 均值之下; 低迷; 清淡; 低于20日均量;
        低于20期均量; 低于20均量; 低于20周期均量
        """,
    ),
    (
        "shrinking",
        """
        {shrinking,shrinks,shrank,shrunk,dried up,drying up,dries up,fading,dwindling,contracting,waning,evaporating,tapering,collapsed,
        collapsing}; 缩量;
        萎缩; 缩减; 明显缩量; 大幅萎缩; 持续萎缩; 减小; 缩小; 极度萎缩; 量缩; 枯竭
        """,
    ),
    (
        "flat",
        """
        flattened; flattened out; gone flat; flattening; flat; sideways; flatlining; unchanged; steady; stagnant; stable;
        moving sideways; 走平; 横盘; 持平; 平稳; 横向; 走横; 平坦; 不变;
        横移
        """,
    ),
    ("extreme_fear", "extreme fear; 极度恐惧; 极度恐慌; 极端恐惧; 极端恐慌"),
    ("fear", "fear; fearful; fear zone; fear territory; 恐惧; 恐慌; 恐惧区; 恐慌区; 恐惧区间"),
    ("greed", "greed; greedy; greed zone; greed territory; 贪婪; 贪婪区; 贪婪区间"),
    ("extreme_greed", "extreme greed; extremely greedy; 极度贪婪; 极端贪婪"),
    (
        "in_profit",
        """
        {,is ,are }sitting on {gains,profits,a gain,a profit,a winner}; {we are,we 're,i am} sitting on {gains,profits,a gain,a profit,
        a winner}; {a,the} winning {trade,position};
        {,has ,have }{moved,gone,worked,moving,going} in our {favor,favour}; {是,都是}浮盈的; 浮盈状态; 手里有利润; 账上有浮盈; 处于获利;
        still green; {is,remains} green; {showing,at,in} a {gain,profit}; {还,仍,正}浮盈着; in {,the} {profit,money}; {makes,making}
        money; {showing,in
        the,firmly,still} green; in the black; to the good; 有盈余;
        仍有盈余; 账面仍有盈余;
        账面有盈余; 账面为正; 账面盈利;
        账面是赚的; 是赚的; 仍是赚的; 还是赚的; {,仍,还,目前}{是,为}浮盈; {处在,处于,在}盈利区; {,is,are} profitable; profitable;
        {is,are,sits} in the black; winning; above water; 处于盈利; 盈利中;
        浮盈中; 盈利状态; 浮盈状态; 处于浮盈; 有浮盈; 账面盈利中; 仍有利润; 获利状态; 处于浮盈状态; 处于盈利状态; 正在盈利; 目前盈利;
        仍在盈利; 仍盈利; 在赚钱; {已经,已,}转为{盈利,浮盈}; 扭亏为盈; 赚钱; 处在盈利
        """,
    ),
    (
        "in_loss",
        """
        {we are,we 're,i am} sitting on {a,an} {,unrealised ,unrealized ,open ,paper }{loss,loser}; sitting on {losses,a loser}; {a,
        the} losing {trade,position}; {holding,nursing,carrying} a {loser,losing trade,losing position};
        {,has ,have }{gone,moved,moving,going,went} against {us,our position,the position}; {目前,当前,现在,眼下,仍在,正在}浮亏; {is,
        are} {a loser,currently losing,now losing}; 亏着; {账面,}是亏损的; 账上有浮亏; 处于套牢;
        still losing; {slipped,fallen,gone,moved,turned,dropped} into {,a }loss; shows a loss; {sitting on,carrying,nursing} {a,an}
        {,unrealised ,unrealized ,open ,paper ,floating }loss; {还,仍,正}浮亏着; in {,a,the} {loss};
        {showing,firmly,still in the} red; in the hole; 账面为负; 账面是亏的; 是亏的; 倒亏; 仍是亏的;
        {,仍,还,目前}{是,为}浮亏; {处在,处于,在}亏损区; {fallen,slipped,gone} into the red; {is,are} {,now} red; {at,showing} a loss;
        underwater; under water; money down; {已,}转为{亏损,浮亏}; 转亏; losing money; unprofitable; is losing; offside; 处于亏损;
        亏损中; 浮亏中; 亏损状态; 浮亏状态; 处于浮亏; 有浮亏; 被套; 套牢; 账面亏损中; 处于亏损状态; 处于浮亏状态; 正在亏损; 仍在亏损;
        仍亏损; 在亏钱; 亏钱; 处在亏损
        """,
    ),
    (
        "gave_back_half",
        """
        {,more than,over,well over,about,roughly,nearly} half {,of} {the,its,our} {,open,peak,best} {profit,gain,gains} {handed
        back,given back,surrendered,lost,gone}; {,more than,over,well over,about,roughly,nearly} half {,of} {the,its,our,that,it}
        {,peak,open,best,unrealised} {profit,gain,gains,profits} {is,has been,have been,was} {,already,now} {handed
        back,surrendered,lost,returned,erased}; {gave back,given back,surrendered,handed back,returned} {,about,roughly,over,more
        than,at least,nearly,almost} half of {its,the,our} {,best,peak,open} {profit,gain,gains,run};
        {回吐,吐回,吐出}{了,}其中{,一}{大半,半,过半}; {,more
        than,over,about,roughly,nearly} half of it {is,has been,has} {,already,now} {gone,handed back,given
        back,lost,surrendered}; {,more than,over} half of the {best,peak} {gain,profit} {evaporated,vanished,disappeared};
        {回吐,吐回,吐}{,去,掉}{,了}一多半; 吐回去{一多半,大半,一半,过半}; {,more than,over,about,roughly,nearly} half
        {,of} {the,its,our,that} {,peak,open,best}
        {gain,gains,profit,profits,peak,move,run-up} {is,are,has been,have been,has,have} {,already,now}
        {gone,leaked away,evaporated,vanished,been lost,slipped away,been given back}; {given,gave,handed} back even half;
        {gave,given,giving,gives,handed,give,surrendered,returned,erased} {,back} {,about,roughly,over,more than,at least,nearly,
        almost} half; {gave,given,giving,gives,give} {half,more than half,over half} {,of its gains,of the gain,of our gains} back;
        halved;
        {,more than,over,about} half of {the,its,our} {peak,best,open,} {profit,gain,gains} {has,have} been {given back,surrendered,lost};
        half {,of} {,its,the,our} {,peak,open,unrealised,unrealized,best} {gain,gains,profit,profits,mfe} {is,are,has been,have
        been} {gone,given back,erased,lost};
        {利润,浮盈,盈利,收益,}{,已,已经,早已,早就}{回吐,回撤,吐回,吐掉,吐出,吐了}{,了,早已,已,已经}{一大半,大半,超过一半,过半,逾半};
        {利润,浮盈,盈利,收益,}{,已,已经}{回吐,回撤,吐回}{,了}{过半,一半,超过一半,超半,近半,大半,一半以上,逾半,五成,五成以上,超五成};
        {回吐,吐回,吐出}{,了}{,最大}{浮盈,利润,盈利}{,的}{一半,过半}; 利润腰斩; 浮盈腰斩; 腰斩; 利润已腰斩; 浮盈已腰斩
        """,
    ),
    (
        "kept_half",
        """
        {keep,keeps,kept,retain,retains,hold,holds} the {larger,greater,better,bigger} part;
        {surrendered,lost,returned} {,far,well,much} {less,under} than half{, of {its,the,our} {,best,peak,open}
        {profit,gain,gains,run}}; {gave,given,giving} back {less,under} than half of {its,the,our} {,best,peak,open}
        {profit,gain,gains,run}; still {keep,retain,preserve} {,about,roughly,over,more than,at least,well over} half;
        {,利润,浮盈,盈利}{还,}{没,未}{吐出,吐掉,回吐,吐回}{一半,过半}; {kept,keeps,retained,retains,preserved,preserves,still
        holds,still has,retaining,keeping}
        {,about,roughly,over,more than,at
        least,well over} half; {less than,under,well under} half {has,have,was} {,been} {given,handed} back;
        {less than,under,well under} half {given,handed} back; {gave,given,giving} back {,far,well,much} {less,under} than half;
        {保留,保住,守住,留住}{,了}{,超过,逾,大约,约}{一半,过半,半数,大半,一半以上,五成以上};
        {利润,浮盈,盈利}{仍,尚,还,依然}{保留,留有,保住}{,了}{过半,一半以上,大半,一半,超过一半};
        {,利润,浮盈,盈利}{回吐,回撤,吐回}{,了,还,尚,仍}{未到,未及,没到,没过,不到,不足,未过}{一半,半,五成};
        {利润,浮盈,盈利,收益}{,还,仍,尚,仍然}{保住,保住了,留住,留住了,守住了}{大半,一大半,过半,一半以上};
        {,利润,浮盈,盈利}{回吐,回撤}{,了}{不足,不到,未过,未到,少于}{一半,半,五成}
        """,
    ),
)

ASSETS = """
btc; bitcoin; xbt; eth; ethereum; ether; sol; solana; bnb; xrp; ripple; doge; dogecoin; ada; cardano; avax; ltc; litecoin; shiba inu;
        shiba; binance coin; avalanche; arbitrum;
chainlink; matic; trx; shib; sui; arb; tsla; tesla; aapl; apple; nvda; nvidia; msft; microsoft; amzn; amazon; googl; google; spy;
qqq; spx; s&p; s&p 500; s&p500; nasdaq; dow; vix; dxy; dollar index; gold; silver; oil; crude; crude oil; nikkei; altcoins; alts;
the broader market; 比特币; 大饼; 以太坊; 以太; 二饼; 索拉纳; 瑞波; 瑞波币; 狗狗币; 莱特币; 特斯拉; 苹果; 英伟达; 微软; 亚马逊;
谷歌; 标普; 标普500; 纳指; 纳斯达克; 道指; 美元指数; 黄金; 白银; 原油; 美股; 山寨币; 沪深300; 上证; 恒指; 大盘; facebook; netflix;
贵州茅台; 茅台; moutai; 腾讯; 腾讯控股; tencent; 阿里巴巴; 阿里; alibaba;
        美团; meituan; 比亚迪; 宁德时代; 中国平安; 招商银行; 五粮液; 泸州老窖
"""
"""Other things that have a price: what is said of them is not said of the sheet's own asset."""

SAME_ASSET: tuple[tuple[str, ...], ...] = (
    ("btc", "bitcoin", "xbt", "比特币", "大饼"),
    ("eth", "ethereum", "ether", "以太坊", "以太", "二饼"),
    ("sol", "solana", "索拉纳"),
    ("xrp", "ripple", "瑞波", "瑞波币"),
    ("doge", "dogecoin", "狗狗币"),
    ("ada", "cardano"),
    ("link", "chainlink"),
    ("bnb", "binance coin"),
    ("shib", "shiba", "shiba inu"),
    ("avax", "avalanche"),
    ("trx", "tron"),
    ("arb", "arbitrum"),
    ("matic", "polygon"),
    ("ltc", "litecoin", "莱特币"),
    ("tsla", "tesla", "特斯拉"),
    ("aapl", "apple", "苹果"),
    ("nvda", "nvidia", "英伟达"),
    ("msft", "microsoft", "微软"),
    ("amzn", "amazon", "亚马逊"),
    ("googl", "google", "谷歌"),
    ("goog", "google", "谷歌"),
    ("meta", "facebook"),
    ("nflx", "netflix"),
    ("600519", "贵州茅台", "茅台", "moutai"),
    ("0700", "腾讯", "腾讯控股", "tencent"),
    ("700", "腾讯", "腾讯控股", "tencent"),
    ("9988", "阿里巴巴", "阿里", "alibaba"),
    ("baba", "阿里巴巴", "阿里", "alibaba"),
    ("3690", "美团", "meituan"),
    ("1211", "比亚迪", "byd"),
    ("002594", "比亚迪", "byd"),
    ("300750", "宁德时代", "catl"),
    ("601318", "中国平安", "平安"),
    ("600036", "招商银行", "招行"),
    ("000858", "五粮液"),
)
