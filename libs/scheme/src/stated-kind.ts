import { isRecord, formerValuesOf } from '@apichain/meta';
import { jsonKind } from './scalar-decoders.ts';

const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** A document that does not say what it is in a readable way; the message is Go's. */
export class StatedKindError extends Error {
  override readonly name = 'StatedKindError';
}

const unreadable = (given: unknown, place: string) =>
  new StatedKindError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(given)} into Go ${place}`,
  );

export interface StatedKind {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Document = Readonly<Record<string, unknown>>;

/** The names that this step of the original reads members by: it minds no case, as the decoders after it do. */
const typeMembers = { apiVersion: /^apiversion$/iu, kind: /^kind$/iu } as const;

/** Members named several times are read in turn; null changes nothing. */
function textMember(document: Document, name: 'apiVersion' | 'kind'): string {
  let text = '';
  for (const key of Object.keys(document)) {
    if (key !== name && (key.length !== name.length || !typeMembers[name].test(key))) continue;
    for (const member of [...formerValuesOf(document, key), document[key]]) {
      if (typeof member === 'string') text = member;
      else if (member !== null) throw unreadable(member, `struct field .${name} of type string`);
    }
  }
  return text;
}

/**
 * What a document says it is, before anything else of it is read; empty texts where it says nothing, as null does. Throws StatedKindError.
 * Source: SimpleMetaFactory of apimachinery's serializer/json.
 */
export function statedKind(document: unknown): StatedKind {
  if (document === null) return { apiVersion: '', group: '', version: '', kind: '' };
  if (!isRecord(document)) throw unreadable(document, `value of type ${goStruct}`);
  const apiVersion = textMember(document, 'apiVersion');
  const kind = textMember(document, 'kind');
  return withGroupVersion(apiVersion, kind);
}

/** The same of a document that has passed that step and is read without a type: by the exact names of its members. */
export function untypedKind({ apiVersion, kind }: Document): StatedKind {
  return withGroupVersion(typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
}

function withGroupVersion(apiVersion: string, kind: string): StatedKind {
  if (apiVersion === '/') return { apiVersion, group: '', version: '', kind };
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new StatedKindError(`unexpected GroupVersion string: ${apiVersion}`);
  return { apiVersion, group: parts.length === 2 ? (parts[0] ?? '') : '', version: parts.at(-1) ?? '', kind };
}
