import { newNotAcceptable } from '@apichain/meta';
import { standardFormats, type SerializerInfo, type WireFormats } from './media-types.ts';

/** The shape that an Accept clause asks for with `as`, `g` and `v`. */
export interface Conversion {
  readonly kind: 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';
  readonly version: 'v1' | 'v1beta1';
}

/** The representation of a response: the serializer, and the form that the client asked for. */
export interface OutputMediaType {
  readonly serializer: SerializerInfo;
  readonly convert?: Conversion;
  /** `pretty=1` in the clause. */
  readonly pretty: boolean;
}

/** What an endpoint can respond with. */
export interface EndpointRestrictions {
  /** The endpoint can return a Table. */
  readonly table: boolean;
  /** The endpoint accepts `as=` and `sv=` at all; errors do not. */
  readonly transforms: boolean;
  /** Unconverted objects have a protobuf form. Custom resources have none, only their metadata. */
  readonly protobuf: boolean;
  /** The endpoint is not served in CBOR, even when the server serves CBOR. */
  readonly noCbor?: boolean;
}

/** The restrictions of an endpoint that serves documents: no Tables, no partial metadata, protobuf allowed. */
export const plainRestrictions: EndpointRestrictions = { table: false, transforms: false, protobuf: true };

/** The restrictions of documents and errors that are no part of an API: they are not served in CBOR. */
export const restrictionsBesideCbor: EndpointRestrictions = { ...plainRestrictions, noCbor: true };

/** One media range of an Accept header. */
export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Limit of the media ranges read from a header, and of the parameters of one. No real client sends more. */
const maxClauses = 1000;
const maxParameters = 100;

function parseClause(text: string): Clause | undefined {
  const [range = '', ...rest] = text.split(';', 1 + maxParameters);
  const [first = '', second = '', ...more] = range.split('/', 3);
  const type = first.trim();
  // A lone star is the whole range.
  if (more.join('/') !== '' || (second === '' && type !== '*')) return undefined;
  let quality = 1;
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [name = '', value = '', ...tail] = part.split('=', 3);
    if (value === '' || tail.join('=') !== '') continue;
    // A weight that is not a number counts as 0.
    if (name.trim() === 'q') quality = /^[+-]?[\d.]/.test(value) ? Number(value) || 0 : 0;
    else parameters.set(name.trim(), value.trim());
  }
  return { type, subtype: second === '' ? '*' : second.trim(), quality, parameters };
}

/** Not a total order: a narrow range precedes a wide one even of greater weight. Source: goautoneg. */
const goesBefore = (a: Clause, b: Clause): boolean =>
  a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');

/** Go uses insertion sort up to this length. */
const fewClauses = 12;

/** Insertion sort, as Go sorts short slices. Another algorithm would give another order here. */
function sortClauses(clauses: Clause[]): Clause[] {
  if (clauses.length > fewClauses)
    return clauses.toSorted((a, b) => Number(goesBefore(b, a)) - Number(goesBefore(a, b)));
  const sorted: Clause[] = [];
  for (const clause of clauses) {
    let at = sorted.length;
    for (let last = sorted[at - 1]; last !== undefined && goesBefore(clause, last); last = sorted[at - 1]) at--;
    sorted.splice(at, 0, clause);
  }
  return sorted;
}

const tableSerializers: ReadonlySet<string> = new Set(['json', 'yaml']);

function conversionOf(
  clause: Clause,
  serializer: SerializerInfo,
  restrictions: EndpointRestrictions,
): Conversion | 'none' | 'refused' {
  const { parameters } = clause;
  if (!parameters.has('as') && !parameters.has('g') && !parameters.has('v')) {
    return restrictions.protobuf || serializer.name !== 'protobuf' ? 'none' : 'refused';
  }
  const kind = parameters.get('as');
  const version = parameters.get('v');
  if (!restrictions.transforms || parameters.get('g') !== 'meta.k8s.io') return 'refused';
  if (version !== 'v1' && version !== 'v1beta1') return 'refused';
  switch (kind) {
    case 'Table':
      return restrictions.table && tableSerializers.has(serializer.name) ? { kind, version } : 'refused';
    case 'PartialObjectMetadata':
    case 'PartialObjectMetadataList':
      return { kind, version };
    default:
      return 'refused';
  }
}

