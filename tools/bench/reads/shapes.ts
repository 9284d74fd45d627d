/** A representation that a client may ask for, and how it asks. */
export interface Shape {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Parameters of the query, without the question mark. */
  readonly query: string;
  /** Whether the response goes on until the client ends it. */
  readonly watch: boolean;
}

const initialState =
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=20';

function list(name: string, headers: Shape['headers'] = {}, query = ''): Shape {
  return { name, headers, query, watch: false };
}

function watch(name: string, headers: Shape['headers'] = {}, query = ''): Shape {
  return {
    name: `watch ${name}`,
    headers,
    query: query === '' ? initialState : `${initialState}&${query}`,
    watch: true,
  };
}

const protobuf = 'application/vnd.kubernetes.protobuf';
const converted = (kind: string, type = 'application/json') => `${type};as=${kind};g=meta.k8s.io;v=v1`;
const gzip = { 'accept-encoding': 'gzip' };
const objects = 'includeObject=Object';

const lists: readonly Shape[] = [
  list('JSON'),
  list('protobuf', { accept: protobuf }),
  list('Table', { accept: converted('Table') }),
  list('Table with objects', { accept: converted('Table') }, objects),
  list('metadata', { accept: converted('PartialObjectMetadataList') }),
  list('pretty', {}, 'pretty=true'),
  list('YAML', { accept: 'application/yaml' }),
];

/** The representations of lists, without and with compression, and of the initial state of watches. */
export const shapes: readonly Shape[] = [
  ...lists,
  ...lists.map(({ name, headers, query }) => list(`${name}, gzip`, { ...headers, ...gzip }, query)),
  list('Table, pretty', { accept: converted('Table') }, `${objects}&pretty=true`),
  list('metadata, protobuf', { accept: converted('PartialObjectMetadataList', protobuf) }),
  watch('JSON'),
  watch('protobuf', { accept: `${protobuf};stream=watch` }),
  watch('Table', { accept: converted('Table') }),
  watch('Table with objects', { accept: converted('Table') }, objects),
  watch('metadata', { accept: converted('PartialObjectMetadata') }),
];

const cbor = 'application/cbor';

/** The representations of servers with the feature gate CBORServingAndStorage. */
export const cborShapes: readonly Shape[] = [
  list('CBOR', { accept: cbor }),
  list('CBOR, gzip', { accept: cbor, ...gzip }),
  list('CBOR Table with objects', { accept: converted('Table', cbor) }, objects),
  list('CBOR metadata', { accept: converted('PartialObjectMetadataList', cbor) }),
  watch('CBOR', { accept: cbor }),
];
