import type { IncomingMessage, ServerResponse } from 'node:http';

/** One link of the handler chain: an Express middleware over Node's own request and response. */
export type Filter = (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void;
