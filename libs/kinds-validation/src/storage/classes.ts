import type { TopologySelectorTerm } from '@apichain/api/core/v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  TokenRequest,
  VolumeAttachment,
  VolumeAttachmentStatus,
  VolumeAttributesClass,
  CSINodeDriver,
} from '@apichain/api/storage/v1';
import { byteLength, field, isDNS1123Subdomain, isQualifiedName, type FieldError } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { csiDriverName, tokenSeconds } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { quantityOf } from '../common/resources.ts';
import {
  checkEach,
  choice,
  collect,
  givenChoice,
  immutable,
  immutableDetail,
  invalidEach,
  nonNegative,
  nonNegativeDetail,
  requiredText,
  shownMember,
  sortedEntries,
  repeats,
  type Out,
} from '../common/rules.ts';
import { labelSelectorErrors, shownSelector } from '../common/selectors.ts';
import { volumeSpecErrors } from './volume.ts';

const mostParameters = 512;
const longestParameters = 256 * 1024;

function provisionerErrors(out: Out, path: string, value: string | undefined): void {
  const name = value ?? '';
  if (name === '') out.push(field.required(path));
  else invalidEach(out, path, name.toLowerCase(), isQualifiedName(name.toLowerCase()));
}

function parameterErrors(out: Out, parameters: StorageClass['parameters']): void {
  const entries = sortedEntries(parameters);
  if (entries.length > mostParameters) {
    out.push(field.tooLong('parameters', mostParameters));
    return;
  }
  let size = 0;
  for (const [name, value] of entries) {
    if (name === '') out.push(field.invalid('parameters', '', 'field can not be empty.'));
    size += byteLength(name) + byteLength(value ?? '');
  }
  if (size > longestParameters) out.push(field.tooLong('parameters', longestParameters));
}

function topologyTermErrors(out: Out, path: string, term: TopologySelectorTerm): void {
  const keys = new Set<string>();
  checkEach(out, term.matchLabelExpressions ?? [], (out, expression, j) => {
    const where = `${path}.matchLabelExpressions[${j}]`;
    const key = expression.key ?? '';
    const values = expression.values ?? [];
    if (values.length === 0) out.push(field.required(`${where}.values`));
    checkEach(out, repeats(values), (out, [k, value]) => out.push(field.duplicate(`${where}.values[${k}]`, value)));
    invalidEach(out, `${where}.key`, key, isQualifiedName(key));
    if (keys.has(key)) out.push(field.duplicate(`${where}.key`, key));
    keys.add(key);
  });
}

/** Among expressions with the same key, the last one counts. */
const termIdentity = (term: TopologySelectorTerm): string =>
  JSON.stringify(
    sortedEntries(
      Object.fromEntries(
        (term.matchLabelExpressions ?? []).map((expression): [string, string[]] => [
          `=${expression.key ?? ''}`,
          [...new Set(expression.values ?? [])].sort(),
        ]),
      ),
    ),
  );

/**
 * Each term is compared with the earlier ones. As in kube-apiserver, it is also compared
 * with as many empty terms as there are terms, so an empty term is always a duplicate.
 */
function topologyErrors(out: Out, terms: readonly TopologySelectorTerm[]): void {
  const seen = new Map([[termIdentity({}), terms.length]]);
  checkEach(out, terms, (out, term, i) => {
    const path = `allowedTopologies[${i}]`;
    topologyTermErrors(out, path, term);
    const identity = termIdentity(term);
    const before = seen.get(identity) ?? 0;
    for (let other = 0; other < before; other++) out.push(field.duplicate(`${path}.matchLabelExpressions`, ''));
    seen.set(identity, before + 1);
  });
}

/** https://kubernetes.io/docs/concepts/storage/storage-classes/ */
export function validateStorageClass(storageClass: StorageClass): FieldError[] {
  return collect((out) => {
    provisionerErrors(out, 'provisioner', storageClass.provisioner);
    parameterErrors(out, storageClass.parameters);
    const policy = storageClass.reclaimPolicy ?? '';
    if (policy !== '') choice(out, 'reclaimPolicy', policy, ['Delete', 'Retain']);
    givenChoice(out, 'volumeBindingMode', storageClass.volumeBindingMode, ['Immediate', 'WaitForFirstConsumer']);
    topologyErrors(out, storageClass.allowedTopologies ?? []);
  });
}

export function validateStorageClassUpdate(storageClass: StorageClass, old: StorageClass): FieldError[] {
  return collect((out) => {
    immutable(out, 'parameters', storageClass.parameters, old.parameters, shownMember(storageClass, 'parameters'));
    immutable(out, 'provisioner', storageClass.provisioner ?? '', old.provisioner);
    immutable(out, 'reclaimPolicy', storageClass.reclaimPolicy, old.reclaimPolicy);
    immutable(out, 'volumeBindingMode', storageClass.volumeBindingMode, old.volumeBindingMode);
  });
}

