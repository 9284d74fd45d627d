import { emptyScalar, end, type Event } from './event.ts';
import { parserError } from '../yaml-error.ts';
import { Scanner } from './scanner.ts';
import { TagHandles } from './tag-handles.ts';
import type { Token, TokenKind } from './token.ts';

type State =
  | 'document-content'
  | 'document-end'
  | 'block-node'
  | 'block-sequence-entry'
  | 'indentless-sequence-entry'
  | 'block-mapping-key'
  | 'block-mapping-value'
  | 'flow-sequence-entry'
  | 'flow-sequence-first-entry'
  | 'flow-sequence-mapping-key'
  | 'flow-sequence-mapping-value'
  | 'flow-sequence-mapping-end'
  | 'flow-mapping-key'
  | 'flow-mapping-first-key'
  | 'flow-mapping-value'
  | 'flow-mapping-empty-value';

const kinds = (...of: TokenKind[]): ReadonlySet<TokenKind> => new Set(of);
const endsBlockEntry = kinds('block-entry', 'block-end');
const endsIndentlessEntry = kinds('block-entry', 'key', 'value', 'block-end');
const endsBlockMember = kinds('key', 'value', 'block-end');
const endsFlowKey = kinds('value', 'flow-entry', 'flow-sequence-end');
const endsFlowEntry = kinds('flow-entry', 'flow-sequence-end');
const endsFlowMappingKey = kinds('value', 'flow-entry', 'flow-mapping-end');
const endsFlowMappingValue = kinds('flow-entry', 'flow-mapping-end');
const endsDocument = kinds('directive', 'document-start', 'document-end', 'stream-end');

/**
 * The events of the first document of a YAML text. Like Go, it ignores what follows the document, except for one token of lookahead.
 * Source: parserc.go of go.yaml.in/yaml/v2.
 */
export class Parser {
  readonly #scanner: Scanner;
  readonly #tags = new TagHandles();
  readonly #states: State[] = [];
  #state: State = 'document-end';

  constructor(text: string) {
    this.#scanner = new Scanner(text);
  }

  /** Reads up to the first node of the document. Returns false if there is no document. Throws YamlError. */
  start(): boolean {
    const first = this.#scanner.peek();
    if (first.kind === 'stream-end') return false;
    this.#states.push('document-end');
    if (first.kind !== 'directive' && first.kind !== 'document-start') {
      this.#state = 'block-node';
      return true;
    }
    this.#tags.readDirectives(this.#scanner);
    const start = this.#scanner.peek();
    if (start.kind !== 'document-start') throw parserError('did not find expected <document start>', start.line);
    this.#scanner.take();
    this.#state = 'document-content';
    return true;
  }

  /** The next event; the last is `document-end`. Throws YamlError. */
  next(): Event {
    switch (this.#state) {
      case 'document-end': {
        const { line } = this.#scanner.peek();
        return { ...end(line), kind: 'document-end' };
      }
      case 'document-content':
        return this.#documentContent();
      case 'block-node':
        return this.#node(true, false);
      case 'block-sequence-entry':
        return this.#blockSequenceEntry();
      case 'indentless-sequence-entry':
        return this.#indentlessSequenceEntry();
      case 'block-mapping-key':
        return this.#blockMappingKey();
      case 'block-mapping-value':
        return this.#blockMappingValue();
      case 'flow-sequence-first-entry':
        return this.#flowSequenceEntry(true);
      case 'flow-sequence-entry':
        return this.#flowSequenceEntry(false);
      case 'flow-sequence-mapping-key':
        return this.#flowSequenceMappingKey();
      case 'flow-sequence-mapping-value':
        return this.#flowSequenceMappingValue();
      case 'flow-sequence-mapping-end':
        this.#state = 'flow-sequence-entry';
        return end(this.#scanner.peek().line);
      case 'flow-mapping-first-key':
        return this.#flowMappingKey(true);
      case 'flow-mapping-key':
        return this.#flowMappingKey(false);
      case 'flow-mapping-value':
        return this.#flowMappingValue();
      case 'flow-mapping-empty-value':
        this.#state = 'flow-mapping-key';
        return emptyScalar(this.#scanner.peek().line);
    }
  }

  #pop(): void {
    this.#state = this.#states.pop() ?? 'document-end';
  }

  #takeAndPeek(): Token {
    this.#scanner.take();
    return this.#scanner.peek();
  }

