/** Media types of bodies and responses. https://kubernetes.io/docs/reference/using-api/api-concepts/#alternate-representations-of-resources */
export const jsonMediaType = 'application/json';
/** The media type of YAML. */
export const yamlMediaType = 'application/yaml';
/** The media type of built-in kinds in protobuf. */
export const protobufMediaType = 'application/vnd.kubernetes.protobuf';
const cborMediaType = 'application/cbor';
/** A stream of CBOR items: the media type of a watch in CBOR. */
export const cborSequenceMediaType = 'application/cbor-seq';

/** The media type of JSON Patch: RFC 6902. */
export const jsonPatchMediaType = 'application/json-patch+json';
/** The media type of JSON Merge Patch: RFC 7396. */
export const mergePatchMediaType = 'application/merge-patch+json';
/** The media type of strategic merge patch, for built-in kinds only. */
export const strategicMergePatchMediaType = 'application/strategic-merge-patch+json';
/** The media type of server-side apply. The body may be JSON, which is also YAML. */
export const applyPatchMediaType = 'application/apply-patch+yaml';
/** The media type of server-side apply with a body of CBOR. */
export const applyCborPatchMediaType = 'application/apply-patch+cbor';

/** The formats of objects on the wire. */
export type SerializerName = 'json' | 'yaml' | 'protobuf' | 'cbor';
/** One of the formats of responses. */
export interface SerializerInfo {
  readonly name: SerializerName;
  readonly mediaType: string;
  readonly type: string;
  readonly subtype: string;
  /** The format can be used for a watch. */
  readonly streams: boolean;
}

const serializer = (name: SerializerName, mediaType: string, streams: boolean): SerializerInfo => {
  const [type = '', subtype = ''] = mediaType.split('/');
  return { name, mediaType, type, subtype, streams };
};

/** The formats in which a server reads and writes objects. */
export interface WireFormats {
  /** In the order of preference; the first one is used for a request without an Accept header. */
  readonly serializers: readonly [SerializerInfo, ...SerializerInfo[]];
  /** The media types of objects, in the order of preference. */
  readonly objectMediaTypes: readonly string[];
  /** The media types of watches, in the order of preference. */
  readonly streamMediaTypes: readonly string[];
  readonly hasCbor: boolean;
}

const json = serializer('json', jsonMediaType, true);
const yaml = serializer('yaml', yamlMediaType, false);
const protobuf = serializer('protobuf', protobufMediaType, true);
const cbor = serializer('cbor', cborMediaType, true);

function formatsOf(serializers: WireFormats['serializers']): WireFormats {
  const hasCbor = serializers.includes(cbor);
  const streams = serializers.filter((each) => each.streams && each !== cbor);
  return {
    serializers,
    objectMediaTypes: serializers.map(({ mediaType }) => mediaType),
    streamMediaTypes: [
      ...streams.map(({ mediaType }) => `${mediaType};stream=watch`),
      ...(hasCbor ? [cborSequenceMediaType] : []),
    ],
    hasCbor,
  };
}

/** The formats of every server. */
export const standardFormats: WireFormats = formatsOf([json, yaml, protobuf]);
/** The formats of a server with the feature gate CBORServingAndStorage. */
export const formatsWithCbor: WireFormats = formatsOf([json, yaml, protobuf, cbor]);

interface ParsedMediaType {
  /** `type/subtype`, lower case. */
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const quotedText = /^"(?:[^"\\]|\\.)*"$/;

/** The limit of a Content-Type's length. A longer one counts as malformed. */
const maxMediaTypeLength = 8192;

/**
 * Parses one Content-Type as Go's mime.ParseMediaType does. Undefined when it is malformed (a parameter without a value or with two). A missing
 * slash is accepted, as in Go.
 */
export function parseMediaType(text: string): ParsedMediaType | undefined {
  if (text.length > maxMediaTypeLength) return undefined;
  const [head = '', ...rest] = text.split(';');
  const mediaType = head.trim().toLowerCase();
  const [type = '', subtype, ...more] = mediaType.split('/');
  if (!token.test(type) || more.length > 0 || (subtype !== undefined && !token.test(subtype))) return undefined;
  const parameters = new Map<string, string>();
  for (const [i, part] of rest.entries()) {
    const trimmed = part.trim();
    if (trimmed === '' && i === rest.length - 1) continue;
    const equals = trimmed.indexOf('=');
    const name = trimmed.slice(0, Math.max(equals, 0)).trim().toLowerCase();
    const text = trimmed.slice(equals + 1).trim();
    if (equals < 0 || !token.test(name) || !(token.test(text) || quotedText.test(text))) return undefined;
    const value = text.replace(/^"(.*)"$/, '$1');
    if ((parameters.get(name) ?? value) !== value) return undefined;
    parameters.set(name, value);
  }
  return { mediaType, parameters };
}