function acceptClause(
  clause: Clause,
  serializer: SerializerInfo,
  restrictions: EndpointRestrictions,
): OutputMediaType | undefined {
  const matches =
    (clause.type === serializer.type && (clause.subtype === serializer.subtype || clause.subtype === '*')) ||
    (clause.type === '*' && clause.subtype === '*');
  if (!matches || (restrictions.noCbor === true && serializer.name === 'cbor')) return undefined;
  const stream = clause.parameters.get('stream') ?? '';
  if (stream !== '' && (!serializer.streams || stream !== 'watch')) return undefined;
  const serverVersion = clause.parameters.get('sv') ?? '';
  if (serverVersion !== '' && (serverVersion !== 'v1' || !restrictions.transforms)) return undefined;
  const convert = conversionOf(clause, serializer, restrictions);
  if (convert === 'refused') return undefined;
  return {
    serializer,
    pretty: clause.parameters.get('pretty') === '1',
    ...(convert === 'none' ? {} : { convert }),
  };
}

/** The media ranges of an Accept header, the most preferred one first. */
export const acceptClauses = (accept: string): Clause[] =>
  sortClauses(
    accept
      .split(',', maxClauses)
      .map(parseClause)
      .filter((clause) => clause !== undefined),
  );

const jsonOutput: OutputMediaType = { serializer: standardFormats.serializers[0], pretty: false };

function negotiate(
  accept: string | undefined,
  restrictions: EndpointRestrictions,
  { serializers }: WireFormats,
): OutputMediaType | undefined {
  // What nearly every client sends.
  if (accept === undefined || accept === '' || accept === 'application/json' || accept === '*/*') return jsonOutput;
  for (const clause of acceptClauses(accept)) {
    for (const serializer of serializers) {
      const output = acceptClause(clause, serializer, restrictions);
      if (output !== undefined) return output;
    }
  }
  return undefined;
}

const notAcceptable = (mediaTypes: readonly string[]) =>
  newNotAcceptable(`only the following media types are accepted: ${mediaTypes.join(', ')}`);

/**
 * The representation that the Accept header asks for, of the formats of the server. Throws NotAcceptable.
 * Source: NegotiateMediaTypeOptions of k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */
export function negotiateOutput(
  accept: string | undefined,
  restrictions: EndpointRestrictions,
  formats: WireFormats,
): OutputMediaType {
  const output = negotiate(accept, restrictions, formats);
  if (output === undefined)
    throw notAcceptable((restrictions.noCbor === true ? standardFormats : formats).objectMediaTypes);
  return output;
}

/**
 * Throws NotAcceptable for a representation that cannot be streamed.
 * Source: NegotiateOutputMediaTypeStream of k8s.io/apiserver/pkg/endpoints/handlers/negotiation.
 */
export function requireStream({ serializer }: OutputMediaType, { streamMediaTypes }: WireFormats): void {
  if (!serializer.streams) throw notAcceptable(streamMediaTypes);
}

/** As negotiateOutput, but undefined instead of an error: the code that writes errors must not fail itself. */
export const tryNegotiateOutput = negotiate;

/**
 * Whether the Accept header names one of the types exactly, or accepts any type. Built-in kinds check this first, before weights and parameters.
 * Source: Route.matchesAccept of go-restful.
 */
export function acceptsAny(accept: string | undefined, mediaTypes: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',', maxClauses).some((clause) => {
    const range = (clause.split(';', 1)[0] ?? '').trim();
    return range === '*/*' || mediaTypes.includes(range);
  });
}
