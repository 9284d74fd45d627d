import { lookupTable, deepEqual, text, type JsonObject } from '@apichain/meta';

/** A query or path parameter. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly type: 'string' | 'boolean' | 'integer';
  readonly description: string;
  readonly required?: boolean;
  /** The full name of the type whose field describes the parameter. */
  readonly field?: string;
}

const query = (name: string, type: OpenApiParameter['type'], description: string): OpenApiParameter => ({
  name,
  in: 'query',
  type,
  description,
});

const pretty = query(
  'pretty',
  'string',
  "If 'true', then the output is pretty printed. Defaults to 'false' unless the user-agent indicates a browser or command-line HTTP tool (curl and wget).",
);
const dryRun = query('dryRun', 'string', 'With the value All the request is processed in full and nothing is stored.');
const fieldManager = query(
  'fieldManager',
  'string',
  'Name of the actor that makes the change, at most 128 printable characters; its prefix of the user agent by default.',
);
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict.',
);
const force = query('force', 'boolean', 'Apply only: takes over fields that other managers own.');
const gracePeriodSeconds = query(
  'gracePeriodSeconds',
  'integer',
  'Seconds before the object is deleted; 0 deletes at once. The default of the kind when absent.',
);
const orphanDependents = query(
  'orphanDependents',
  'boolean',
  'Deprecated, use propagationPolicy. Whether dependents are orphaned.',
);
const propagationPolicy = query(
  'propagationPolicy',
  'string',
  'What becomes of dependents: Orphan, Background or Foreground.',
);
const ignoreReadError = query(
  'ignoreStoreReadErrorWithClusterBreakingPotential',
  'boolean',
  'Deletes an object that can no longer be read, without its usual checks.',
);
const listParameters: readonly OpenApiParameter[] = [
  query('allowWatchBookmarks', 'boolean', 'Watches only: asks for events of type BOOKMARK.'),
  query('continue', 'string', 'The token of an earlier response, to go on where it ended.'),
  query('fieldSelector', 'string', 'Selects objects by their fields.'),
  query('labelSelector', 'string', 'Selects objects by their labels.'),
  query('limit', 'integer', 'The most items of one response; the rest is got with continue.'),
  query('resourceVersion', 'string', 'How recent the result must be.'),
  query('resourceVersionMatch', 'string', 'How resourceVersion is applied: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Watches only: begins with the objects that exist, then a bookmark.'),
  query(
    'shardSelector',
    'string',
    'Selects objects by the range that a hash of them falls into, where shards are served.',
  ),
  query('timeoutSeconds', 'integer', 'Limits the duration of the call.'),
];
const watch = query('watch', 'boolean', 'Streams changes instead of returning a list.');
const deletion = [dryRun, gracePeriodSeconds, ignoreReadError, orphanDependents, propagationPolicy];

const byVerb: Readonly<Record<string, readonly OpenApiParameter[]>> = lookupTable({
  list: [pretty, ...listParameters, watch],
  get: [pretty],
  create: [pretty, dryRun, fieldManager, fieldValidation],
  update: [pretty, dryRun, fieldManager, fieldValidation],
  patch: [pretty, dryRun, fieldManager, fieldValidation, force],
  delete: [pretty, ...deletion],
  deletecollection: [pretty, ...deletion, ...listParameters.filter((p) => p.name !== 'allowWatchBookmarks')],
});

/** The parameters that differ for custom resources. */
const customByVerb: Readonly<Record<string, readonly OpenApiParameter[]>> = lookupTable({
  get: [pretty, query('resourceVersion', 'string', 'How recent the result must be.')],
  deletecollection: [pretty, ...listParameters, watch],
});

/** The query parameters of a verb. https://kubernetes.io/docs/reference/kubernetes-api/common-parameters/common-parameters/ */
export const parametersOf = (verb: string, isCustom: boolean): readonly OpenApiParameter[] =>
  (isCustom ? customByVerb[verb] : undefined) ?? byVerb[verb] ?? [pretty];

/** The descriptions of options of streams, proxies and logs. */
const optionWords: Readonly<Record<string, string>> = lookupTable({
  command: 'The command and its arguments, one each; no shell reads them.',
  container: 'The container, where a pod has more than one.',
  follow: 'Goes on with what is logged from now on.',
  insecureSkipTLSVerifyBackend: 'Does not check who the node is that the log comes from.',
  limitBytes: 'The most bytes of a response.',
  path: 'The path of the request that is passed on.',
  ports: 'Ports to forward; WebSockets need them.',
  previous: 'The log of the container before its last start.',
  sinceSeconds: 'How many seconds ago the log begins.',
  stderr: 'Carries the standard error stream.',
  stdin: 'Carries the standard input stream.',
  stdout: 'Carries the standard output stream.',
  stream: 'Which stream was logged: All, Stdout or Stderr.',
  tailLines: 'How many lines at the end of the log.',
  timestamps: 'Begins each line with its time.',
  tty: 'Gives the command a terminal.',
});

/** A query parameter for a field of options. */
export const optionParameter = (name: string, type: OpenApiParameter['type'], field: string): OpenApiParameter => ({
  ...query(name, type, optionWords[name] ?? ''),
  field,
});

const isBody = (parameter: JsonObject): boolean => parameter['in'] === 'body';
/** Sorts by name. Of two parameters with the same name, the path parameter comes first. */
const orderOf = (parameter: JsonObject): string => `${text(parameter['name'])} ${text(parameter['in'])}`;
const byName = (a: JsonObject, b: JsonObject): number => (orderOf(a) < orderOf(b) ? -1 : 1);
const parametersIn = (holder: JsonObject): JsonObject[] => (holder['parameters'] ?? []) as JsonObject[];

/** Moves parameters that all operations of a path share to the path, as kube-openapi does. Sorts them by name. */
export function shareParameters(item: JsonObject): void {
  const operations = Object.entries(item)
    .filter(([name]) => name !== 'parameters')
    .map(([, operation]) => operation as JsonObject);
  const [first, ...others] = operations.map(parametersIn);
  const shared = (first ?? []).filter(
    (one) => !isBody(one) && others.every((all) => all.some((other) => deepEqual(one, other))),
  );
  const names = new Set(shared.map(({ name }) => name));
  setParameters(item, [...parametersIn(item), ...shared]);
  for (const operation of operations) {
    setParameters(
      operation,
      parametersIn(operation).filter((one) => isBody(one) || !names.has(one['name'])),
    );
  }
}

function setParameters(holder: JsonObject, parameters: JsonObject[]): void {
  if (parameters.length === 0) delete holder['parameters'];
  else holder['parameters'] = parameters.sort(byName);
}
