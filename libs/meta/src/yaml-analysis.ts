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
