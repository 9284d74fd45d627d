import type { JsonObject, JsonValue } from '@apichain/meta';
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

function textMember(body: JsonObject, name: 'apiVersion' | 'kind'): string {
  const member = Object.hasOwn(body, name) ? body[name] : undefined;
  if (member === undefined || member === null) return '';
  if (typeof member === 'string') return member;
  throw unreadable(member, `struct field .${name} of type string`);
}

/**
 * What a body says it is, before anything else of it is read; empty texts where it says nothing. Throws BodySyntaxError.
 * Source: SimpleMetaFactory of apimachinery's serializer/json.
 */
export function statedKind(body: JsonObject): StatedKind {
  const apiVersion = textMember(body, 'apiVersion');
  const kind = textMember(body, 'kind');
  const parts = apiVersion.split('/');
  if (parts.length > 2) throw new BodySyntaxError(`unexpected GroupVersion string: ${apiVersion}`);
  return { apiVersion, group: parts.length === 2 ? (parts[0] ?? '') : '', version: parts.at(-1) ?? '', kind };
}
