import type { KubeObject, Work } from '@apichain/meta';
import type { ReadAhead, RequestContext } from '@apichain/request';
import type { PatchOptions } from '../../negotiation/request-options.ts';
import type { EndpointScope } from '../scope.ts';

/** What a mechanism knows of a PATCH. */
export interface PatchRequest {
  readonly scope: EndpointScope;
  readonly ctx: RequestContext;
  readonly name: string;
  readonly options: PatchOptions;
  /** Text: JSON, or YAML of an apply. */
  readonly body: Buffer;
  /** The same as read before, of a large body. */
  readonly ahead: ReadAhead | undefined;
}

/**
 * What a type of patch makes of the stored object: an object of the kind, decoded and defaulted, with its managed fields. Called once an
 * attempt, with what is stored then. Source: `patchMechanism` in endpoints/handlers/patch.go of k8s.io/apiserver.
 */
export interface PatchMechanism {
  /** Throws StatusError: BadRequest for a body that cannot be read, Invalid for a patch that does not fit the object. */
  applyPatchToCurrentObject(current: KubeObject): Work<KubeObject>;
  /** Where nothing is stored. Throws NotFound for a patch that cannot create. */
  createNewObject(): Work<KubeObject>;
}
