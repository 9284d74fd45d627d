/** Fetches a JSON document. Rejects with Error when there is none. */
export type FetchJson = (url: string, signal?: AbortSignal) => Promise<unknown>;
/** Fetches a text, with a bearer token where one is given. Rejects with Error when there is none. */
export type FetchText = (url: string, token?: string) => Promise<string>;
