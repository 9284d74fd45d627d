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

function watch(name: string, headers: Shape['headers'] = {}): Shape {
  return { name: `watch ${name}`, headers, query: initialState, watch: true };
}

const protobuf = 'application/vnd.kubernetes.protobuf';
const converted = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/** The representations of lists and of the initial state of watches. */
export const shapes: readonly Shape[] = [
  list('JSON'),
  list('protobuf', { accept: protobuf }),
  list('Table', { accept: converted('Table') }),
  list('Table with objects', { accept: converted('Table') }, 'includeObject=Object'),
  list('metadata', { accept: converted('PartialObjectMetadataList') }),
  list('pretty', {}, 'pretty=true'),
  list('YAML', { accept: 'application/yaml' }),
  list('JSON, gzip', { 'accept-encoding': 'gzip' }),
  list('protobuf, gzip', { accept: protobuf, 'accept-encoding': 'gzip' }),
  list('pretty, gzip', { 'accept-encoding': 'gzip' }, 'pretty=true'),
  watch('JSON'),
  watch('protobuf', { accept: `${protobuf};stream=watch` }),
  watch('Table', { accept: converted('Table') }),
  watch('metadata', { accept: converted('PartialObjectMetadata') }),
];
