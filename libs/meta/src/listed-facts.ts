import { emptied, wholeFloats, type JsonContainer, type Struct } from './document-facts.ts';
import { isContainer } from './unstructured.ts';
import { finish, isStepDone, type Work } from './turns.ts';

type Container = JsonContainer & Struct;

/** The facts of one container of a document, as plain data. */
export interface ListedFacts {
  /** The members and indexes that lead to the container. */
  readonly path: readonly (string | number)[];
  readonly wholeFloats?: readonly (string | number)[];
  readonly emptied?: readonly string[];
}

const manyNames = 1024;

/** The facts of all containers of a document, which its JSON text does not show. Most documents have none. */
export const listFacts = (document: unknown): ListedFacts[] => finish(listingFacts(document));

/** `listFacts` in steps. */
export function* listingFacts(document: unknown): Work<ListedFacts[]> {
  const facts: ListedFacts[] = [];
  if (isContainer(document)) yield* collect(document, [], facts);
  return facts;
}

function* collect(container: Container, path: (string | number)[], facts: ListedFacts[]): Work<void> {
  const { [wholeFloats]: floats, [emptied]: empty } = container;
  if (floats !== undefined || empty !== undefined) {
    facts.push({ path: [...path], ...(floats && { wholeFloats: [...floats] }), ...(empty && { emptied: empty }) });
  }
  const steps = Array.isArray(container) ? container.keys() : Object.keys(container);
  // Listing the names of a large object takes long.
  if (Array.isArray(steps) && steps.length > manyNames) yield;
  const members = container as Readonly<Record<string | number, unknown>>;
  for (const step of steps) {
    if (isStepDone()) yield;
    const member = members[step];
    if (!isContainer(member)) continue;
    path.push(step);
    yield* collect(member, path, facts);
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
