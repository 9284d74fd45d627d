import { field, isQualifiedName, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, text } from '@apichain/kinds';
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
import { unifiedDiff } from '../common/unified-diff.ts';
import { claimSpecErrors } from './claim-spec.ts';

const classAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** https://kubernetes.io/docs/concepts/storage/persistent-volumes/#persistentvolumeclaims */
export const validateClaim = (claim: KubeObject): FieldError[] =>
  collect((out) => claimSpecErrors(out, 'spec', record(claim.spec)));

const annotationOf = (claim: KubeObject): string | undefined => claim.metadata.annotations?.[classAnnotation];

/** The class moves from the annotation to the field, or a claim without one gets its first. */
function classUpgraded(claim: KubeObject, old: KubeObject): boolean {
  const now = at(claim.spec, 'storageClassName');
  if (isSet(at(old.spec, 'storageClassName')) || !isSet(now)) return false;
  const before = annotationOf(old);
  return before === undefined || before === now;
}

/** The requests with the stored size; a claim without any has none either way. */
function withStoredSize(resources: Plain, stored: Plain): Plain {
  if (!isSet(resources.requests) && !isGivenEmpty(resources, 'requests')) return resources;
  const size = at(stored.resources, 'requests', 'storage');
  return { ...resources, requests: { ...record(resources.requests), storage: size } };
}

/** The new spec with everything that may change put back. */
function mungedSpec(claim: KubeObject, old: KubeObject): Plain {
  const spec = record(claim.spec);
  const munged: Plain = { ...spec };
  const stored = record(old.spec);
  if (classUpgraded(claim, old)) munged.storageClassName = stored.storageClassName;
  if (at(old.status, 'phase') !== 'Bound' && at(claim.status, 'phase') !== 'Bound') return munged;
  munged.resources = withStoredSize(record(munged.resources), stored);
  munged.volumeAttributesClassName = stored.volumeAttributesClassName;
  return munged;
}

/** The stored spec with the volume that a claim without one gets. */
const boundSpec = (stored: Plain, spec: Plain): Plain =>
  text(stored.volumeName) === '' ? { ...stored, volumeName: spec.volumeName } : stored;

function sizeErrors(out: Out, claim: KubeObject, old: KubeObject): void {
  const now = quantityOf(at(claim.spec, 'resources', 'requests', 'storage'));
  const before = quantityOf(at(old.spec, 'resources', 'requests', 'storage'));
  if (now.compare(before) >= 0) return;
  if (now.compare(quantityOf(at(old.status, 'capacity', 'storage'))) > 0) return;
  out.push(field.forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
}

function attributesClassErrors(out: Out, claim: KubeObject, old: KubeObject): void {
  const now = at(claim.spec, 'volumeAttributesClassName');
  if (!isSet(at(old.status, 'currentVolumeAttributesClassName')) || now === at(old.spec, 'volumeAttributesClassName')) {
    return;
  }
  const path = 'spec.volumeAttributesClassName';
  const when = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (!isSet(now)) out.push(field.forbidden(path, `update to nil ${when}`));
  else if (now === '') out.push(field.forbidden(path, `update to empty string ${when}`));
}

export function validateClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const stored = record(old.spec);
    claimSpecErrors(out, 'spec', record(claim.spec), stored);
    const annotation = annotationOf(claim);
    if (annotation !== annotationOf(old) && !(annotation === undefined && classUpgraded(claim, old))) {
      out.push(field.invalid(`metadata.annotations.${classAnnotation}`, annotation ?? '', immutableDetail));
    }
    const munged = mungedSpec(claim, old);
    const bound = boundSpec(stored, record(claim.spec));
    if (!semanticEqual(munged, bound)) {
      const type = 'core.v1.PersistentVolumeClaimSpec';
      const diff = unifiedDiff(goValue(type, bound), goValue(type, munged));
      const detail =
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
      out.push(field.forbidden('spec', `${detail}\n${diff}`));
    }
    sizeErrors(out, claim, old);
    immutable(out, 'volumeMode', at(claim.spec, 'volumeMode'), stored.volumeMode);
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

/** Whether a claim can be resized in this; complains when not. */
function isResizable(out: Out, path: string, name: string): boolean {
  const messages = isQualifiedName(name);
  invalidEach(out, path, name, messages);
  const known = messages.length > 0 || !isNativeResource(name) || name === 'storage';
  if (!known) out.push(field.notSupported(path, name, ['storage']));
  return known && messages.length === 0;
}

export function validateClaimStatus(claim: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(claim.status);
    if ((claim.metadata.resourceVersion ?? '') === '') out.push(field.required('resourceVersion'));
    if (list(at(claim.spec, 'accessModes')).length === 0) out.push(field.required('Spec.accessModes'));
    checkEach(out, sortedEntries(status.capacity), (out, [name, value]) => {
      const amount = quantityOf(value);
      if (amount.value() < 0) {
        out.push(field.invalid(`status.capacity[${name}]`, amount.value(), 'must be a valid resource quantity'));
      }
    });
    const states = 'status.allocatedResourceStatuses';
    checkEach(out, sortedEntries(status.allocatedResourceStatuses), (out, [name, value]) => {
      isResizable(out, states, name);
      if (!resizeStates.includes(text(value))) out.push(field.notSupported(states, name, resizeStates));
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
