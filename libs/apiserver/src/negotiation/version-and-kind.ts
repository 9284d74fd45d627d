import { formerValuesOf, type JsonObject, type JsonValue } from '@apichain/meta';
import { jsonKind } from '@apichain/scheme';
import { BodySyntaxError } from './parse-body.ts';

const goStruct =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

const unreadable = (given: JsonValue, place: string) =>
  new BodySyntaxError(
    `couldn't get version/kind; json parse error: json: cannot unmarshal ${jsonKind(given)} into Go ${place}`,
  );

/** A body that is neither an object nor null, in the words of the step that looks for its version and kind. */
export const notAnObject = (body: JsonValue): BodySyntaxError => unreadable(body, `value of type ${goStruct}`);

export interface StatedKind {
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The names that this step of the original reads members by: it minds no case, as the decoders after it do. */
const typeMembers = { apiVersion: /^apiversion$/iu, kind: /^kind$/iu } as const;

/** Members named several times are read in turn; null changes nothing. */
function textMember(body: JsonObject, name: 'apiVersion' | 'kind'): string {
  let text = '';
  for (const key of Object.keys(body)) {
    if (key !== name && (key.length !== name.length || !typeMembers[name].test(key))) continue;
    for (const member of [...formerValuesOf(body, key), body[key]] as JsonValue[]) {
      if (typeof member === 'string') text = member;
      else if (member !== null) throw unreadable(member, `struct field .${name} of type string`);
    }
  }
  return text;
}

/**
 * What a body says it is, before anything else of it is read; empty texts where it says nothing. Throws BodySyntaxError.
 * Source: SimpleMetaFactory of apimachinery's serializer/json.
 */
export function statedKind(body: JsonObject): StatedKind {
  const apiVersion = textMember(body, 'apiVersion');
  const kind = textMember(body, 'kind');
  return withGroupVersion(apiVersion, kind);
}

/** The same of a body that has passed that step and is read without a type: by the exact names of its members. */
export function untypedKind({ apiVersion, kind }: JsonObject): StatedKind {
  return withGroupVersion(typeof apiVersion === 'string' ? apiVersion : '', typeof kind === 'string' ? kind : '');
}

function withGroupVersion(apiVersion: string, kind: string): StatedKind {
  if (apiVersion === '/') return { apiVersion, group: '', version: '', kind };
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new BodySyntaxError(`unexpected GroupVersion string: ${apiVersion}`);
  return { apiVersion, group: parts.length === 2 ? (parts[0] ?? '') : '', version: parts.at(-1) ?? '', kind };
}
