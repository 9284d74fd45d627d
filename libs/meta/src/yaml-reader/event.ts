/** An event of the parser: a node, or the end of a collection or of the document. */
export interface Event {
  readonly kind: 'scalar' | 'alias' | 'sequence' | 'mapping' | 'end' | 'document-end';
  readonly line: number;
  /** The text of a scalar, or the name of an alias. */
  readonly text: string;
  /** Whether a scalar is plain, so that its text determines its type. */
  readonly isPlain: boolean;
  readonly anchor: string | undefined;
  /** The tag with its handle resolved: `tag:yaml.org,2002:str`. */
  readonly tag: string | undefined;
}

/** The event at the end of a collection. */
export const end = (line: number): Event => ({
  kind: 'end',
  line,
  text: '',
  isPlain: false,
  anchor: undefined,
  tag: undefined,
});

/** The event of a missing node. */
export const emptyScalar = (line: number, anchor?: string, tag?: string): Event => ({
  kind: 'scalar',
  line,
  text: '',
  isPlain: tag === undefined,
  anchor,
  tag,
});
