import {
  field,
  isJsonObject,
  newInvalid,
  StatusError,
  type DocumentFacts,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@apichain/meta';
import { notAnObject } from '../../negotiation/version-and-kind.ts';

/** A patched document before it is decoded as an object. */
export interface PatchedDocument {
  readonly document: JsonValue;
  /** Facts about the text of the patch, by the paths of the document that it changes. */
  readonly facts?: DocumentFacts | undefined;
  /** The text of the document in error messages. */
  readonly shown: () => string;
}

/** Reports problems of field validation as warnings, or throws, before decoding continues. */
export type ReportProblems = (problems: readonly string[]) => void;

/** A parsed patch that changes a JSON document, as all types but apply do. It may be applied several times. */
export interface DocumentPatch {
  /** The problems that strict decoding finds in the text of the patch. */
  readonly problems: readonly string[];
  /** Throws StatusError for a patch that does not fit the document. */
  apply(document: JsonObject): PatchedDocument | Promise<PatchedDocument>;
  /** Decodes the patched document, with defaults. Throws Invalid if it is not an object of the kind any more. */
  decode(patched: PatchedDocument, report: ReportProblems): Promise<KubeObject>;
}

/** The 422 for a patched document that is not an object of the kind. */
export const invalidPatch = (patched: PatchedDocument, message: string): StatusError =>
  newInvalid({ group: '', kind: '' }, '', [field.invalid('patch', patched.shown(), message)]);

/** The patched document as an object. Throws Invalid for any other value. */
export function patchedObject(patched: PatchedDocument): JsonObject {
  if (!isJsonObject(patched.document)) throw invalidPatch(patched, notAnObject(patched.document).message);
  return patched.document;
}

/** The 422 for a patch that does not fit the object; the message gives no reason. */
export const patchRefused = (): StatusError =>
  new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });
