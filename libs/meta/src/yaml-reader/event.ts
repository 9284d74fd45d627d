/** What a parser makes of tokens: nodes, and the ends of collections and of the document. */
export interface Event {
  readonly kind: 'scalar' | 'alias' | 'sequence' | 'mapping' | 'end' | 'document-end';
  readonly line: number;
  /** Of a scalar or an alias. */
  readonly text: string;
  /** Of a scalar: whether its text says what it means. */
  readonly isPlain: boolean;
  readonly anchor: string | undefined;
  /** With its handle resolved: `tag:yaml.org,2002:str`. */
  readonly tag: string | undefined;
}

/** The end of a collection. */
export const end = (line: number): Event => ({
  kind: 'end',
  line,
  text: '',
  isPlain: false,
  anchor: undefined,
  tag: undefined,
});

/** A node that is not there. */
export const emptyScalar = (line: number, anchor?: string, tag?: string): Event => ({
  kind: 'scalar',
  line,
  text: '',
  isPlain: tag === undefined,
  anchor,
  tag,
});
