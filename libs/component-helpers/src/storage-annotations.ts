/**
 * The annotations by which the components that deal with storage understand each other.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/
 */
export const storageAnnotations = {
  /** On a claim: it has been bound once. */
  bindCompleted: 'pv.kubernetes.io/bind-completed',
  /** On a claim or a volume: the controller has bound it, not a user. */
  boundByController: 'pv.kubernetes.io/bound-by-controller',
  /** On a volume: who made it. */
  provisionedBy: 'pv.kubernetes.io/provisioned-by',
  /** On a volume: its driver is a CSI driver by now. */
  migratedTo: 'pv.kubernetes.io/migrated-to',
  /** On a volume: its size before a change that a node has still to follow. */
  preResizeCapacity: 'volume.alpha.kubernetes.io/pre-resize-capacity',
  /** On a claim: the node of its first pod, as chosen by the scheduler. */
  selectedNode: 'volume.kubernetes.io/selected-node',
  /** On a claim: who shall make its volume. */
  provisioner: 'volume.kubernetes.io/storage-provisioner',
  betaProvisioner: 'volume.beta.kubernetes.io/storage-provisioner',
  /** The older form of the field. */
  betaClass: 'volume.beta.kubernetes.io/storage-class',
  isDefaultClass: 'storageclass.kubernetes.io/is-default-class',
  betaIsDefaultClass: 'storageclass.beta.kubernetes.io/is-default-class',
} as const;
