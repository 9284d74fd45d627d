import { newBadRequest, type KubeObject, type JsonValue } from '@apichain/meta';
import {
  BodySyntaxError,
  parseJsonBody,
  type ReadAhead,
  type RequestContext,
  type WireFormats,
  type ParsedBody,
} from '@apichain/request';
import { jsonKind } from '@apichain/scheme';
import type { PatchOptions } from '../../negotiation/request-options.ts';
import type { LiveObject } from '../managed-fields.ts';
import type { EndpointScope } from '../scope.ts';

/** The inputs of a patch mechanism. */
export interface PatchRequest {
  readonly scope: EndpointScope;
  readonly ctx: RequestContext;
  readonly name: string;
  readonly options: PatchOptions;
  /** The body as text: JSON, or YAML for apply. */
  readonly body: Buffer;
  /** The body parsed in advance, if it is large. */
  readonly ahead: ReadAhead | undefined;
  /** The formats of the server. */
  readonly formats: WireFormats;
}

/**
 * Applies one type of patch to the stored object. Returns an object of the kind, decoded and defaulted, with its managed fields. Called once
 * per attempt, with the object stored at that time. Source: `patchMechanism` in endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export interface PatchMechanism {
  /** Throws StatusError: BadRequest for a body that cannot be parsed, Invalid for a patch that does not fit the object. */
  applyPatchToCurrentObject(current: LiveObject): Promise<KubeObject>;
  /** Called when no object is stored. Throws NotFound for a patch type that cannot create. */
  createNewObject(): Promise<KubeObject>;
}

/** Whether duplicate and unknown members of the patch are checked. */
export const isStrict = ({ options }: PatchRequest): boolean => options.fieldValidation !== 'Ignore';

/** How kube-apiserver's reader of a patch type formats the messages of Go's decoder. */
export interface ReaderMessages {
  readonly syntax: (problem: string) => string;
  /** The message for a number that exceeds float64. */
  readonly number: (problem: string) => string;
}

/** Parses the body of a patch as JSON. Throws BadRequest. */
export function readPatchBody(request: PatchRequest, messages: ReaderMessages): ParsedBody {
  try {
    const parsed = parseJsonBody(request.body, isStrict(request), '', request.ahead);
    if (parsed.numberError !== undefined) throw newBadRequest(messages.number(parsed.numberError));
    return parsed;
  } catch (error) {
    throw error instanceof BodySyntaxError ? newBadRequest(messages.syntax(error.message)) : error;
  }
}

export const errorDecodingPatch = (problem: string): string => `error decoding patch: ${problem}`;

/** The message of Go's decoder for a patch that is not an object. */
export const notAMap = (value: JsonValue): string =>
  `json: cannot unmarshal ${jsonKind(value)} into Go value of type map[string]interface {}`;
