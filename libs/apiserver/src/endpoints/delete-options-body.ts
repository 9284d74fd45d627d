import type { IncomingMessage } from 'node:http';
import { goQuote } from '@apichain/go-text';
import { isJsonObject, newBadRequest, type DocumentFacts, type JsonObject } from '@apichain/meta';
import { DecodeError, decodeObject, type Field, type Type } from '@apichain/scheme';
import { BodySyntaxError, negotiateInput, parseBody, wireFormatsOf, type ParsedBody } from '@apichain/request';
import type { Query } from '@apichain/request';
import { readAhead } from '@apichain/request';
import { checkDeleteOptions, readDeleteOptions } from '../negotiation/request-options.ts';
import type { ProtobufCodec } from '@apichain/request';
import { notAnObject, statedKind } from '../negotiation/version-and-kind.ts';
import type { GracefulDeleteOptions } from '../registry/strategy.ts';

const pointer = (name: string, type: Type): Field => ({ name, type, pointer: true, omitempty: true });
const text: Type = { kind: 'string' };
const boolean: Type = { kind: 'boolean' };

const preconditions: Type = {
  kind: 'object',
  name: 'meta.v1.Preconditions',
  fields: [pointer('uid', { kind: 'string', alias: 'types.UID' }), pointer('resourceVersion', text)],
};

/** Declared here and not read from the table of kinds, because every server needs it. */
const deleteOptions: Type = {
  kind: 'object',
  name: 'meta.v1.DeleteOptions',
  fields: [
    { name: 'kind', type: text, omitempty: true },
    { name: 'apiVersion', type: text, omitempty: true },
    pointer('gracePeriodSeconds', { kind: 'integer', format: 'int64' }),
    pointer('preconditions', preconditions),
    pointer('orphanDependents', boolean),
    pointer('propagationPolicy', { kind: 'string', alias: 'meta.v1.DeletionPropagation' }),
    { name: 'dryRun', type: { kind: 'array', items: text }, omitempty: true },
    pointer('ignoreStoreReadErrorWithClusterBreakingPotential', boolean),
  ],
};

/** The scheme that kube-apiserver decodes these options with. */
const schemeName = 'pkg/apis/meta/internalversion/scheme/register.go:27';

/** Kinds of that scheme that exist in any version. */
const unversionedKinds: ReadonlySet<string> = new Set(
  'Status APIVersions APIGroup APIGroupList APIResourceList CreateOptions UpdateOptions'.split(' '),
);
/** The other kinds of that scheme, by the apiVersion that a body may state. */
const versionedKinds: Readonly<Record<string, readonly string[]>> = {
  'meta.k8s.io/v1':
    'GetOptions ListOptions PatchOptions TableOptions WatchEvent Table PartialObjectMetadata PartialObjectMetadataList'.split(
      ' ',
    ),
  'meta.k8s.io/v1beta1': ['Table', 'TableOptions', 'PartialObjectMetadata', 'PartialObjectMetadataList'],
};

/** The Go package in the error. PartialObjectMetadataList is the only kind with different types in the two versions. */
const packageOf = (apiVersion: string, kind: string): string =>
  apiVersion === 'meta.k8s.io/v1beta1' && kind === 'PartialObjectMetadataList' ? 'v1beta1' : 'v1';

function fromBody({ value, facts }: ParsedBody): GracefulDeleteOptions {
  if (value === null) return {};
  if (!isJsonObject(value)) throw notAnObject(value);
  checkKind(value, facts);
  const options = decodeObject(value, deleteOptions, { facts }).object;
  // The feature gate of ignoreStoreReadErrorWithClusterBreakingPotential is off.
  for (const name of ['kind', 'apiVersion', 'ignoreStoreReadErrorWithClusterBreakingPotential']) delete options[name];
  return options;
}

/** Accepts DeleteOptions of any version: older clients send them in the version of the object. */
function checkKind(body: JsonObject, facts: DocumentFacts | undefined): void {
  const { apiVersion, kind } = statedKind(body, facts);
  if (kind === '' || kind === 'DeleteOptions') return;
  const version = apiVersion === '' ? 'meta.k8s.io/v1' : apiVersion;
  if (unversionedKinds.has(kind) || (Object.hasOwn(versionedKinds, version) && versionedKinds[version]?.includes(kind)))
    throw newBadRequest(`converting (${packageOf(version, kind)}.${kind}) to (v1.DeleteOptions): unknown conversion`);
  throw newBadRequest(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(version)} in scheme ${goQuote(schemeName)}`,
  );
}

/**
 * Reads the DeleteOptions of a request from the body, or from the query if there is no body. Throws BadRequest, UnsupportedMediaType, Invalid.
 * https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/delete-options/
 */
export async function deleteOptionsOf(
  body: Buffer,
  request: IncomingMessage,
  query: Query,
  protobuf: ProtobufCodec | undefined,
): Promise<GracefulDeleteOptions> {
  const options = body.length === 0 ? readDeleteOptions(query) : await decodeOptions(body, request, protobuf);
  checkDeleteOptions(options);
  return options;
}

async function decodeOptions(
  body: Buffer,
  request: IncomingMessage,
  protobuf: ProtobufCodec | undefined,
): Promise<GracefulDeleteOptions> {
  const format = negotiateInput(request.headers['content-type'], wireFormatsOf(request));
  const ahead = await readAhead(body, format.name, protobuf);
  try {
    return fromBody(parseBody(body, format, false, protobuf, undefined, ahead));
  } catch (error) {
    if (error instanceof BodySyntaxError || error instanceof DecodeError) throw newBadRequest(error.message);
    throw error;
  }
}