  /** The event of a complete collection. */
  #end(line: number): Event {
    this.#pop();
    return end(line);
  }

  /** The event of a node. The parser continues in the state `then`. */
  #nodeThen(then: State, isBlock: boolean, mayBeIndentless: boolean): Event {
    this.#states.push(then);
    return this.#node(isBlock, mayBeIndentless);
  }

  #emptyThen(then: State, line: number): Event {
    this.#state = then;
    return emptyScalar(line);
  }

  #documentContent(): Event {
    const token = this.#scanner.peek();
    if (!endsDocument.has(token.kind)) return this.#node(true, false);
    this.#pop();
    return emptyScalar(token.line);
  }

  #node(isBlock: boolean, mayBeIndentless: boolean): Event {
    let token = this.#scanner.peek();
    const { line } = token;
    if (token.kind === 'alias') {
      this.#pop();
      this.#scanner.take();
      return { kind: 'alias', line, text: token.text, isPlain: false, anchor: undefined, tag: undefined };
    }
    if (token.kind === 'scalar') return this.#scalar(token, line, undefined, undefined);
    let anchor: string | undefined;
    let tagToken: Token | undefined;
    while ((token.kind === 'anchor' && anchor === undefined) || (token.kind === 'tag' && tagToken === undefined)) {
      if (token.kind === 'anchor') anchor = token.text;
      else tagToken = token;
      token = this.#takeAndPeek();
    }
    const tag = tagToken === undefined ? undefined : this.#tags.resolve(tagToken, line);
    return this.#content(token, { line, anchor, tag, isBlock, mayBeIndentless });
  }

  #scalar(token: Token, line: number, anchor: string | undefined, given: string | undefined): Event {
    this.#pop();
    this.#scanner.take();
    const isPlain = given === undefined ? token.isPlain : given === '!';
    const tag = isPlain ? undefined : given;
    return { kind: 'scalar', line, text: token.text, isPlain, anchor, tag };
  }

  #content(
    token: Token,
    properties: {
      readonly line: number;
      readonly anchor: string | undefined;
      readonly tag: string | undefined;
      readonly isBlock: boolean;
      readonly mayBeIndentless: boolean;
    },
  ): Event {
    const { line, anchor, tag, isBlock, mayBeIndentless } = properties;
    const collection = (kind: 'sequence' | 'mapping', state: State, isTaken = true): Event => {
      if (isTaken) this.#scanner.take();
      this.#state = state;
      return { kind, line, text: '', isPlain: false, anchor, tag };
    };
    if (mayBeIndentless && token.kind === 'block-entry')
      return collection('sequence', 'indentless-sequence-entry', false);
    if (token.kind === 'scalar') return this.#scalar(token, line, anchor, tag);
    if (token.kind === 'flow-sequence-start') return collection('sequence', 'flow-sequence-first-entry');
    if (token.kind === 'flow-mapping-start') return collection('mapping', 'flow-mapping-first-key');
    if (isBlock && token.kind === 'block-sequence-start') return collection('sequence', 'block-sequence-entry');
    if (isBlock && token.kind === 'block-mapping-start') return collection('mapping', 'block-mapping-key');
    if (anchor === undefined && tag === undefined)
      throw parserError('did not find expected node content', token.line === 0 ? line : token.line);
    this.#pop();
    return emptyScalar(line, anchor, tag);
  }

  #blockSequenceEntry(): Event {
    const token = this.#scanner.peek();
    if (token.kind === 'block-entry') {
      const next = this.#takeAndPeek();
      if (endsBlockEntry.has(next.kind)) return emptyScalar(token.line);
      return this.#nodeThen('block-sequence-entry', true, false);
    }
    if (token.kind !== 'block-end') throw parserError("did not find expected '-' indicator", token.line);
    this.#scanner.take();
    return this.#end(token.line);
  }

  #indentlessSequenceEntry(): Event {
    const token = this.#scanner.peek();
    if (token.kind !== 'block-entry') return this.#end(token.line);
    const next = this.#takeAndPeek();
    if (endsIndentlessEntry.has(next.kind)) return emptyScalar(token.line);
    return this.#nodeThen('indentless-sequence-entry', true, false);
  }

  #blockMappingKey(): Event {
    const token = this.#scanner.peek();
    if (token.kind === 'key') {
      const next = this.#takeAndPeek();
      if (endsBlockMember.has(next.kind)) return this.#emptyThen('block-mapping-value', token.line);
      return this.#nodeThen('block-mapping-value', true, true);
    }
    if (token.kind !== 'block-end') throw parserError('did not find expected key', token.line);
    this.#scanner.take();
    return this.#end(token.line);
  }

  #blockMappingValue(): Event {
    const token = this.#scanner.peek();
    if (token.kind !== 'value') return this.#emptyThen('block-mapping-key', token.line);
    const next = this.#takeAndPeek();
    if (endsBlockMember.has(next.kind)) return this.#emptyThen('block-mapping-key', token.line);
    return this.#nodeThen('block-mapping-key', true, true);
  }

  #flowSequenceEntry(isFirst: boolean): Event {
    let token = this.#scanner.peek();
    if (token.kind !== 'flow-sequence-end') {
      if (!isFirst) {
        if (token.kind !== 'flow-entry') throw parserError("did not find expected ',' or ']'", token.line);
        token = this.#takeAndPeek();
      }
      if (token.kind === 'key') {
        this.#scanner.take();
        this.#state = 'flow-sequence-mapping-key';
        return { kind: 'mapping', line: token.line, text: '', isPlain: false, anchor: undefined, tag: undefined };
      }
      if (token.kind !== 'flow-sequence-end') return this.#nodeThen('flow-sequence-entry', false, false);
    }
    this.#scanner.take();
    return this.#end(token.line);
  }

  #flowSequenceMappingKey(): Event {
    const token = this.#scanner.peek();
    if (!endsFlowKey.has(token.kind)) return this.#nodeThen('flow-sequence-mapping-value', false, false);
    // As in Go, the token after a missing key is dropped.
    this.#scanner.take();
    return this.#emptyThen('flow-sequence-mapping-value', token.line);
  }

  #flowSequenceMappingValue(): Event {
    const token = this.#scanner.peek();
    if (token.kind === 'value' && !endsFlowEntry.has(this.#takeAndPeek().kind))
      return this.#nodeThen('flow-sequence-mapping-end', false, false);
    return this.#emptyThen('flow-sequence-mapping-end', token.line);
  }

  #flowMappingKey(isFirst: boolean): Event {
    let token = this.#scanner.peek();
    if (token.kind !== 'flow-mapping-end') {
      if (!isFirst) {
        if (token.kind !== 'flow-entry') throw parserError("did not find expected ',' or '}'", token.line);
        token = this.#takeAndPeek();
      }
      if (token.kind === 'key') {
        const next = this.#takeAndPeek();
        if (endsFlowMappingKey.has(next.kind)) return this.#emptyThen('flow-mapping-value', next.line);
        return this.#nodeThen('flow-mapping-value', false, false);
      }
      if (token.kind !== 'flow-mapping-end') return this.#nodeThen('flow-mapping-empty-value', false, false);
    }
    this.#scanner.take();
    return this.#end(token.line);
  }

  #flowMappingValue(): Event {
    const token = this.#scanner.peek();
    if (token.kind === 'value' && !endsFlowMappingValue.has(this.#takeAndPeek().kind))
      return this.#nodeThen('flow-mapping-key', false, false);
    return this.#emptyThen('flow-mapping-key', token.line);
  }
}
