/**
 * What can be wrong with a key's string, in Chinese. The clauses are those of src/domain/key-string.ts and
 * custom-key.ts; a test holds that each of them has its own line here.
 */
type Line = readonly [clause: RegExp, zh: (match: RegExpExecArray) => string];

const at = (match: RegExpExecArray, group = 1) => match[group] ?? "";

const LINES: readonly Line[] = [
  [/^it is what a program prints/, () => "这是程序在变量未设置时打印的内容，密钥一栏其实是空的"],
  [/^it is a shortened form/, () => "这是缩写显示的密钥，请填写创建时显示的完整密钥"],
  [/^it is a placeholder/, () => "这是示例里的占位文字，请换成真正的密钥"],
  [/^it is the name of a variable/, () => "这是变量名而不是变量的值，工具没有替换它"],
  [/^it is the token of a signed-in/, () => "这是已登录账户的令牌，请先在工具里退出那个账户，再填写密钥"],
  [/^it has quotation marks/, () => "两边带有引号，请去掉引号"],
  [/^it has a header's name/, () => "里面带有请求头的名称，请只填密钥"],
  [/^it has the word Bearer/, () => "多了一个 Bearer，请只填密钥"],
  [/^it has a variable's name before/, () => "前面带有变量名，请只填密钥"],
  [/^it begins with white space/, () => "开头有空白或换行，请去掉"],
  [/^it ends with a line break/, () => "结尾有换行，请去掉"],
  [/^it ends with white space/, () => "结尾有空白，请去掉"],
  [/^it ends with a comma/, () => "结尾有逗号或分号，请去掉"],
  [/^it holds no key at all/, () => "只有密钥周围的符号，没有密钥本身"],
  [/^it has a comma inside/, () => "中间有逗号：两个密钥连在了一起，或请求头发送了两次"],
  [/^it has a line break inside/, () => "中间有换行，请把密钥写在一行里"],
  [/^it has white space inside, at position (\d+)/, m => `第 ${at(m)} 个字符处有空白，密钥里没有空白`],
  [/^it has an invisible .* position (\d+)/, m => `第 ${at(m)} 个字符不可见或形似其他字符，请重新复制密钥`],
  [/^its beginning is damaged/, () => "开头损坏，密钥以小写的 wgk_ 开头"],
  [
    /^it has (\d+) characters?, .*: its beginning is damaged/,
    m => `共 ${at(m)} 个字符而不是 53 个，且开头损坏（应为小写的 wgk_）`,
  ],
  [
    /^it has (\d+) .*: it has (\d+) characters? too many at the end/,
    m => `共 ${at(m)} 个字符，结尾多了 ${at(m, 2)} 个`,
  ],
  [
    /^it has (\d+) .*: it has (\d+) characters? too many at the beginning/,
    m => `共 ${at(m)} 个字符，开头多了 ${at(m, 2)} 个`,
  ],
  [/^it has (\d+) .*: it has (\d+) characters? too many/, m => `共 ${at(m)} 个字符，多了 ${at(m, 2)} 个`],
  [/^it has (\d+) .*: one is missing/, m => `共 ${at(m)} 个字符，少了一个，很可能是最后一个`],
  [/^it has (\d+) .*: the end is cut off/, m => `共 ${at(m)} 个字符而不是 53 个，结尾被截断了`],
  [/^its checksum does not fit/, () => "校验和不符：有字符打错或顺序颠倒"],
  [
    /^the character at position (\d+) is wrong: only letters/,
    m => `第 ${at(m)} 个字符不对，wgk_ 之后只有字母和数字`,
  ],
  [/^the character at position (\d+) is wrong/, m => `第 ${at(m)} 个字符不对，密钥只含字母、数字、_ 和 -`],
  [
    /^it has (\d+) characters?, and a custom key has (\d+) to (\d+)/,
    m => `共 ${at(m)} 个字符，自定义密钥需要 ${at(m, 2)} 到 ${at(m, 3)} 个`,
  ],
  [
    /^it has (\d+) characters?, and a whole key has (\d+)$/,
    m => `共 ${at(m)} 个字符，完整的密钥有 ${at(m, 2)} 个`,
  ],
  [/^it may hold only/, () => "只能包含字母 A-Z、a-z、数字、_ 和 -"],
  [
    /^it is too easy to guess \(about (\d+) bits, and (\d+)/,
    m => `太容易被猜到（约 ${at(m)} 位强度，需要 ${at(m, 2)} 位），请加长或更随机`,
  ],
  [/^it begins like a key of (.+): choose/, m => `开头像 ${at(m)} 的密钥，请换一个开头`],
  [/^it begins like a Wicketgate key/, () => "开头像 Wicketgate 生成的密钥，请换一个开头"],
  [
    /^it would be taken for a mistake, as if (.+)$/,
    m => `会被当成填错的密钥（${keyProblemZh(at(m)) ?? "形式不对"}）`,
  ],
];

/** Null for a clause that is not known. */
export function keyProblemZh(clause: string): string | null {
  for (const [pattern, zh] of LINES) {
    const match = pattern.exec(clause);
    if (match !== null) return zh(match);
  }
  return null;
}
