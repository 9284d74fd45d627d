import { emptied, wholeFloats, type JsonContainer, type Struct } from './document-facts.ts';
import { parsingJson } from './json-parts.ts';
import { parseJson } from './json.ts';
import { stringifyJson } from './stringify-json.ts';
import { inTurns, pause } from './turns.ts';
import { isContainer } from './unstructured.ts';

/** A document as it goes from one thread to another: JSON, and what JSON does not show. */
export interface SentDocument {
  readonly json: Uint8Array;
  readonly facts: readonly ListedFacts[];
}

/** Encodes a document for another thread. Other requests of this one run in between. */
export async function sendDocument(document: unknown): Promise<SentDocument> {
  const json = Buffer.from(stringifyJson(document));
  await pause();
  return { json, facts: listFacts(document) };
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

type Container = JsonContainer & Struct;

/** The facts of one container of a document, as plain data. */
export interface ListedFacts {
  /** The members and indexes that lead to the container. */
  readonly path: readonly (string | number)[];
  readonly wholeFloats?: readonly (string | number)[];
  readonly emptied?: readonly string[];
}

/** The facts of all containers of a document, which its JSON text does not show. Most documents have none. */
export function listFacts(document: unknown): ListedFacts[] {
  const facts: ListedFacts[] = [];
  if (isContainer(document)) collect(document, [], facts);
  return facts;
}

function collect(container: Container, path: (string | number)[], facts: ListedFacts[]): void {
  const { [wholeFloats]: floats, [emptied]: empty } = container;
  if (floats !== undefined || empty !== undefined) {
    facts.push({ path: [...path], ...(floats && { wholeFloats: [...floats] }), ...(empty && { emptied: empty }) });
  }
  const steps = Array.isArray(container) ? container.keys() : Object.keys(container);
  const members = container as Readonly<Record<string | number, unknown>>;
  for (const step of steps) {
    const member = members[step];
    if (!isContainer(member)) continue;
    path.push(step);
    collect(member, path, facts);
    path.pop();
  }
}

/** Gives the facts to a document that was read from the text of the one that had them. Changes and returns the document. */
export function restoreFacts<Document>(document: Document, facts: readonly ListedFacts[]): Document {
  for (const { path, ...known } of facts) {
    let at: unknown = document;
    for (const step of path) at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
    if (typeof at !== 'object' || at === null) continue;
    const container: Container = at;
    if (known.wholeFloats !== undefined) container[wholeFloats] = new Set(known.wholeFloats);
    if (known.emptied !== undefined) container[emptied] = known.emptied;
  }
  return document;
}
