/** The tokens of a label selector. `end` is always the last token; the text of `error` is the error message. */
export type TokenKind =
  | 'error'
  | 'end'
  | ')'
  | ','
  | '!'
  | '=='
  | '='
  | '>'
  | 'identifier'
  | 'in'
  | '<'
  | '!='
  | 'notin'
  | '(';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const endToken: Token = { kind: 'end', text: '' };

const symbolTokens: ReadonlySet<string> = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const isSymbolToken = (text: string): text is TokenKind => symbolTokens.has(text);
const isSpecial = (character: string) => '=!(),><'.includes(character);
const isBlank = (character: string) => ' \t\r\n'.includes(character);

/* The longest operator wins. Characters are taken one by one until the text read is no longer an operator: `=!` is read as `=`, then `!`. */
function scanSymbol(text: string, start: number): { token: Token; next: number } {
  let seen = '';
  let match: TokenKind | undefined;
  let end = start;
  for (let i = start; i < text.length && isSpecial(text.charAt(i)); i++) {
    seen += text.charAt(i);
    if (isSymbolToken(seen)) {
      match = seen;
      end = i + 1;
    } else if (match !== undefined) break;
  }
  if (match === undefined) {
    return { token: { kind: 'error', text: `error expected: keyword found '${seen}'` }, next: start + seen.length };
  }
  return { token: { kind: match, text: match }, next: end };
}

function scanWord(text: string, start: number): { token: Token; next: number } {
  let end = start;
  while (end < text.length) {
    const character = text.charAt(end);
    if (isSpecial(character) || isBlank(character) || character === '\0') break;
    end++;
  }
  const word = text.slice(start, end);
  const kind = word === 'in' || word === 'notin' ? word : 'identifier';
  // A NUL byte is dropped at the end of a word. At the start of a word it ends the whole selector.
  return { token: { kind, text: word }, next: text.charAt(end) === '\0' ? end + 1 : end };
}

/** The tokens of a label selector, each scanned on demand. The last is always `end`. */
export class Lexer {
  readonly #text: string;
  #position = 0;

  constructor(text: string) {
    this.#text = text;
  }

  next(): Token {
    const text = this.#text;
    while (this.#position < text.length && isBlank(text.charAt(this.#position))) this.#position++;
    if (this.#position >= text.length || text.charAt(this.#position) === '\0') return endToken;
    const scan = isSpecial(text.charAt(this.#position)) ? scanSymbol : scanWord;
    const { token, next } = scan(text, this.#position);
    this.#position = next;
    return token;
  }
}
