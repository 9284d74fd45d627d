import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  VolumeResourceRequirements,
} from '@apichain/api/core/v1';
import { field, isQualifiedName, type FieldError, assign } from '@apichain/meta';
import { isSet, record } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { goValue } from '../common/go-value.ts';
import { isNativeResource, quantityOf, resourceQuantity } from '../common/resources.ts';
import {
  checkEach,
  collect,
  immutable,
  immutableDetail,
  invalidEach,
  isGivenEmpty,
  type Out,
  sortedEntries,
} from '../common/rules.ts';
import { shownDiff } from '../common/unified-diff.ts';
import { claimSpecErrors } from './claim-spec.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolumeclaims */
export const validateClaim = (claim: PersistentVolumeClaim): FieldError[] =>
  collect((out) => claimSpecErrors(out, 'spec', claim.spec ?? {}));

const annotationOf = (claim: PersistentVolumeClaim): string | undefined =>
  claim.metadata.annotations?.[classAnnotation];

/** Whether the class moves from the annotation to the field, or a claim without a class gets one. */
function classUpgraded(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): boolean {
  const now = claim.spec?.storageClassName;
  if (isSet(old.spec?.storageClassName) || !isSet(now)) return false;
  const before = annotationOf(old);
  return before === undefined || before === now;
}

/** The requests with the stored size; absent requests remain absent. */
function withStoredSize(
  resources: VolumeResourceRequirements,
  stored: PersistentVolumeClaimSpec,
): VolumeResourceRequirements {
  if (!isSet(resources.requests) && !isGivenEmpty(resources, 'requests')) return resources;
  const requests = { ...resources.requests };
  assign(requests, 'storage', stored.resources?.requests?.storage);
  return { ...resources, requests };
}

/** The new spec with the stored values of all mutable fields. */
function mungedSpec(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): PersistentVolumeClaimSpec {
  const spec = claim.spec ?? {};
  const munged: PersistentVolumeClaimSpec = { ...spec };
  const stored = old.spec ?? {};
  if (classUpgraded(claim, old)) munged.storageClassName = stored.storageClassName;
  if (old.status?.phase !== 'Bound' && claim.status?.phase !== 'Bound') return munged;
  munged.resources = withStoredSize(munged.resources ?? {}, stored);
  munged.volumeAttributesClassName = stored.volumeAttributesClassName;
  return munged;
}

/** The stored spec; if it has no volume, with the volume of the new spec. */
const boundSpec = (stored: PersistentVolumeClaimSpec, spec: PersistentVolumeClaimSpec): PersistentVolumeClaimSpec =>
  (stored.volumeName ?? '') === '' ? { ...stored, volumeName: spec.volumeName } : stored;

function sizeErrors(out: Out, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
  const now = quantityOf(claim.spec?.resources?.requests?.storage);
  const before = quantityOf(old.spec?.resources?.requests?.storage);
  if (now.compare(before) >= 0) return;
  if (now.compare(quantityOf(old.status?.capacity?.storage)) > 0) return;
  out.push(field.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
}

function attributesClassErrors(out: Out, claim: PersistentVolumeClaim, old: PersistentVolumeClaim): void {
  const now = claim.spec?.volumeAttributesClassName;
  if (!isSet(old.status?.currentVolumeAttributesClassName) || now === old.spec?.volumeAttributesClassName) {
    return;
  }
  const path = 'spec.volumeAttributesClassName';
  const when = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (!isSet(now)) out.push(field.forbidden(path, `update to nil ${when}`));
  else if (now === '') out.push(field.forbidden(path, `update to empty string ${when}`));
}

/** The difference of two claims as the admission plugin NodeRestriction tells it. */
export const claimDifference = (old: PersistentVolumeClaim, claim: PersistentVolumeClaim): string =>
  shownDiff(old, claim, ({ metadata, spec = {}, status = {} }) => ({
    ...record(goValue('meta.v1.ObjectMeta', metadata)),
    Spec: goValue('core.v1.PersistentVolumeClaimSpec', spec),
    Status: goValue('core.v1.PersistentVolumeClaimStatus', status),
  }));

export function validateClaimUpdate(claim: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  return collect((out) => {
    const stored = old.spec ?? {};
    claimSpecErrors(out, 'spec', claim.spec ?? {}, stored);
    const annotation = annotationOf(claim);
    if (annotation !== annotationOf(old) && !(annotation === undefined && classUpgraded(claim, old))) {
      out.push(field.invalid(`metadata.annotations.${classAnnotation}`, annotation ?? '', immutableDetail));
    }
    const munged = mungedSpec(claim, old);
    const bound = boundSpec(stored, claim.spec ?? {});
    if (!semanticEqual(munged, bound)) {
      const type = 'core.v1.PersistentVolumeClaimSpec';
      const diff = shownDiff(bound, munged, (value) => goValue(type, value));
      const detail =
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
      out.push(field.forbidden('spec', `${detail}\n${diff}`));
    }
    sizeErrors(out, claim, old);
    immutable(out, 'volumeMode', claim.spec?.volumeMode, stored.volumeMode);
    attributesClassErrors(out, claim, old);
  });
}

const resizeStates = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/** Whether a claim resource can be resized; adds an error if not. */
function isResizable(out: Out, path: string, name: string): boolean {
  const messages = isQualifiedName(name);
  invalidEach(out, path, name, messages);
  const known = messages.length > 0 || !isNativeResource(name) || name === 'storage';
  if (!known) out.push(field.notSupported(path, name, ['storage']));
  return known && messages.length === 0;
}

export function validateClaimStatus(claim: PersistentVolumeClaim): FieldError[] {
  return collect((out) => {
    const status = claim.status ?? {};
    if ((claim.metadata.resourceVersion ?? '') === '') out.push(field.required('resourceVersion'));
    if ((claim.spec?.accessModes ?? []).length === 0) out.push(field.required('Spec.accessModes'));
    checkEach(out, sortedEntries(status.capacity), (out, [name, value]) => {
      const amount = quantityOf(value);
      if (amount.value() < 0) {
        out.push(field.invalid(`status.capacity[${name}]`, amount.value(), 'must be a valid resource quantity'));
      }
    });
    const states = 'status.allocatedResourceStatuses';
    checkEach(out, sortedEntries(status.allocatedResourceStatuses), (out, [name, value]) => {
      isResizable(out, states, name);
      if (!resizeStates.includes(value ?? '')) out.push(field.notSupported(states, name, resizeStates));
    });
    checkEach(out, sortedEntries(status.allocatedResources), (out, [name, value]) => {
      const path = 'status.allocatedResources';
      if (!isResizable(out, path, name)) return;
      if (quantityOf(value).sign < 0) {
        const shown = quantityOf(value).value();
        out.push(field.invalid(`${path}[${name}]`, shown, 'must be a valid resource quantity'));
      } else resourceQuantity(out, `${path}[${name}]`, 'storage', value);
    });
  });
}
