import type { PersistentVolumeClaim } from '@apichain/api/core/v1';
import { newQuantity, quantityFromJson, type Quantity, isSet } from '@apichain/meta';
import { deepEqual } from '@apichain/meta';
import { one, type ResourceList } from '../../resource-list.ts';
import { storageClassOf } from '../persistent-volume-claim-resize.ts';
import type { Evaluator } from './evaluator.ts';
import { valueMatches } from './quota.ts';

const perClass = ['persistentvolumeclaims', 'requests.storage'];
const names = new Set(['count/persistentvolumeclaims', ...perClass]);
const classSuffix = '.storageclass.storage.k8s.io/';

/** Quotas count whole bytes. */
const wholeBytes = (amount: Quantity): Quantity =>
  amount.milliValue() % 1000n === 0n ? amount : newQuantity(amount.value(), amount.format);

function requestedStorage(claim: PersistentVolumeClaim): Quantity | undefined {
  const { storage } = claim.spec?.resources?.requests ?? {};
  if (!isSet(storage)) return undefined;
  const requested = wholeBytes(quantityFromJson(storage));
  const allocated = claim.status?.allocatedResources?.storage;
  if (!isSet(allocated)) return requested;
  const reserved = quantityFromJson(allocated);
  return reserved.compare(requested) > 0 ? wholeBytes(reserved) : requested;
}

function attributesClasses({ spec, status }: PersistentVolumeClaim): string[] {
  const { currentVolumeAttributesClassName, modifyVolumeStatus } = status ?? {};
  const all = [
    spec?.volumeAttributesClassName,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(all.map((name) => name ?? '').filter((name) => name !== ''))].toSorted();
}

/** Counts claims and the storage that they request, in total and by storage class. */
export const claimEvaluator: Evaluator<PersistentVolumeClaim> = {
  handles({ operation, subresource, object, oldObject }) {
    if (subresource === '') return operation === 'CREATE' || operation === 'UPDATE';
    if (subresource !== 'status' || object === undefined || oldObject === undefined) return false;
    const allocated = (claim: PersistentVolumeClaim) => claim.status?.allocatedResources?.storage;
    return (
      allocated(object) !== allocated(oldObject) || !deepEqual(attributesClasses(object), attributesClasses(oldObject))
    );
  },
  matching: (candidates) =>
    [...candidates].filter(
      (name) => names.has(name) || perClass.some((resource) => name.endsWith(`${classSuffix}${resource}`)),
    ),
  matchesScope(requirement, claim) {
    if (requirement.scope !== 'VolumeAttributesClass') return false;
    const classes = attributesClasses(claim);
    return classes.length === 0
      ? valueMatches(requirement, undefined)
      : classes.some((name) => valueMatches(requirement, name));
  },
  usage(claim) {
    const usage: ResourceList = new Map([
      ['count/persistentvolumeclaims', one],
      ['persistentvolumeclaims', one],
    ]);
    const className = storageClassOf(claim);
    if (className !== '') usage.set(`${className}${classSuffix}persistentvolumeclaims`, one);
    const storage = requestedStorage(claim);
    if (storage === undefined) return usage;
    usage.set('requests.storage', storage);
    if (className !== '') usage.set(`${className}${classSuffix}requests.storage`, storage);
    return usage;
  },
};
