import type { Status } from '@apichain/api/meta/v1';
import { unstructuredErrorText } from '@apichain/client';
import {
  JsonNumberError,
  JsonSyntaxError,
  newInternalError,
  parseGroupVersion,
  parseJsonInSlices,
  parseJsonStrict,
  type DocumentFacts,
  parseYaml,
  parseYamlInSlices,
  YamlError,
  type GroupVersionKind,
  type Plain,
} from '@apichain/meta';
import { goQuote, mediaTypeProblem } from '@apichain/go-text';
import { decodeObject, DecodeError, goTypeName, statedKind, StatedKindError, type Type } from '@apichain/scheme';

/** The type of a kind; undefined = there is no such kind. Kinds without a version are found under `v1`. */
export type ReviewTypes = (kind: GroupVersionKind) => Type | undefined;

/** The response of a webhook. */
export interface WebhookResponse {
  readonly status: number;
  /** Empty = no Content-Type header. */
  readonly contentType: string;
  readonly bytes: Buffer;
}

/** The webhook has responded, but not with a usable review. */
export class WebhookResponseError extends Error {}

const versions: ReadonlySet<string> = new Set(['v1', 'v1beta1']);
const unversioned: ReadonlySet<string> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
]);
const schemeName = 'pkg/util/webhook/client.go:71';
const defaultContentType = 'application/json';

interface DecodedResponse {
  readonly kind: GroupVersionKind;
  readonly type: Type;
  readonly object: Plain;
}

/**
 * Decodes the review in a response into `expected`, as Go's decoder does. JSON and YAML are distinguished by the first characters of the
 * body; the Content-Type does not count. Throws WebhookResponseError with the reason for the client.
 * Source: Result.Into of k8s.io/client-go/rest with the codec of k8s.io/apiserver/pkg/util/webhook.
 */
export async function reviewOf(
  response: WebhookResponse,
  expected: GroupVersionKind,
  types: ReviewTypes,
): Promise<Plain> {
  const { status, bytes } = response;
  const contentType = response.contentType === '' ? defaultContentType : response.contentType;
  const malformed = mediaTypeProblem(contentType);
  if (malformed !== undefined) throw new WebhookResponseError(newInternalError(malformed).message);
  if ((status < 200 || status > 206) && status !== 101)
    throw new WebhookResponseError(
      (await statedFailure(bytes, types)) ?? unstructuredErrorText(status, response.contentType, bytes),
    );
  if (bytes.length === 0)
    throw new WebhookResponseError(`0-length response with status code: ${status} and content type: ${contentType}`);
  const read = await decodeResponse(bytes, expected, types);
  if (read.kind.kind === expected.kind && read.kind.version === expected.version) return read.object;
  const nameOf = ({ version, kind }: GroupVersionKind) => `${version}.${kind}`;
  const given = read.kind.kind === expected.kind ? nameOf(read.kind) : goTypeName(read.type);
  throw new WebhookResponseError(`converting (${given}) to (${nameOf(expected)}): unknown conversion`);
}

/** The message of a Status that reports a failure. */
async function statedFailure(bytes: Buffer, types: ReviewTypes): Promise<string | undefined> {
  if (bytes.length === 0) return undefined;
  try {
    const { kind, object } = await decodeResponse(bytes, { group: '', version: 'v1', kind: '' }, types);
    if (kind.kind !== 'Status') return undefined;
    const { status, message = '' }: Status = object;
    return status === 'Success' ? undefined : message;
  } catch (error) {
    if (error instanceof WebhookResponseError) return undefined;
    throw error;
  }
}

async function decodeResponse(bytes: Buffer, expected: GroupVersionKind, types: ReviewTypes): Promise<DecodedResponse> {
  try {
    const { value, facts } = await parsed(bytes);
    const { kind, apiVersion } = statedKind(value, facts);
    const stated = {
      ...(apiVersion === '' ? { group: expected.group, version: expected.version } : parseGroupVersion(apiVersion)),
      kind: kind === '' ? expected.kind : kind,
    };
    const type = typeOf(stated, expected, types);
    return { kind: stated, type, object: decodeObject(value, type, { facts }).object };
  } catch (error) {
    const isProblem = [JsonSyntaxError, JsonNumberError, YamlError, StatedKindError, DecodeError].some(
      (problem) => error instanceof problem,
    );
    throw isProblem && error instanceof Error ? new WebhookResponseError(error.message) : error;
  }
}

/** Larger responses are decoded in slices, while others are served. */
const largeResponse = 192 * 1024;

/** Only an object counts as JSON; everything else is parsed as YAML. */
async function parsed(bytes: Buffer): Promise<{ readonly value: unknown; readonly facts: DocumentFacts | undefined }> {
  const isJson = /^\s*\{/.test(bytes.toString('latin1', 0, 256));
  const isLarge = bytes.length > largeResponse;
  if (!isJson) return { value: isLarge ? (await parseYamlInSlices(bytes)).value : parseYaml(bytes), facts: undefined };
  try {
    return isLarge ? await parseJsonInSlices(bytes) : parseJsonStrict(bytes);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new WebhookResponseError(`couldn't get version/kind; json parse error: ${error.message}`);
  }
}

/** The scheme of the client has the kinds of one group (including options and watch events) and the kinds without a version. */
function typeOf(stated: GroupVersionKind, expected: GroupVersionKind, types: ReviewTypes): Type {
  const type = unversioned.has(stated.kind)
    ? types({ group: '', version: 'v1', kind: stated.kind })
    : stated.group === expected.group && versions.has(stated.version)
      ? types(stated)
      : undefined;
  if (type !== undefined) return type;
  const { group, version, kind } = stated;
  throw new WebhookResponseError(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(group === '' ? version : `${group}/${version}`)} in scheme ${goQuote(schemeName)}`,
  );
}

/** How many milliseconds to wait before a retry; undefined = do not retry. Source: checkWait of k8s.io/client-go/rest. */
export function retryAfterMs(status: number, retryAfter: string | undefined): number | undefined {
  if (status !== 429 && (status < 500 || status > 599)) return undefined;
  if (retryAfter === undefined || !/^[+-]?\d+$/.test(retryAfter)) return undefined;
  return Math.max(0, Number(retryAfter)) * 1000;
}

/** The fields that all reviews have: AdmissionReview and ConversionReview. */
export interface TypeMeta {
  readonly apiVersion?: string;
  readonly kind?: string;
}

/** The kind of a review. */
export const kindOfReview = ({ apiVersion = '', kind = '' }: TypeMeta): GroupVersionKind => ({
  ...parseGroupVersion(apiVersion),
  kind,
});
