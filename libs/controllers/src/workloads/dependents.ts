import { type Informer, byNamespace, controllerOf } from '@apichain/client';
import { type KubeObject, type LabelSelector, SelectorError, deepEqual } from '@apichain/meta';

/** The parts of `followDependents`. */
interface DependentsOptions<Owner extends KubeObject, Dependent extends KubeObject> {
  readonly owners: Informer<Owner>;
  readonly dependents: Informer<Dependent>;
  /** The kind of the owners. */
  readonly kind: string;
  readonly selectorOf: (owner: Owner) => LabelSelector;
  /** Something changed for an owner. */
  readonly enqueue: (owner: Owner) => void;
  /** A dependent of an owner was created. Called before `enqueue`. */
  readonly onCreated?: (owner: Owner, dependent: Dependent) => void;
  /** A dependent of an owner is gone or being deleted. Called before `enqueue`, possibly more than once. */
  readonly onDeleted?: (owner: Owner, dependent: Dependent) => void;
}

/**
 * Enqueues owners when an object that they control changes, and owners whose selector matches when an object without a controller appears or changes
 * its labels. Source: the event handlers of k8s.io/kubernetes/pkg/controller/replicaset, deployment, daemon and statefulset.
 */
export function followDependents<Owner extends KubeObject, Dependent extends KubeObject>(
  options: DependentsOptions<Owner, Dependent>,
): void {
  const { owners, dependents, kind, selectorOf, enqueue, onCreated, onDeleted } = options;
  const inNamespace = owners.index(byNamespace);

  function ownerOf(dependent: Dependent): Owner | undefined {
    const reference = controllerOf(dependent);
    if (reference?.kind !== kind) return undefined;
    const owner = owners.get(`${dependent.metadata.namespace}/${reference.name}`);
    return owner?.metadata.uid === reference.uid ? owner : undefined;
  }
  function enqueueMatching({ metadata: { namespace = '', labels = {} } }: Dependent): void {
    if (Object.keys(labels).length === 0) return;
    for (const owner of inNamespace.get(namespace)) if (isSelectedBy(owner, labels)) enqueue(owner);
  }
  function isSelectedBy(owner: Owner, labels: Readonly<Record<string, string>>): boolean {
    try {
      const selector = selectorOf(owner);
      return selector.requirements.length > 0 && selector.matches(labels);
    } catch (error) {
      // An owner whose selector is not valid selects nothing.
      if (error instanceof SelectorError) return false;
      throw error;
    }
  }
  function added(dependent: Dependent): void {
    if (dependent.metadata.deletionTimestamp !== undefined) return deleted(dependent);
    const owner = ownerOf(dependent);
    if (owner !== undefined) {
      onCreated?.(owner, dependent);
      enqueue(owner);
    } else if (controllerOf(dependent) === undefined) enqueueMatching(dependent);
  }
  function updated(dependent: Dependent, old: Dependent): void {
    if (dependent.metadata.uid !== old.metadata.uid) {
      deleted(old);
      added(dependent);
      return;
    }
    const reference = controllerOf(dependent);
    const isOtherOwner = !deepEqual(reference, controllerOf(old));
    const hasOtherLabels = !deepEqual(dependent.metadata.labels, old.metadata.labels);
    if (dependent.metadata.deletionTimestamp !== undefined) {
      deleted(dependent);
      if (isOtherOwner || hasOtherLabels) deleted(old);
      return;
    }
    const oldOwner = isOtherOwner ? ownerOf(old) : undefined;
    if (oldOwner !== undefined) enqueue(oldOwner);
    const owner = ownerOf(dependent);
    if (owner !== undefined) enqueue(owner);
    else if (reference === undefined && (isOtherOwner || hasOtherLabels)) enqueueMatching(dependent);
  }
  function deleted(dependent: Dependent): void {
    const owner = ownerOf(dependent);
    if (owner === undefined) return;
    onDeleted?.(owner, dependent);
    enqueue(owner);
  }
  dependents.addHandlers({ onAdd: added, onUpdate: updated, onDelete: deleted });
}
