import type { KubeObject, OwnerReference } from '@apichain/meta';
import type { ResourceReference } from './rest-client.ts';

/** A kind of objects that control others. */
export interface ControllerKind<Owner extends KubeObject = KubeObject> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: ResourceReference<Owner>;
}

/** The owner of an object that controls it. */
export const controllerOf = ({ metadata }: KubeObject): OwnerReference | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

/** Whether an object is controlled by another. */
export const isControlledBy = (object: KubeObject, owner: KubeObject): boolean =>
  controllerOf(object)?.uid === owner.metadata.uid;

/** The reference in the objects that an owner controls. */
export function controllerReference(
  { apiVersion, kind }: Pick<ControllerKind, 'apiVersion' | 'kind'>,
  owner: KubeObject,
): OwnerReference {
  const { name = '', uid = '' } = owner.metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
