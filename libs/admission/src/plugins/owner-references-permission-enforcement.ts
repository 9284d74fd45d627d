import { resourceAttributes, type AuthorizationAttributes, type Authorizer } from '@apichain/authz';
import {
  deepEqual,
  errorMessage,
  parseGroupVersion,
  type GroupVersionKind,
  type GroupVersionResource,
  type OwnerReference,
} from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import type { RestMapping } from '@apichain/rest-mapper';
import { forbidden } from '../forbidden.ts';
import type { AdmissionAttributes, AdmissionOperation, AdmissionPlugin } from '../plugin.ts';

/** The resource of a kind, built-in or custom; undefined = the kind is not served. */
export type KindResolver = (kind: GroupVersionKind) => Promise<RestMapping | undefined>;

const ownersOf = (object: AdmissionAttributes['object']): readonly OwnerReference[] =>
  object?.metadata.ownerReferences ?? [];

const everyResource: GroupVersionResource = { group: '*', version: '*', resource: '*' };

/** The owner references that newly set blockOwnerDeletion. */
function newlyBlocking({ object, oldObject }: AdmissionAttributes): OwnerReference[] {
  const before = new Map(ownersOf(oldObject).map((owner) => [owner.uid, owner]));
  return ownersOf(object).filter(
    (owner) => owner.blockOwnerDeletion === true && before.get(owner.uid)?.blockOwnerDeletion !== true,
  );
}

/**
 * Only users who may delete an existing object can set its owners, and only users who may update the owner's finalizers can set blockOwnerDeletion.
 * https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement
 */
export class OwnerReferencesPermissionEnforcement implements AdmissionPlugin {
  readonly name = 'OwnerReferencesPermissionEnforcement';
  readonly handles: ReadonlySet<AdmissionOperation> = new Set(['CREATE', 'UPDATE']);
  readonly #authorizer: Authorizer;
  readonly #resourceOf: KindResolver;

  constructor(authorizer: Authorizer, resourceOf: KindResolver) {
    this.#authorizer = authorizer;
    this.#resourceOf = resourceOf;
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, object, oldObject, operation } = attributes;
    if (resource.group === '' && resource.resource === 'pods' && subresource === 'status') return;
    if (deepEqual(ownersOf(object), ownersOf(oldObject))) return;
    if (operation !== 'CREATE') await this.#expectDeletionRights(attributes);
    const blocking = newlyBlocking(attributes);
    if (blocking.length === 0) return;
    const anything = { verb: 'update', resource: everyResource, subresource: 'finalizers', namespace: '', name: '*' };
    if ((await this.#refusal(attributes, anything)) === undefined) return;
    for (const owner of blocking) await this.#expectFinalizerRights(attributes, owner);
  }

  async #expectDeletionRights(attributes: AdmissionAttributes): Promise<void> {
    const { resource, subresource, name, namespace } = attributes;
    const refusal = await this.#refusal(attributes, { verb: 'delete', resource, subresource, namespace, name });
    if (refusal === undefined) return;
    throw forbidden(attributes, `cannot set an ownerRef on a resource you can't delete: ${refusal}, <nil>`);
  }

  async #expectFinalizerRights(attributes: AdmissionAttributes, owner: OwnerReference): Promise<void> {
    const resource = await this.#ownerResource(attributes, owner);
    const namespace = resource.scope === 'Namespaced' ? attributes.namespace : '';
    const change = { verb: 'update', resource, subresource: 'finalizers', namespace, name: owner.name };
    const refusal = await this.#refusal(attributes, change);
    if (refusal === undefined) return;
    throw forbidden(
      attributes,
      `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: ${refusal}, <nil>`,
    );
  }

  async #ownerResource(attributes: AdmissionAttributes, { apiVersion, kind }: OwnerReference) {
    let why = `no matches for kind ${goQuote(kind)} in version ${goQuote(apiVersion)}`;
    try {
      const found = await this.#resourceOf({ ...parseGroupVersion(apiVersion), kind });
      if (found !== undefined) return found;
    } catch (error) {
      why = errorMessage(error);
    }
    throw forbidden(
      attributes,
      `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}: ${why}`,
    );
  }

  /** Why the request is not allowed; undefined = it is allowed. */
  async #refusal(
    { user }: AdmissionAttributes,
    asked: Pick<AuthorizationAttributes, 'verb' | 'subresource' | 'namespace' | 'name'> & {
      readonly resource: GroupVersionResource;
    },
  ): Promise<string | undefined> {
    const { group: apiGroup, version: apiVersion, resource } = asked.resource;
    const attributes = resourceAttributes({ ...asked, user, apiGroup, apiVersion, resource });
    const { decision, reason } = await this.#authorizer.authorize(attributes);
    return decision === 'Allow' ? undefined : reason;
  }
}
