import { didYouMean } from '@apichain/meta';
import type { RequestMatch } from './request-match.ts';

/** The names of all members of an object type. The compiler refuses a table that lacks one. */
export type Names<T> = Readonly<Record<keyof T, true>>;

const matchNames: Names<RequestMatch> = {
  verb: true,
  group: true,
  version: true,
  resource: true,
  subresource: true,
  namespace: true,
  name: true,
  user: true,
};

/** The verbs of requests for resources, and of requests for other paths, which have the names of HTTP methods. */
const verbs = [
  ...['get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection'],
  ...['post', 'put', 'head', 'options'],
];

/** Throws TypeError that names an unknown field of a match, or an unknown verb. */
export function checkMatch(what: string, match: RequestMatch): void {
  refuseUnknown(`${what}: match`, 'field', match, matchNames);
  const { verb } = match;
  if (verb !== undefined && !verbs.includes(verb))
    throw new TypeError(`${what}: match: unknown verb ${JSON.stringify(verb)}${hint(verb, verbs)}`);
}

/** Throws TypeError with the name of a member of `value` that is not in the table. */
export function refuseUnknown(
  what: string,
  noun: 'option' | 'field',
  value: object,
  known: Readonly<Record<string, true>>,
): void {
  for (const name of Object.keys(value)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(`${what}: unknown ${noun} ${JSON.stringify(name)}${hint(name, Object.keys(known))}`);
  }
}

/** The name that was probably meant, or all names. */
const hint = (name: string, known: readonly string[]): string =>
  didYouMean(name, known) || `; there are ${known.join(', ')}`;
