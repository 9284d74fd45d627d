import { formerValues, isRecord, type DocumentFacts } from '@apichain/meta';
import { jsonKind } from './scalar-decoders.ts';

const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** A document whose apiVersion or kind cannot be read. The message is Go's. */
export class StatedKindError extends Error {
  override readonly name = 'StatedKindError';
}

const unreadable = (given: unknown, place: string) =>
  new StatedKindError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(given)} into Go ${place}`,
  );

/** The apiVersion and kind that a document states. */
export interface StatedKind {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Document = Readonly<Record<string, unknown>>;

/** The names of the members. In Go this step ignores case, unlike the decoders that follow. */
const typeMembers = { apiVersion: /^apiversion$/iu, kind: /^kind$/iu } as const;

function textAfter(before: string, member: unknown, name: string): string {
  if (typeof member === 'string') return member;
  if (member === null) return before;
  throw unreadable(member, `struct field .${name} of type string`);
}

/** The values of repeated members are read in order; null changes nothing. */
function textMember(document: Document, name: 'apiVersion' | 'kind', facts: DocumentFacts | undefined): string {
  let text = '';
  for (const key of Object.keys(document)) {
    if (key !== name && (key.length !== name.length || !typeMembers[name].test(key))) continue;
    for (const { value } of formerValues(facts?.repeats, key)) text = textAfter(text, value, name);
    text = textAfter(text, document[key], name);
  }
  return text;
}

/**
 * The apiVersion and kind that a document states, read before the rest of it; empty if absent or null. `facts` are those of the document's
 * text. Throws StatedKindError.
 * Source: SimpleMetaFactory of apimachinery's serializer/json.
 */
export function statedKind(document: unknown, facts?: DocumentFacts): StatedKind {
  if (document === null) return { apiVersion: '', group: '', version: '', kind: '' };
  if (!isRecord(document)) throw unreadable(document, `value of type ${goStruct}`);
  const apiVersion = textMember(document, 'apiVersion', facts);
  const kind = textMember(document, 'kind', facts);
  return withGroupVersion(apiVersion, kind);
}

/** The apiVersion and kind of a document that `statedKind` has accepted and that is decoded without a type, by the exact member names. */
export function untypedKind({ apiVersion, kind }: Document): StatedKind {
  return withGroupVersion(typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
}

function withGroupVersion(apiVersion: string, kind: string): StatedKind {
  if (apiVersion === '/') return { apiVersion, group: '', version: '', kind };
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new StatedKindError(`unexpected GroupVersion string: ${apiVersion}`);
  return { apiVersion, group: parts.length === 2 ? (parts[0] ?? '') : '', version: parts.at(-1) ?? '', kind };
}
