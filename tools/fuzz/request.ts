/** One HTTP request. */
export interface FuzzRequest {
  readonly method: string;
  /** The path with its leading slash and without the query; printable ASCII. */
  readonly path: string;
  /** Encoded `name=value` pairs. */
  readonly query: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export const targetOf = ({ path, query }: FuzzRequest): string =>
  query.length === 0 ? path : `${path}?${query.join('&')}`;
