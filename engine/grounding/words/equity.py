"""Words that do something else in a text about a company than in one about a contract; the table of equities reads them before all others.

Each entry: category, payload, phrases, as in `links.py`. Periods are frames: `quarterly`, `annual` and `ttm` may have facts; one that has
none (a named quarter, a growth rate over five years) is never compared with another.
"""

from engine.grounding.words import categories as c

EQUITY_WORDS: tuple[tuple[str, object, str], ...] = (
    (
        c.FILL,
        None,
        """
        size; side; leverage; 账户里; 账户方面; 同比; yoy; y/y; year on year; year over year; year-on-year; year-over-year;
        {from,than,versus,against,on,vs} {a,the} year {earlier,ago,before}; trailing; us $; hk $; a $; c $; rmb; cny; hkd;
        limit on; business; company; the {business,company,firm}; 公司; 公司整体; 整体; 集团; 合并; 全公司; group; group-wide; overall;
        consolidated; reported; 报告; 性价比; 单票; 元; 港元; 港币; 人民币; 美金; equity; on the day; on the session; in the session;
        {on,in} {today 's,the} {session,trading}; 较; diluted; gaap; non-gaap; margin; margins; solidly; fully; 仍然; 一流
        """,
    ),
    (c.FILL, "per_share", "per share; a share; apiece"),
    (c.NOW, None, "today; 目前; 当前"),
    (c.FILL, "day", "今日; 今天; 当日; 全天; 当天"),
    (c.FILL, "shares", "shares; share; 股; 股股票; 股份"),
    (
        c.FILL,
        "of_account",
        """
        {of,of the,of our,of this,of a,in the,in our} {,total ,whole ,entire }{account,portfolio,book,capital,net worth,account value,
        equity}
        """,
    ),
    (c.PAST, "reported", "was; were"),
    (c.TRADE, None, "收于; 收报; 收在; 报收; closing at; closed at; closes at; closed; closes"),
    (c.FILL, "account", "{,the ,our }{account,portfolio}; 账户"),
    (
        c.POSITION,
        "is",
        """
            we own; we hold; we have; holding; holdings; holds; hold; own; owns; we sit on; we are sitting on; 现持; 现有; 现持有; 手上{,
            有}; 手里{,有}; 持股; 持仓; 持; 持有; 我们{持有,有,只有}; 现有持仓; 目前持仓; 当前持仓; 当前持股
        """,
    ),
    (
        c.FRAME,
        "quarterly",
        """
            quarterly; {the,this,that} quarter 's; {the,} {latest,most recent,last reported,last} quarter{, 's}; for the quarter;
            in the quarter; 单季; 单季度; 季度;
            {最近,最新}{一季,一个季度,一季度,季度}; 当季; 本季度; 最新季报
        """,
    ),
    (c.FRAME, "annual", "annual; full-year; full year; fiscal-year; yearly; 年度; 全年; 财年; 年报"),
    (
        c.FRAME,
        "ttm",
        """
            ttm; ltm; trailing{-, }twelve{-, }{month,months}; trailing 12{-, }{month,months}; last twelve months;
            over the last twelve months; {过去,最近}{十二,12}个月; 滚动十二个月
        """,
    ),
    (
        c.FRAME,
        "qoq",
        """
            quarter on quarter; quarter over quarter; quarter-on-quarter; quarter-over-quarter; qoq; q/q; sequential; sequentially;
            from the {prior,previous} quarter; 环比
        """,
    ),
    (
        c.FRAME,
        "years",
        """
        {three,five,ten,two,four,seven,3,5,10,2,7}{-, }year{, average, compound, annualised, annualized, cagr, median}; cagr;
        compound annual; compounded annually; per year over; a year over; over {the,} {past,last} {two,three,five,ten,3,5,10} years;
        {三年,五年,十年,近三年,近五年,近十年,过去三年,过去五年}{,平均,复合,均值,年均}; 复合增速; 复合增长率; 年复合增长; 年均复合;
        历史平均; 历史均值; {its,the} {historical,long-run,long-term} {average,mean,median};
        """,
    ),
    (
        c.FRAME,
        "to come",
        """
        {next,the coming,the following} {year,quarter,fiscal year,twelve months,12 months}{, 's}; {,on }{next,the coming} year 's
        {estimate,estimates,earnings,numbers,figures}; two years out; by {2025,2026,2027,2028,2029,2030};
        明年; 后年; 下一年; 下年度; 下一财年; 下个财年; 下季度; 下一季度; 下个季度; 未来一年; 未来十二个月;
        """,
    ),
    (
        c.FRAME,
        "ytd",
        """
        ytd; year to date; year-to-date; this {year,month,week,quarter}; since {january,february,march,april,june,july,august,september,
        october,november,december,the start of the year,inception,the low,the ipo};
        over the {past,last} {year,month,week,quarter,six months,three months,12 months}; in {a,the past,the last} {year,month,week};
        年初至今; 今年以来; 年内; 本月; 本周; 近一年; 近一个月; 过去一年
        """,
    ),
    (
        c.FRAME,
        "other quarter",
        """
        {first,second,third,fourth} {,fiscal }quarter; {first,second} half; first nine months; h 1; h 2; q 1; q 2; q 3; q 4; 第{一,二,三,
        四,1,2,3,4}季度; {一,二,三,四}季度; {一,三}季报; 中报; 半年报; {上,下}半年; 前三季度;
        """,
    ),
    (
        c.ASSET,
        "others",
        """
        peers; its peers; competitors; rivals; {industry,sector,peer,peer-group,market} {average,median,mean,norm,multiple}; {the,an,
        its} {industry,sector,peer group}; sector; industry; the s&p;
        treasuries; treasury; bonds; the bond; {the,its} bond 's; gilts; money market; deposits; 国债;
        债券;
        that of {the,its} {share,shares,stock,index,market,sector}; that of {a,another} {rival,peer,competitor};
        行业; 行业{平均,均值,中位数,平均水平}; 同行; 同行{平均,均值}; 可比公司; 竞争对手; 板块; 同业;
        """,
    ),
    (
        c.ASSET,
        "segment",
        """
        {data{, ,-}center,cloud,gaming,services,products,product,automotive,advertising,ad,ads,retail,wholesale,consumer,enterprise,
        hardware,software,subscription,subscriptions,
        iphone,ipad,wearables,china,europe,europe's,americas,asia,international,overseas,domestic,online,e-commerce,energy,storage,
        commercial,licensing,membership,aws,azure,
        youtube,segment,division,unit,subsidiary,organic,like-for-like,same-store,comparable,fintech,networking,memory,foundry,streaming,
        payments,liquor,beer,beverage,beverages,food,apparel,footwear,furniture,steel,cement,chemicals,oil,gas,renewables,mining,
        insurance,banking,lending,brokerage,vehicle,vehicles,cargo,hotel,aftermarket,licence,license,royalty};
        {cost,costs,expense,expenses,opex,capex,r&d,headcount,inventory,inventories,receivables,payables,deliveries,
        shipments,wages,taxes,expenditure,spending} {grow,grows,grew,rise,rises,rose,fall,falls,fell,climb,climbed,increased,are up,were
        up,are down,were down}; {the,its} {,ad ,cloud ,retail }{segment,division,unit,arm};
        {系列酒,海外,国内,境外,境内,游戏,广告,云,云业务,服务,直销,分部,子公司,业务分部,手机,汽车,电商,零售,新业务,金融科技,有机,可比,
        同店,出口,线上,线下}{,业务,收入,营收,销售,板块}
        """,
    ),
    (
        c.STOP,
        None,
        """
        {one,another,each,every,some,most,many,two,three,several,our} {analyst,analysts}; {low,high,mean,median,lowest,highest}
        {estimate,estimates,forecast,forecasts}; {the,} {estimate,estimates} {is,are}; net debt; net cash; worth;
        {revenue,sales,earnings,profit,income} per {employee,user,store,customer,subscriber,bottle,head,unit}; earnings yield;
        cash and {,cash }equivalents; {company,corporate,balance-sheet,balance sheet} cash; cash on {the,its} balance sheet;
        {factory,list,selling,retail,wholesale,average selling,ticket,unit,offer,exercise,strike,conversion} {price,prices};
        price of {a,an,one,each,its products}; 出厂价; 零售价; 批发价; 批价; 售价; 单价; 均价{一瓶,每瓶,每台,每辆}; 净负债; 净现金;
        consensus; the street; guidance; guides {for,to}; guided; guide; management {guides,expects,targets}; price {target,targets,
        objective}; analysts {expect,forecast,see,rate}; sell-side; broker; brokers; rating; ratings; fair value;
        intrinsic value; dcf; 指引; 业绩指引; 一致预期; 机构预期; 市场预期; 券商; 内在价值; 合理价值; 公允价值; 合理估值; 目标市值;
        break-even; buyback; buybacks; 回购; 拆股; 除权; 除息; lawsuit; fine of; 罚款; 传闻
        """,
    ),
    (
        c.IF,
        None,
        """
            {in,under} {the,our,a} {bear,bull,base,worst,best,downside,upside,stress} {case,scenario};
            {悲观,乐观,中性,最坏,最好}{情形,情景,假设}{,下};
            {takes,take,brings,bring,puts} {the,our} {weight,position,account,cash,portfolio}; 成交后; 卖出后; 买入后; 交易后; 减持后;
            加仓后; after {the,this,that} {trade,sale,order,purchase,fill}; leaves; leaving;
            would leave
        """,
    ),
    (
        c.PLAN,
        None,
        """
        trim; trimming; 单票仓位上限; 仓位上限; position cap; cap on; proposal; proposed; execution; 减持; 清仓; 增持至; 拟买入; 计划买入;
        最多买
        """,
    ),
    (
        c.LINK,
        None,
        "covers; is covered; exceeds expectations at; 提升至; 提升到; 提高至; 下降至; 降至; 收窄至; 扩大至; 高达; 仅为; 只有; 才; 已达; 达",
    ),
    (
        c.DIR,
        1,
        """
            more than doubled; doubled; up; jumped; leapt; accelerated; 大增; 暴增; 激增; 猛增; 劲增; 仅增; 增; 大涨; 微涨; 涨; 增长;
            大幅增长; 仅增长; 正在增长; 上涨
        """,
    ),
    (c.DIR, -1, "slipped; shrank; slumped; decline; lost; loses; 下滑; 下降; 减少; 萎缩; 同比下滑; 微跌; 跌; 负增长; 在下滑; 在下降"),
    (
        c.SINK,
        None,
        """
            tax rate; beta; dividend of; dividend per share; debt of; net debt; total debt; assets of; total assets; capex; r&d; 资本开支;
            总负债; 负债率; 资产负债率; 商誉; 研发费用; 每股派息; 每股分红; headcount; employees; stores
        """,
    ),
)
