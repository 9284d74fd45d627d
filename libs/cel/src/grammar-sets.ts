import { follow } from './token-reader.ts';

const relationOperators = ["'<'", "'<='", "'>='", "'>'", "'=='", "'!='", "'in'"];
export const factors = ["'*'", "'/'", "'%'"];
export const sums = ["'+'", "'-'"];
export const numbers = ['NUM_INT', 'NUM_FLOAT'];
const memberStart = [
  ..."'[' '{' '(' '.' '-' 'true' 'false' 'null'".split(' '),
  ...'NUM_FLOAT NUM_INT NUM_UINT STRING BYTES IDENTIFIER'.split(' '),
];
const exprStart = [...memberStart, "'!'"];
const fieldStart = ["'?'", 'IDENTIFIER', 'ESC_IDENTIFIER'];

export const relations: ReadonlySet<string> = new Set(relationOperators);

/** The tokens that may begin parts of the grammar, by the name of the part. */
export const first = {
  member: new Set(memberStart),
  expr: new Set(exprStart),
  optionalExpr: new Set([...exprStart, "'?'"]),
  arguments: new Set([...exprStart, "')'"]),
  elements: new Set([...exprStart, "'?'", "','", "']'"]),
  entries: new Set([...exprStart, "'?'", "','", "'}'"]),
  field: new Set(fieldStart),
  fields: new Set([...fieldStart, "','", "'}'"]),
  fieldName: new Set(['IDENTIFIER', 'ESC_IDENTIFIER']),
};
/** The tokens that may follow rules of the grammar where other rules call them. https://github.com/google/cel-go/blob/master/parser/gen/CEL.g4 */
export const after = {
  end: follow([], true),
  expression: follow(['<EOF>']),
  or: follow(["'||'"], true),
  and: follow(["'&&'"], true),
  condition: follow(["'?'"], true),
  chosen: follow(["':'"]),
  relation: follow(relationOperators, true),
  calculation: follow([...factors, ...sums], true),
  member: follow(["'.'", "'['"], true),
  next: follow(["','"], true),
  argument: follow(["')'"]),
  index: follow(["']'"]),
  key: follow(["':'"]),
  colon: follow(exprStart),
};