/** https://kubernetes.io/docs/concepts/storage/volume-attributes-classes/ */
export function validateVolumeAttributesClass(attributes: VolumeAttributesClass): FieldError[] {
  return collect((out) => {
    provisionerErrors(out, 'driverName', attributes.driverName);
    if (Object.keys(attributes.parameters ?? {}).length === 0) {
      out.push(field.required('parameters', 'must contain at least one key/value pair'));
    }
    parameterErrors(out, attributes.parameters);
  });
}

export function validateVolumeAttributesClassUpdate(
  attributes: VolumeAttributesClass,
  old: VolumeAttributesClass,
): FieldError[] {
  return collect((out) => {
    for (const name of ['driverName', 'parameters'] as const) {
      if (semanticEqual(attributes[name], old[name])) continue;
      out.push(field.forbidden(name, `updates to ${name} are forbidden.`));
    }
  });
}

function attachmentErrors(out: Out, attachment: VolumeAttachment): void {
  const spec = attachment.spec ?? {};
  const { inlineVolumeSpec, persistentVolumeName } = spec.source ?? {};
  csiDriverName(out, 'spec.attacher', spec.attacher);
  const oneSource = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!isSet(inlineVolumeSpec) && !isSet(persistentVolumeName)) out.push(field.required('spec.source', oneSource));
  if (isSet(inlineVolumeSpec) && isSet(persistentVolumeName)) out.push(field.forbidden('spec.source', oneSource));
  const path = 'spec.source.persistentVolumeName';
  const name = persistentVolumeName ?? '';
  if (isSet(persistentVolumeName) && !isSet(inlineVolumeSpec) && name === '') {
    out.push(field.required(path, 'must specify non empty persistentVolumeName'));
  }
  if (isSet(inlineVolumeSpec) && !isSet(persistentVolumeName)) {
    volumeSpecErrors(out, 'spec.source.inlineVolumeSpec', inlineVolumeSpec, '', true);
  }
  invalidEach(out, 'spec.nodeName', spec.nodeName ?? '', isDNS1123Subdomain(spec.nodeName ?? ''));
  attachmentStatusErrors(out, attachment.status ?? {});
  if (isSet(persistentVolumeName)) invalidEach(out, path, name, isDNS1123Subdomain(name));
}

function attachmentStatusErrors(out: Out, status: VolumeAttachmentStatus): void {
  const size = sortedEntries(status.attachmentMetadata).reduce(
    (sum, [name, value]) => sum + byteLength(name) + byteLength(value ?? ''),
    0,
  );
  if (size > longestParameters) out.push(field.tooLong('status.attachmentMetadata', longestParameters));
  for (const name of ['attachError', 'detachError'] as const) {
    const { message, errorCode } = status[name] ?? {};
    if (byteLength(message ?? '') > 1024) out.push(field.tooLong(`status.${name}.message`, longestParameters));
    if (isSet(errorCode) && (errorCode ?? 0) < 0) {
      const detail = 'must be between 0 and 2147483647, inclusive';
      out.push(field.invalid(`status.${name}.errorCode`, errorCode, detail));
    }
  }
}

export const validateVolumeAttachment = (attachment: VolumeAttachment): FieldError[] =>
  collect((out) => attachmentErrors(out, attachment));

/** Checks an update through either endpoint. */
export function validateVolumeAttachmentUpdate(attachment: VolumeAttachment, old: VolumeAttachment): FieldError[] {
  return collect((out) => {
    attachmentErrors(out, attachment);
    const shown = () => goValue('storage.k8s.io.v1.VolumeAttachmentSpec', attachment.spec);
    if (!semanticEqual(attachment.spec, old.spec)) out.push(field.invalid('spec', shown(), immutableDetail));
  });
}

function tokenRequestErrors(out: Out, requests: TokenRequest[]): void {
  const audiences = new Set<string>();
  checkEach(out, requests, (out, request, i) => {
    const path = `spec.tokenRequests[${i}]`;
    const audience = request.audience ?? '';
    if (audiences.has(audience)) {
      out.push(field.duplicate(`${path}.audience`, audience));
      return;
    }
    audiences.add(audience);
    tokenSeconds(out, `${path}.expirationSeconds`, request.expirationSeconds);
  });
}

function driverErrors(out: Out, driver: CSIDriver): void {
  const spec = driver.spec ?? {};
  const switches = {
    attachedRequired: 'attachRequired',
    podInfoOnMount: 'podInfoOnMount',
    storageCapacity: 'storageCapacity',
  } as const;
  checkEach(out, Object.entries(switches), (out, [shown, name]) => {
    if (!isSet(spec[name])) out.push(field.required(`spec.${shown}`));
  });
  choice(out, 'spec.fsGroupPolicy', spec.fsGroupPolicy, ['File', 'None', 'ReadWriteOnceWithFSType']);
  const requests = spec.tokenRequests ?? [];
  tokenRequestErrors(out, requests);
  checkEach(out, spec.volumeLifecycleModes ?? [], (out, mode) => {
    choice(out, 'spec.volumeLifecycleModes', mode, ['Persistent', 'Ephemeral']);
  });
  if (!isSet(spec.seLinuxMount)) out.push(field.required('spec.seLinuxMount'));
  if (isSet(spec.nodeAllocatableUpdatePeriodSeconds) && (spec.nodeAllocatableUpdatePeriodSeconds ?? 0) < 10) {
    const detail = 'must be greater than or equal to 10 seconds';
    const path = 'spec.nodeAllocatableUpdatePeriodSeconds';
    out.push(field.invalid(path, spec.nodeAllocatableUpdatePeriodSeconds, detail));
  }
  if (isSet(spec.serviceAccountTokenInSecrets) && requests.length === 0) {
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    out.push(field.invalid('spec.serviceAccountTokenInSecrets', spec.serviceAccountTokenInSecrets, detail));
  }
}

