import {
  field,
  isJsonObject,
  newInvalid,
  StatusError,
  type DocumentFacts,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type Work,
} from '@apichain/meta';
import { notAnObject } from '../../negotiation/version-and-kind.ts';

/** A patched document before it is an object again. */
export interface PatchedDocument {
  readonly document: JsonValue;
  /** Of the text of the patch, at the places of the document that it changes. */
  readonly facts?: DocumentFacts | undefined;
  /** What an error shows of it. */
  readonly shown: () => string;
}

/** Warns of what field validation has against the patch, or refuses it, before the decoder goes on. */
export type ReportProblems = (problems: readonly string[]) => void;

/** A patch that changes a JSON document, as all but apply do. It has been read, and may be applied several times. */
export interface DocumentPatch {
  /** What strict decoding says about the text of the patch itself. */
  readonly problems: readonly string[];
  /** Throws StatusError for a patch that does not fit the document. */
  applying(document: JsonObject): Work<PatchedDocument>;
  /** The object that the patched document is, defaulted. Throws Invalid where it is none of the kind any more. */
  decoding(patched: PatchedDocument, report: ReportProblems): Work<KubeObject>;
}

/** The 422 for a patched document that is no object of the kind. */
export const invalidPatch = (patched: PatchedDocument, message: string): StatusError =>
  newInvalid({ group: '', kind: '' }, '', [field.invalid('patch', patched.shown(), message)]);

/** The patched document as an object. Throws Invalid for any other value. */
export function patchedObject(patched: PatchedDocument): JsonObject {
  if (!isJsonObject(patched.document)) throw invalidPatch(patched, notAnObject(patched.document).message);
  return patched.document;
}

/** The 422 for a patch that does not fit the object; it does not say why. */
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
