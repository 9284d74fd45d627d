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
  /** The line on which the token begins. */
  readonly line: number;
  /** The text of a scalar, or the name of an alias or an anchor. */
  readonly text: string;
  /** Whether a scalar is plain: neither quoted nor a block. */
  readonly isPlain: boolean;
  /** The possible simple key that begins with this token. */
  readonly simpleKey: SimpleKey | undefined;
  readonly tag?: WrittenTag;
  readonly directive?: Directive;
}