/** https://kubernetes.io/docs/reference/kubernetes-api/config-and-storage-resources/csi-driver-v1/ */
export const validateCsiDriver = (driver: CSIDriver): FieldError[] => collect((out) => driverErrors(out, driver));

export function validateCsiDriverUpdate(driver: CSIDriver, old: CSIDriver): FieldError[] {
  return collect((out) => {
    driverErrors(out, driver);
    const now = driver.spec ?? {};
    const before = old.spec ?? {};
    immutable(out, 'spec.attachedRequired', now.attachRequired, before.attachRequired);
    immutable(out, 'spec.volumeLifecycleModes', now.volumeLifecycleModes, before.volumeLifecycleModes);
  });
}

function nodeDriverErrors(out: Out, path: string, driver: CSINodeDriver, names: Set<string>): void {
  const name = driver.name ?? '';
  csiDriverName(out, `${path}.name`, name);
  if ((driver.nodeID ?? '') === '') requiredText(out, `${path}.nodeID`, driver.nodeID);
  else if (byteLength(driver.nodeID ?? '') > 256) {
    out.push(field.invalid(`${path}.nodeID`, driver.nodeID, 'must be 256 characters or less'));
  }
  if (isSet(driver.allocatable?.count)) {
    nonNegative(out, `${path}.allocatable.count`, driver.allocatable?.count);
  }
  if (names.has(name)) out.push(field.duplicate(`${path}.name`, name));
  names.add(name);
  const keys = new Set<string>();
  checkEach(out, driver.topologyKeys ?? [], (out, key) => {
    if (key === '') out.push(field.required(path));
    if (keys.has(key)) out.push(field.duplicate(path, key));
    keys.add(key);
    invalidEach(out, path, key, isQualifiedName(key));
  });
}

function csiNodeErrors(out: Out, node: CSINode): void {
  const names = new Set<string>();
  checkEach(out, node.spec?.drivers ?? [], (out, driver, i) => {
    nodeDriverErrors(out, `spec.drivers[${i}]`, driver, names);
  });
}

export const validateCsiNode = (node: CSINode): FieldError[] => collect((out) => csiNodeErrors(out, node));

const withoutAllocatable = ({ allocatable: _, ...rest }: CSINodeDriver): Omit<CSINodeDriver, 'allocatable'> => rest;

export function validateCsiNodeUpdate(node: CSINode, old: CSINode): FieldError[] {
  return collect((out) => {
    csiNodeErrors(out, node);
    // In valid lists, stored or new, driver names are unique, so there are few pairs of equal names.
    const now = Map.groupBy(node.spec?.drivers ?? [], ({ name }) => name);
    checkEach(out, old.spec?.drivers ?? [], (out, stored) => {
      checkEach(out, now.get(stored.name) ?? [], (out, driver) => {
        if (semanticEqual(withoutAllocatable(driver), withoutAllocatable(stored))) return;
        const shown = { ...(goValue('storage.k8s.io.v1.CSINodeDriver', driver) ?? {}), Allocatable: null };
        out.push(field.invalid('spec.drivers', shown, immutableDetail));
      });
    });
  });
}

export function validateStorageCapacity(capacity: CSIStorageCapacity): FieldError[] {
  return collect((out) => {
    labelSelectorErrors(out, 'nodeTopology', capacity.nodeTopology);
    const name = capacity.storageClassName ?? '';
    invalidEach(out, 'storageClassName', name, isDNS1123Subdomain(name));
    // maximumVolumeSize is not checked.
    if (!isSet(capacity.capacity) || quantityOf(capacity.capacity).sign >= 0) return;
    out.push(field.invalid('capacity', quantityOf(capacity.capacity).toString(), nonNegativeDetail));
  });
}

export function validateStorageCapacityUpdate(capacity: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] {
  return collect((out) => {
    out.push(...validateStorageCapacity(capacity));
    const shown = isSet(capacity.nodeTopology) ? shownSelector(capacity.nodeTopology) : null;
    // An absent selector matches no node, an empty one matches all, so the two differ here.
    if (isSet(capacity.nodeTopology) !== isSet(old.nodeTopology)) {
      out.push(field.invalid('nodeTopology', shown, immutableDetail));
    } else immutable(out, 'nodeTopology', capacity.nodeTopology, old.nodeTopology, shown);
    immutable(out, 'storageClassName', capacity.storageClassName, old.storageClassName);
  });
}
