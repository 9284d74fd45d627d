import type { AuthorizationAttributes, Authorizer } from '@apichain/authz';
import { deepEqual, type GroupVersionResource, type OwnerReference } from '@apichain/meta';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

/** The resources of a kind. Throws Error when there is no such kind. */
export type KindResolver = (apiVersion: string, kind: string) => Promise<readonly GroupVersionResource[]>;

const ownersOf = (object: AdmissionAttributes['object']): readonly OwnerReference[] =>
  object?.metadata.ownerReferences ?? [];

/** References that begin to hold up their owner's deletion. */
function newlyBlocking({ object, oldObject }: AdmissionAttributes): OwnerReference[] {
  const before = new Map(ownersOf(oldObject).map((owner) => [owner.uid, owner]));
  return ownersOf(object).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}

/**
 * Only who may delete an object gives it an owner, and only who may change the owner's finalizers lets it block the owner's end.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement
 */
export class OwnerReferencesPermissionEnforcement implements AdmissionPlugin {
  readonly name = 'OwnerReferencesPermissionEnforcement';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #authorizer: Authorizer;
  readonly #resourcesOf: KindResolver;

  constructor(authorizer: Authorizer, resourcesOf: KindResolver) {
    this.#authorizer = authorizer;
    this.#resourcesOf = resourcesOf;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, name, namespace, object, oldObject } = attributes;
    if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return;
    if (deepEqual(ownersOf(object), ownersOf(oldObject))) return;
    const remove = { verb: 'delete', resource, subresource, namespace, name };
    const refusal = await this.#refusal(attributes, remove);
    if (refusal !== undefined) {
      throw forbidden(attributes, `cannot set an ownerRef on a resource you can't delete: ${refusal}, <nil>`);
    }
    for (const owner of newlyBlocking(attributes)) await this.#expectFinalizerRights(attributes, owner);
  }

  async #expectFinalizerRights(attributes: AdmissionAttributes, owner: OwnerReference): Promise<void> {
    for (const resource of await this.#ownerResources(attributes, owner)) {
      const { namespace } = attributes;
      const change = { verb: 'update', resource, subresource: 'finalizers', namespace, name: owner.name };
      const refusal = await this.#refusal(attributes, change);
      if (refusal === undefined) continue;
      throw forbidden(
        attributes,
        `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${refusal}, <nil>`,
      );
    }
  }

  async #ownerResources(attributes: AdmissionAttributes, owner: OwnerReference) {
    try {
      return await this.#resourcesOf(owner.apiVersion, owner.kind);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw forbidden(
        attributes,
        `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${owner.apiVersion} Kind ${owner.kind}: ${why}`,
      );
    }
  }

  /** Why the user may not; undefined = the user may. */
  async #refusal(
    { user }: AdmissionAttributes,
    asked: Pick<AuthorizationAttributes, 'verb' | 'subresource' | 'namespace' | 'name'> & {
      readonly resource: GroupVersionResource;
    },
  ): Promise<string | undefined> {
    const { resource, ...rest } = asked;
    const { decision, reason } = await this.#authorizer.authorize({
      ...rest,
      user,
      isResourceRequest: true,
      path: '',
      apiGroup: resource.group,
      apiVersion: resource.version,
      resource: resource.resource,
      fieldSelector: '',
      labelSelector: '',
    });
    return decision === 'Allow' ? undefined : reason;
  }
}
