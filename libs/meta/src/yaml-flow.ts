import { YamlError } from './yaml-error.ts';
import { FlowScanner, NoFlowDocument, type FlowToken, type FlowTokenKind } from './yaml-flow-scanner.ts';

/** Deeper ones are left to the other reader: this one calls itself. */
const maxDepth = 1000;
const closing = { '{': '}', '[': ']' } as const;

/** Reads over one flow collection, in the states of Go's parser. After parserc.go of go.yaml.in/yaml/v2. */
class FlowReader {
  readonly #scanner: FlowScanner;
  #depth = 0;

  constructor(scanner: FlowScanner) {
    this.#scanner = scanner;
  }

  collection(open: '{' | '['): void {
    if (this.#depth++ > maxDepth) throw new NoFlowDocument();
    this.#scanner.take();
    const close = closing[open];
    for (let first = true; this.#kind() !== close; first = false) {
      if (!first) {
        if (this.#kind() !== 'entry')
          throw parserError(this.#scanner.peek(), `did not find expected ',' or '${close}'`);
        this.#scanner.take();
      }
      if (this.#kind() === 'key') this.#pair(close);
      else if (this.#kind() !== close) this.#node();
    }
    this.#depth--;
  }

  #kind(): FlowTokenKind {
    return this.#scanner.peek().kind;
  }

  #isNone(close: '}' | ']'): boolean {
    return this.#kind() === 'entry' || this.#kind() === close;
  }

  #pair(close: '}' | ']'): void {
    this.#scanner.take();
    if (this.#kind() !== 'value' && !this.#isNone(close)) this.#node();
    // In a list the token after a key that is not there is lost.
    else if (close === ']') this.#scanner.take();
    if (this.#kind() !== 'value') return;
    this.#scanner.take();
    if (!this.#isNone(close)) this.#node();
  }

  #node(): void {
    let bare = true;
    while (this.#kind() === 'property') {
      bare = false;
      this.#scanner.take();
    }
    const token = this.#scanner.peek();
    if (token.kind === '{' || token.kind === '[') {
      this.collection(token.kind);
      this.#scanner.take();
    } else if (token.kind === 'scalar' || (token.kind === 'alias' && bare)) this.#scanner.take();
    else if (bare) throw parserError(token, 'did not find expected node content');
  }
}

const parserError = ({ line }: FlowToken, problem: string) =>
  new YamlError(`yaml: ${line === 0 ? '' : `line ${line}: `}${problem}`);

/**
 * Where the first document of a YAML text ends, if it is one flow collection, as JSON is; undefined for others. What follows it is nothing to
 * Go but for the one token that it has to read. Throws YamlError for what Go's parser finds wrong with it.
 */
export function flowDocumentEnd(text: string): number | undefined {
  if (!/^(?:---(?=\s))?(?:\s|#.*)*[[{]/.test(text)) return undefined;
  const scanner = new FlowScanner(text);
  const reader = new FlowReader(scanner);
  try {
    if (scanner.peek().kind === 'start') scanner.take();
    const { kind } = scanner.peek();
    if (kind !== '{' && kind !== '[') return undefined;
    reader.collection(kind);
    const { end } = scanner.peek();
    scanner.take();
    scanner.peek();
    return end;
  } catch (error) {
    if (error instanceof NoFlowDocument) return undefined;
    throw error;
  }
}
