import { field, isQualifiedName, type FieldError, type KubeObject } from '@apichain/meta';
import { at, isSet, list, type Plain, record, text } from '../../fields.ts';
import { semanticEqual } from '../../strategies/equality.ts';
import { goValue } from '../common/go-value.ts';
import { isNativeResource, quantityOf, resourceQuantity } from '../common/resources.ts';
import { collect, immutable, immutableDetail, invalidEach, type Out, sortedEntries } from '../common/rules.ts';
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

const withoutSize = (resources: unknown): Plain => {
  const { requests, ...rest } = record(resources);
  const { storage: _, ...others } = record(requests);
  return { ...rest, requests: others };
};

/** The new spec with everything that may change put back. */
function mungedSpec(claim: KubeObject, old: KubeObject): Plain {
  const munged: Plain = { ...record(claim.spec) };
  const stored = record(old.spec);
  if (text(stored.volumeName) === '') munged.volumeName = stored.volumeName;
  if (classUpgraded(claim, old)) munged.storageClassName = stored.storageClassName;
  if (at(old.status, 'phase') !== 'Bound' && at(claim.status, 'phase') !== 'Bound') return munged;
  const size = at(stored.resources, 'requests', 'storage');
  const resources = withoutSize(munged.resources);
  munged.resources = { ...resources, requests: { ...record(resources.requests), storage: size } };
  munged.volumeAttributesClassName = stored.volumeAttributesClassName;
  return munged;
}

function sizeErrors(out: Out, claim: KubeObject, old: KubeObject): void {
  const now = quantityOf(at(claim.spec, 'resources', 'requests', 'storage'));
  const before = quantityOf(at(old.spec, 'resources', 'requests', 'storage'));
  if (now.compare(before) >= 0) return;
  const capacity = at(old.status, 'capacity', 'storage');
  if (!isSet(capacity) || now.compare(quantityOf(capacity)) > 0) return;
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

/** What a new claim is checked for, letting through what the stored one had wrong. */
export const validateClaimAgain = (claim: KubeObject, old: KubeObject): FieldError[] =>
  collect((out) => claimSpecErrors(out, 'spec', record(claim.spec), record(old.spec)));

export function validateClaimUpdate(claim: KubeObject, old: KubeObject): FieldError[] {
  return collect((out) => {
    const stored = record(old.spec);
    claimSpecErrors(out, 'spec', record(claim.spec), stored);
    const annotation = annotationOf(claim);
    if (annotation !== annotationOf(old) && !(annotation === undefined && classUpgraded(claim, old))) {
      out.push(field.invalid(`metadata.annotations.${classAnnotation}`, annotation ?? '', immutableDetail));
    }
    const munged = mungedSpec(claim, old);
    if (!semanticEqual(munged, stored)) {
      const type = 'core.v1.PersistentVolumeClaimSpec';
      const diff = unifiedDiff(goValue(type, stored), goValue(type, munged));
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

function resourceKeyErrors(out: Out, path: string, name: string): void {
  invalidEach(out, path, name, isQualifiedName(name));
  if (isNativeResource(name) && name !== 'storage') out.push(field.notSupported(path, name, ['storage']));
}

export function validateClaimStatus(claim: KubeObject): FieldError[] {
  return collect((out) => {
    const status = record(claim.status);
    if ((claim.metadata.resourceVersion ?? '') === '') out.push(field.required('resourceVersion'));
    if (list(at(claim.spec, 'accessModes')).length === 0) out.push(field.required('Spec.accessModes'));
    for (const [name, value] of sortedEntries(status.capacity)) {
      const amount = quantityOf(value);
      if (amount.sign < 0) {
        out.push(field.invalid(`status.capacity[${name}]`, amount.value(), 'must be a valid resource quantity'));
      }
    }
    const states = 'status.allocatedResourceStatuses';
    for (const [name, value] of sortedEntries(status.allocatedResourceStatuses)) {
      resourceKeyErrors(out, states, name);
      if (!resizeStates.includes(text(value))) out.push(field.notSupported(states, name, resizeStates));
    }
    for (const [name, value] of sortedEntries(status.allocatedResources)) {
      const path = 'status.allocatedResources';
      resourceKeyErrors(out, path, name);
      if (quantityOf(value).sign < 0) {
        const shown = quantityOf(value).value();
        out.push(field.invalid(`${path}[${name}]`, shown, 'must be a valid resource quantity'));
      } else resourceQuantity(out, `${path}[${name}]`, name, value);
    }
  });
}
