import type { KubeObject } from '@apichain/meta';
import type { ReadAhead, RequestContext, WireFormats } from '@apichain/request';
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
