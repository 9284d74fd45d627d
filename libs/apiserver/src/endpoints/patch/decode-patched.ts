import {
  formatGroupVersion,
  inDocumentOrder,
  isJsonObject,
  newInternalError,
  pause,
  StatusError,
  type JsonObject,
  type KubeObject,
} from '@apichain/meta';
import { BodySyntaxError } from '@apichain/request';
import { type StatedKind } from '@apichain/scheme';
import {
  checkTypeMeta,
  completedKind,
  internalVersion,
  isUntyped,
  typedKindProblem,
} from '../../negotiation/check-kind.ts';
import { unknownCustomField, unknownField, versionIsMissing } from '../../negotiation/decode-object.ts';
import { statedKind, untypedKind } from '../../negotiation/version-and-kind.ts';
import type { DecodedObject } from '../../registry/object-codec.ts';
import type { EndpointScope } from '../scope.ts';
import { invalidPatch, patchedObject, type PatchedDocument, type ReportProblems } from './document-patch.ts';

/**
 * Decodes the document that a JSON patch or merge patch gives. kube-apiserver encodes that document and decodes it like a request body,
 * so the document may state another kind or version. Throws Invalid when it is not an object of the kind, and what `report` throws.
 * Source: DecodeInto in applyPatchToCurrentObject of jsonPatcher, endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export function decodePatched(
  scope: EndpointScope,
  patched: PatchedDocument,
  report: ReportProblems,
): Promise<KubeObject> {
  return isUntyped(scope.codec) ? decodeUntyped(scope, patched, report) : decodeTyped(scope, patched, report);
}

async function decodeTyped(
  scope: EndpointScope,
  patched: PatchedDocument,
  report: ReportProblems,
): Promise<KubeObject> {
  const document = patchedObject(patched);
  checkKind(scope, patched, document);
  const { object, unknownFields } = withoutVersion(scope, document) ?? decodeAs(scope, patched);
  await pause();
  report(inWrittenOrder(unknownFields, patched).map(unknownField));
  return object;
}

/** A patch may change the kind that an object states. Throws Invalid if it is not the kind of the endpoint. */
function checkKind({ codec, services }: EndpointScope, patched: PatchedDocument, document: JsonObject): void {
  // An object without a version is decoded as the internal version.
  const given = completedKind(stated(patched, document), { ...codec.kind, version: internalVersion });
  if (given.version === '') throw invalidPatch(patched, versionIsMissing(patched.shown()));
  const problem = typedKindProblem(given, codec, services.kinds);
  if (problem !== undefined) throw invalidPatch(patched, problem);
}

function stated(patched: PatchedDocument, document: JsonObject): StatedKind {
  try {
    // As in Go, the patched document is encoded before it is decoded, so its keys are sorted.
    return statedKind(Object.fromEntries(Object.entries(document).sort(([a], [b]) => (a < b ? -1 : 1))));
  } catch (error) {
    if (error instanceof BodySyntaxError) throw invalidPatch(patched, error.message);
    throw error;
  }
}

/**
 * The object when the patch removes the version. Go then decodes into the internal type, whose fields have other names, so no field
 * of the document is found, not even the name. Undefined if there is a version.
 */
function withoutVersion({ codec }: EndpointScope, document: JsonObject): DecodedObject | undefined {
  if (codec.custom) return undefined;
  const { version } = completedKind(untypedKind(document), { ...codec.kind, version: internalVersion });
  if (version !== internalVersion) return undefined;
  const unknownFields = Object.keys(document).filter((name) => name !== 'apiVersion' && name !== 'kind');
  return { object: { apiVersion: '', kind: codec.kind.kind, metadata: {} }, unknownFields: unknownFields.sort() };
}

/** The unknown fields in the order of the encoded document. */
function inWrittenOrder(fields: readonly string[], patched: PatchedDocument): readonly string[] {
  if (fields.length < 2) return fields;
  return inDocumentOrder(patched.shown(), new Set(fields), new Set()).map(({ path }) => path);
}

/** Decodes a patched custom resource, which has no type. */
async function decodeUntyped(
  scope: EndpointScope,
  patched: PatchedDocument,
  report: ReportProblems,
): Promise<KubeObject> {
  const { codec, subresource } = scope;
  const document = patchedObject(patched);
  stated(patched, document);
  if (untypedKind(document).kind === '')
    throw invalidPatch(patched, `Object 'Kind' is missing in '${patched.shown()}'`);
  // A patch of /status keeps the type of the stored object, and another kind is refused later by validation.
  const isOfVersion = subresource !== '' || document['apiVersion'] === formatGroupVersion(codec.kind);
  if (!isOfVersion) {
    report(unknownInVersion(scope, patched, document).map(unknownCustomField));
    throwOtherVersion(scope, document);
    return document as KubeObject;
  }
  const { object, unknownFields } = decodeAs(scope, patched);
  await pause();
  report(unknownFields.map(unknownCustomField));
  return object;
}

/** The unknown fields of a custom resource whose version was changed by a patch. */
function unknownInVersion({ codec }: EndpointScope, patched: PatchedDocument, document: JsonObject): readonly string[] {
  const { group, kind, version } = untypedKind(document);
  const isOfKind = group === codec.kind.group && kind === codec.kind.kind;
  try {
    return codec.unknownFieldsIn?.(document, isOfKind ? version : undefined) ?? [];
  } catch (error) {
    throw asInvalid(patched, error);
  }
}

/** Throws Invalid for a document of another version, and a 500 for a document without a version. */
function throwOtherVersion({ codec }: EndpointScope, document: JsonObject): void {
  const given = untypedKind(document);
  if (given.version === '')
    throw newInternalError(`Object 'apiVersion' is missing in 'object has no apiVersion field'`);
  const { metadata } = document;
  const name = isJsonObject(metadata) ? metadata['name'] : undefined;
  checkTypeMeta(given, codec.kind, typeof name === 'string' ? name : '');
}

function decodeAs({ codec }: EndpointScope, patched: PatchedDocument): DecodedObject {
  try {
    return codec.decode(patched.document, { facts: patched.facts });
  } catch (error) {
    throw asInvalid(patched, error);
  }
}

const asInvalid = (patched: PatchedDocument, error: unknown): unknown =>
  !(error instanceof Error) || error instanceof StatusError ? error : invalidPatch(patched, error.message);
