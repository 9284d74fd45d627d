/** ECMAScript "JSON.parse source text access", which Node 24 has and TypeScript's library does not declare yet. */
interface RawJSON {
  readonly rawJSON: string;
}
interface JSON {
  /** A value that JSON.stringify writes as the given JSON text of a primitive. */
  rawJSON(text: string): RawJSON;
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { source?: string }) => unknown,
  ): unknown;
}
