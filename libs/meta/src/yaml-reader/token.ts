import type { Directive } from './directive.ts';
import type { SimpleKey } from './simple-keys.ts';
import type { WrittenTag } from './tag.ts';

export type TokenKind =
  | 'stream-end'
  | 'directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

export interface Token {
  readonly kind: TokenKind;
  /** Where it begins. */
  readonly line: number;
  /** Of a scalar, an alias or an anchor. */
  readonly text: string;
  /** A scalar without quotes that is no block. */
  readonly isPlain: boolean;
  /** What it may turn out to be the beginning of. */
  readonly simpleKey: SimpleKey | undefined;
  readonly tag?: WrittenTag;
  readonly directive?: Directive;
}
