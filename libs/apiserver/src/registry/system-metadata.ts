import {
  currentTimestamp,
  newBadRequest,
  newUid,
  type KubeObject,
  type ObjectMeta,
  type OwnerReference,
} from '@apichain/meta';

/*
 * The fields of ObjectMeta that the server sets. Source: k8s.io/apiserver/pkg/registry/rest/meta.go.
 */

/** Removes metadata that a client may not set on a new object. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.uid;
}

/** Sets the creation timestamp and the uid. */
export function fillSystemFields(metadata: ObjectMeta): void {
  metadata.creationTimestamp = currentTimestamp();
  metadata.uid = newUid();
}

/**
 * Sets the object's namespace to that of the path. A different namespace in the body is a BadRequest.
 * The namespace of a cluster-scoped object is removed.
 */
export function ensureNamespace(object: KubeObject, namespaced: boolean, namespace: string): void {
  const { metadata } = object;
  if (!namespaced) {
    delete metadata.namespace;
    return;
  }
  if (metadata.namespace === undefined || metadata.namespace === '') {
    metadata.namespace = namespace;
    return;
  }
  if (metadata.namespace !== namespace) {
    throw newBadRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** Checks that name and namespace of the body match the URL. Source: checkName of endpoints/handlers. */
export function checkName(object: KubeObject, name: string, namespace: string): void {
  const { metadata } = object;
  if (metadata.name === undefined || metadata.name === '') {
    throw newBadRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (metadata.name !== name) {
    throw newBadRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (
    namespace !== '' &&
    metadata.namespace !== undefined &&
    metadata.namespace !== '' &&
    metadata.namespace !== namespace
  ) {
    throw newBadRequest(
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the request (${namespace})`,
    );
  }
}

/** Equal for owners that are equal in every field. A body may hold tens of thousands of owners, too many to compare pairwise. */
const ownerKey = ({ uid, name, kind, apiVersion, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([uid, name, kind, apiVersion, controller, blockOwnerDeletion]);

/**
 * Removes owners that are equal to an earlier one in every field. Returns the warning to send, if any was removed; it names their
 * uids.
 * Source: dedupOwnerReferences of endpoints/handlers/rest.go.
 */
export function dedupOwnerReferences(object: KubeObject, afterAdmission: boolean): string | undefined {
  const owners = object.metadata.ownerReferences;
  if (owners === undefined || owners.length < 2) return undefined;
  const seen = new Set<string>();
  const kept: OwnerReference[] = [];
  const repeated: string[] = [];
  for (const owner of owners) {
    const key = ownerKey(owner);
    if (seen.has(key)) repeated.push(owner.uid);
    else kept.push(owner);
    seen.add(key);
  }
  if (repeated.length === 0) return undefined;
  object.metadata.ownerReferences = kept;
  const uids = repeated.join(', ');
  return afterAdmission
    ? `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`
    : `.metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${uids}`;
}
