import type { Node, PersistentVolume, PersistentVolumeClaim, TopologySelectorTerm } from '@apichain/api/core/v1';
import type { StorageClass } from '@apichain/api/storage/v1';
import {
  claimSize,
  claimsOf,
  foreignClaim,
  isFullyBound,
  isReachable,
  matchingVolume,
  storageAnnotations,
  storageClassOf,
} from '@apichain/component-helpers';
import { labelSelectorFromObject, quantityFromJson } from '@apichain/meta';
import type { ClusterObjects } from '../cluster/cluster-objects.ts';
import type { PodInfo } from '../cluster/pod-info.ts';
import { waitsForConsumer } from './claims.ts';

/** The claims of a pod by what is to be done for them. */
export interface PodClaims {
  readonly bound: readonly PersistentVolumeClaim[];
  /** Not bound, and not to be bound by the scheduler. */
  readonly immediate: readonly PersistentVolumeClaim[];
  /** To be bound, or to be provisioned, on the node of the pod. */
  readonly delayed: readonly PersistentVolumeClaim[];
  /** The volumes of the classes of delayed claims, by class. */
  readonly volumes: ReadonlyMap<string, readonly PersistentVolume[]>;
}

/** What is done for the claims of a pod when it goes to a node. */
export interface VolumePlan {
  readonly bindings: readonly { readonly volume: PersistentVolume; readonly claim: PersistentVolumeClaim }[];
  readonly provisions: readonly PersistentVolumeClaim[];
}

/** The claims of a pod, whose existence was checked before. Throws Error when one is missing or belongs to another pod. */
export function podClaims({ pod, namespace }: PodInfo, objects: ClusterObjects): PodClaims {
  const bound: PersistentVolumeClaim[] = [];
  const immediate: PersistentVolumeClaim[] = [];
  const delayed: PersistentVolumeClaim[] = [];
  for (const { name, isEphemeral } of claimsOf(pod)) {
    const key = `${namespace}/${name}`;
    const claim = objects.persistentVolumeClaims.get(key);
    if (claim === undefined)
      throw new Error(`error getting PVC "${key}": could not find v1.PersistentVolumeClaim "${key}"`);
    const foreign = isEphemeral ? foreignClaim(pod, claim) : undefined;
    if (foreign !== undefined) throw new Error(foreign);
    if (isFullyBound(claim)) bound.push(claim);
    else if (waitsForConsumer(claim, objects.storageClasses) && (claim.spec?.volumeName ?? '') === '')
      delayed.push(claim);
    else immediate.push(claim);
  }
  const classes = new Set(delayed.map(storageClassOf));
  const volumes = classes.size === 0 ? [] : [...objects.persistentVolumes.list()];
  const ofClass = (name: string) => volumes.filter((volume) => storageClassOf(volume) === name);
  return { bound, immediate, delayed, volumes: new Map([...classes].map((name) => [name, ofClass(name)])) };
}

/** The plan for the claims on a node, or the reasons why there is none. Throws Error for a class that does not exist. */
export function planVolumes(claims: PodClaims, node: Node, objects: ClusterObjects): VolumePlan | readonly string[] {
  const reasons = boundClaimReasons(claims.bound, node, objects);
  const plan = planDelayed(claims, node, objects);
  if ('reason' in plan) {
    const at = reasons.indexOf(missingVolume);
    // The reasons have a fixed order, in which a volume that does not exist comes last.
    return at === -1 ? [...reasons, plan.reason] : reasons.toSpliced(at, 0, plan.reason);
  }
  return reasons.length > 0 ? reasons : plan;
}

const nodeConflict = "node(s) didn't match PersistentVolume's node affinity";
const bindConflict = "node(s) didn't find available persistent volumes to bind";
const notEnoughSpace = 'node(s) did not have enough free storage';
const missingVolume = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';

function boundClaimReasons(claims: PodClaims['bound'], node: Node, objects: ClusterObjects): readonly string[] {
  for (const { spec } of claims) {
    const volume = objects.persistentVolumes.get(spec?.volumeName ?? '');
    if (volume === undefined) return [missingVolume];
    if (!isReachable(volume, node)) return [nodeConflict];
  }
  return [];
}

function planDelayed(claims: PodClaims, node: Node, objects: ClusterObjects): VolumePlan | { readonly reason: string } {
  const toProvision: PersistentVolumeClaim[] = [];
  const toMatch: PersistentVolumeClaim[] = [];
  for (const claim of claims.delayed) {
    const selected = claim.metadata.annotations?.[storageAnnotations.selectedNode];
    if (selected === undefined) toMatch.push(claim);
    else if (selected === node.metadata.name) toProvision.push(claim);
    else return { reason: bindConflict };
  }
  const bindings: { volume: PersistentVolume; claim: PersistentVolumeClaim }[] = [];
  const taken = new Set<string>();
  for (const claim of toMatch.toSorted((a, b) => claimSize(a).compare(claimSize(b)))) {
    const volume = matchingVolume(claim, claims.volumes.get(storageClassOf(claim)) ?? [], { node, taken });
    if (volume === undefined) toProvision.push(claim);
    else {
      taken.add(volume.metadata.name ?? '');
      bindings.push({ volume, claim });
    }
  }
  for (const claim of toProvision) {
    const reason = provisionReason(claim, node, objects);
    if (reason !== undefined) return { reason };
  }
  return { bindings, provisions: toProvision };
}

function provisionReason(claim: PersistentVolumeClaim, node: Node, objects: ClusterObjects): string | undefined {
  const { namespace = '', name = '' } = claim.metadata;
  const className = storageClassOf(claim);
  if (className === '') throw new Error(`no class for claim "${namespace}/${name}"`);
  const storageClass = objects.storageClasses.get(className);
  if (storageClass === undefined) throw new Error(`failed to find storage class "${className}"`);
  const { provisioner = '' } = storageClass;
  if (provisioner === '' || provisioner === 'kubernetes.io/no-provisioner') return bindConflict;
  if (!allowsTopology(storageClass.allowedTopologies, node)) return bindConflict;
  return hasEnoughCapacity(storageClass, claim, node, objects) ? undefined : notEnoughSpace;
}

function allowsTopology(terms: readonly TopologySelectorTerm[] | undefined, { metadata }: Node): boolean {
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = '', values }) => (values ?? []).includes(metadata.labels?.[key] ?? '\0')),
  );
}

/** Whether a driver that publishes its capacity has enough of it for the node. */
function hasEnoughCapacity(
  { metadata, provisioner = '' }: StorageClass,
  claim: PersistentVolumeClaim,
  node: Node,
  { csiDrivers, csiStorageCapacities }: ClusterObjects,
): boolean {
  if (claim.spec?.resources?.requests?.['storage'] === undefined) return true;
  if (csiDrivers.get(provisioner)?.spec?.storageCapacity !== true) return true;
  const size = claimSize(claim);
  for (const { storageClassName, maximumVolumeSize, capacity, nodeTopology } of csiStorageCapacities.list()) {
    const limit = maximumVolumeSize ?? capacity;
    if (storageClassName !== metadata.name || limit === undefined || quantityFromJson(limit).compare(size) < 0)
      continue;
    if (nodeTopology !== undefined && labelSelectorFromObject(nodeTopology).matches(node.metadata.labels)) return true;
  }
  return false;
}
