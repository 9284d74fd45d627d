import { parsingJson } from './json-parts.ts';
import { stringifyingJson } from './json-text.ts';
import { parseJson } from './json.ts';
import { listFacts, listingFacts, restoreFacts, type ListedFacts } from './listed-facts.ts';
import { stringifyJson } from './stringify-json.ts';
import { inTurns, pause } from './turns.ts';

/** A document as it goes from one thread to another: JSON, and what JSON does not show. */
export interface SentDocument {
  readonly json: Uint8Array;
  readonly facts: readonly ListedFacts[];
}

/** Encodes a document for another thread. Other requests of this one run in between. */
export async function sendDocument(document: unknown): Promise<SentDocument> {
  const json = Buffer.from(await inTurns(stringifyingJson(document)));
  await pause();
  return { json, facts: await inTurns(listingFacts(document)) };
}

/** Reads a document of another thread. Other requests of this one run in between. */
export async function receiveDocument({ json, facts }: SentDocument): Promise<unknown> {
  return restoreFacts(await inTurns(parsingJson(bufferOf(json))), facts);
}

/** `sendDocument` at once, for a worker thread. */
export const sendDocumentAtOnce = (document: unknown): SentDocument => ({
  json: Buffer.from(stringifyJson(document)),
  facts: listFacts(document),
});

/** `receiveDocument` at once, for a worker thread. */
export const receiveDocumentAtOnce = ({ json, facts }: SentDocument): unknown =>
  restoreFacts(parseJson(bufferOf(json)), facts);

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);
