/** The styles in which a scalar can be written so that it is read back unchanged. Source: libyaml's yaml_emitter_analyze_scalar. */
export interface ScalarAnalysis {
  readonly multiline: boolean;
  readonly plainAllowed: boolean;
  readonly singleQuotedAllowed: boolean;
  readonly blockAllowed: boolean;
}

const breaks = '\\r\\n\\x85\\u2028\\u2029';
const anyBreak = new RegExp(`[${breaks}]`);
const leadingOrTrailingBlank = new RegExp(`^[ ${breaks}]|[ ${breaks}]$`);
const spaceAfterBreak = new RegExp(`[${breaks}] `);
const spaceBeforeBreak = new RegExp(` [${breaks}]`);
/** Characters beyond the Basic Multilingual Plane count as unprintable here. */
const unprintable = /[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/u;
/** Sequences that end plain text in block style or change its meaning. */
const blockIndicator =
  /^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?:-](?:[ \t]|$)|.:(?:[ \t]|$)|[ \t\r\n\x85\u2028\u2029]#/su;

const emptyScalar: ScalarAnalysis = {
  multiline: false,
  plainAllowed: true,
  singleQuotedAllowed: true,
  blockAllowed: false,
};

export function analyzeScalar(text: string): ScalarAnalysis {
  if (text === '') return emptyScalar;
  const multiline = anyBreak.test(text);
  const special = unprintable.test(text) || spaceBeforeBreak.test(text);
  const breakSpace = spaceAfterBreak.test(text);
  return {
    multiline,
    plainAllowed:
      !multiline && !special && !leadingOrTrailingBlank.test(text) && !breakSpace && !blockIndicator.test(text),
    singleQuotedAllowed: !special && !breakSpace,
    blockAllowed: !special && !text.endsWith(' '),
  };
}

const namedEscapes = new Map<number, string>([
  [0x00, '0'],
  [0x07, 'a'],
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0b, 'v'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x1b, 'e'],
  [0x22, '"'],
  [0x5c, '\\'],
  [0x85, 'N'],
  [0xa0, '_'],
  [0x2028, 'L'],
  [0x2029, 'P'],
]);

/** A character as YAML writes it in double quotes, after libyaml's emitter. */
export function escapeRune(rune: string): string {
  const code = rune.codePointAt(0) ?? 0;
  const named = namedEscapes.get(code);
  if (named !== undefined) return `\\${named}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
