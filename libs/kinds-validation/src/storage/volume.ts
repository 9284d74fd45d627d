import type {
  AzureFilePersistentVolumeSource,
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
  ISCSIPersistentVolumeSource,
  LocalVolumeSource,
  PersistentVolume,
  PersistentVolumeSource,
  PersistentVolumeSpec,
  SecretReference,
  VolumeNodeAffinity,
} from '@apichain/api/core/v1';
import { field, isDNS1123Label, isDNS1123Subdomain, type FieldError } from '@apichain/meta';
import { isSet, record } from '@apichain/kinds';
import { semanticEqual } from '@apichain/meta';
import { csiDriverName, noBacksteps } from '../common/formats.ts';
import { goValue } from '../common/go-value.ts';
import { quantityOf } from '../common/resources.ts';
import {
  checkEach,
  choice,
  collect,
  immutable,
  invalidEach,
  optionalName,
  type Out,
  requiredName,
  requiredText,
  shownMember,
  sortedEntries,
} from '../common/rules.ts';
import { shownDiff } from '../common/unified-diff.ts';
import { nodeSelectorErrors } from '../pod/node-selector.ts';
import * as sources from '../pod/volume-sources.ts';
import type { SourceCheck } from '../pod/volume-sources.ts';
import { accessModeErrors, volumeModes } from './claim-spec.ts';
import { stableAffinity } from './node-affinity-labels.ts';

const reclaimPolicies = ['Delete', 'Recycle', 'Retain'];
const mountOptions = 'volume.beta.kubernetes.io/mount-options';
const withoutMountOptions = [
  'hostPath',
  'flocker',
  'fc',
  'flexVolume',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

const glusterfs: SourceCheck<GlusterfsPersistentVolumeSource> = (out, path, source) => {
  sources.glusterfs(out, path, source);
  const name = source.endpointsNamespace;
  if (!isSet(name)) return;
  const at = `${path}.endpointsNamespace`;
  if (name === '') {
    out.push(field.invalid(at, '', 'if the endpointnamespace is set, it must be a valid namespace name'));
  } else invalidEach(out, at, name, isDNS1123Label(name));
};

/** Adapts the check of a pod's source to a source whose secret may be in any namespace. */
const withSecret =
  <Source extends { readonly secretRef?: SecretReference }>(check: SourceCheck<Source>): SourceCheck<Source> =>
  (out, path, source) => {
    check(out, path, { ...source, secretRef: undefined });
    sources.secretReference(out, `${path}.secretRef`, source.secretRef, 'name', 'namespace');
  };

const iscsiSecret: SourceCheck<ISCSIPersistentVolumeSource> = (out, path, source) =>
  sources.secretReference(out, `${path}.secretRef`, source.secretRef, 'name');

const csiSecrets = [
  'controllerPublishSecretRef',
  'controllerExpandSecretRef',
  'nodePublishSecretRef',
  'nodeExpandSecretRef',
] as const;

const csi: SourceCheck<CSIPersistentVolumeSource> = (out, path, source) => {
  csiDriverName(out, `${path}.driver`, source.driver);
  requiredText(out, `${path}.volumeHandle`, source.volumeHandle);
  for (const name of csiSecrets) {
    const secret = source[name];
    if (!isSet(secret)) continue;
    requiredName(out, `${path}.${name}.name`, secret.name, isDNS1123Subdomain);
    requiredName(out, `${path}.${name}.namespace`, secret.namespace, isDNS1123Label);
  }
};

const azureFile: SourceCheck<AzureFilePersistentVolumeSource> = (out, path, source) => {
  sources.azureFile(out, path, source);
  if (source.secretNamespace === '') out.push(field.required(`${path}.secretNamespace`));
};

const local: SourceCheck<LocalVolumeSource> = (out, path, source) => {
  const directory = source.path ?? '';
  if (directory === '') out.push(field.required(`${path}.path`));
  else noBacksteps(out, `${path}.path`, directory);
};

type SourceName = keyof PersistentVolumeSource & string;

interface SourceRow {
  /** The field of the spec. */
  readonly name: SourceName;
  /** The name of the source in the paths of its errors. */
  readonly pathName: string;
  /** Checks the source of the spec at `path`, if it has this one. */
  readonly check: (out: Out, path: string, spec: PersistentVolumeSpec) => void;
}

function row<Name extends SourceName>(
  name: Name,
  check: SourceCheck<NonNullable<PersistentVolumeSource[Name]>>,
  pathName: string = name,
): SourceRow {
  const checkOf: SourceRow['check'] = (out, path, spec) => {
    const source: PersistentVolumeSource[Name] = spec[name];
    if (isSet(source)) check(out, `${path}.${pathName}`, source);
  };
  return { name, pathName, check: checkOf };
}

/** The sources, in the order of the API server. */
const rows: readonly SourceRow[] = [
  row('hostPath', sources.hostPath),
  row('gcePersistentDisk', sources.gcePersistentDisk, 'persistentDisk'),
  row('awsElasticBlockStore', sources.awsElasticBlockStore),
  row('glusterfs', glusterfs),
  row('flocker', sources.flocker),
  row('nfs', sources.nfs),
  row('rbd', sources.rbd),
  row('quobyte', sources.quobyte),
  row('cephfs', sources.cephfs),
  row('iscsi', sources.iscsi('must be valid format', iscsiSecret)),
  row('cinder', withSecret(sources.cinder)),
  row('fc', sources.fc),
  row('flexVolume', sources.flexVolume),
  row('azureFile', azureFile),
  row('vsphereVolume', sources.vsphereVolume),
  row('photonPersistentDisk', sources.photonPersistentDisk),
  row('portworxVolume', sources.portworxVolume),
  row('azureDisk', sources.azureDisk),
  row('scaleIO', sources.scaleIO),
  row('local', local),
  row('storageos', withSecret(sources.storageos)),
  row('csi', csi),
];
const forbiddenNames: { readonly [Name in SourceName]?: string } = {
  gcePersistentDisk: 'gcePersistentDisk',
  cephfs: 'cephFS',
};

function sourceErrors(out: Out, path: string, spec: PersistentVolumeSpec, name: string, inline: boolean): void {
  let given = 0;
  for (const { name: source, pathName, check } of rows) {
    if (!isSet(spec[source])) continue;
    given++;
    if (given > 1 && source !== 'flexVolume') {
      const at = `${path}.${forbiddenNames[source] ?? pathName}`;
      out.push(field.forbidden(at, 'may not specify more than 1 volume type'));
      continue;
    }
    check(out, path, spec);
    if (source === 'iscsi' && sources.isLongIscsiPortal(name, spec.iscsi)) {
      const portal = spec.iscsi?.targetPortal ?? '';
      out.push(field.invalid(`${path}.iscsi.targetportal`, portal, sources.iscsiPortalDetail));
    }
    // The node affinity of an inline spec is rejected, so it counts as absent.
    if (source === 'local' && (inline || !isSet(spec.nodeAffinity))) {
      out.push(field.required(`${path}.nodeAffinity`, 'Local volume requires node affinity'));
    }
  }
  if (given === 0) out.push(field.required(path, 'must specify a volume type'));
}

function capacityErrors(out: Out, path: string, spec: PersistentVolumeSpec): void {
  const at = `${path}.capacity`;
  const entries = sortedEntries(spec.capacity);
  if (entries.length === 0) out.push(field.required(at));
  if (entries.length !== 1 || entries[0]?.[0] !== 'storage') {
    out.push(field.notSupported(at, shownMember(spec, 'capacity'), ['storage']));
  }
  checkEach(out, entries, (out, [name, value]) => {
    const amount = quantityOf(value);
    if (amount.value() < 0) {
      out.push(field.invalid(`${at}[${name}]`, amount.value(), 'must be a valid resource quantity'));
    }
    if (amount.sign <= 0) out.push(field.invalid(`${at}[${name}]`, amount.toString(), 'must be greater than zero'));
  });
}

function inlineErrors(out: Out, path: string, spec: PersistentVolumeSpec): void {
  const inline = 'in the context of inline volumes';
  for (const name of ['claimRef', 'capacity'] as const) {
    if (isSet(spec[name])) out.push(field.forbidden(`${path}.${name}`, `may not be specified ${inline}`));
  }
  if (!isSet(spec.csi)) out.push(field.required(`${path}.csi`, `has to be specified ${inline}`));
}

function nodeAffinityErrors(out: Out, path: string, affinity: VolumeNodeAffinity | undefined): void {
  if (!isSet(affinity)) return;
  const at = `${path}.nodeAffinity.required`;
  if (isSet(affinity.required)) nodeSelectorErrors(out, at, affinity.required);
  else out.push(field.required(at, 'must specify required node constraints'));
}

function classErrors(out: Out, path: string, spec: PersistentVolumeSpec, inline: boolean): void {
  const forbid = (name: string, detail: string) =>
    out.push(field.forbidden(`${path}.${name}`, `${detail} in the context of inline volumes`));
  if ((spec.storageClassName ?? '') !== '') {
    if (inline) forbid('storageClassName', 'may not be specified');
    else optionalName(out, `${path}.storageClassName`, spec.storageClassName, isDNS1123Subdomain);
  }
  choice(out, `${path}.volumeMode`, spec.volumeMode, volumeModes);
  if (inline && isSet(spec.volumeMode) && spec.volumeMode !== 'Filesystem') {
    forbid('volumeMode', 'may not specify volumeMode other than Filesystem');
  }
  if (!isSet(spec.volumeAttributesClassName)) return;
  const at = `${path}.volumeAttributesClassName`;
  const name = spec.volumeAttributesClassName;
  if (name === '') out.push(field.required(at, 'an empty string is disallowed'));
  else invalidEach(out, at, name, isDNS1123Subdomain(name));
  if (!isSet(spec.csi)) {
    out.push(field.required(`${path}.csi`, 'has to be specified when using volumeAttributesClassName'));
  }
}

/** Checks the spec of a volume; `inline` = the spec inside a VolumeAttachment. `name` is that of the volume. */
export function volumeSpecErrors(
  out: Out,
  path: string,
  spec: PersistentVolumeSpec,
  name: string,
  inline: boolean,
): void {
  if (inline) inlineErrors(out, path, spec);
  if ((spec.accessModes ?? []).length === 0) out.push(field.required(`${path}.accessModes`));
  accessModeErrors(out, `${path}.accessModes`, spec.accessModes);
  if (!inline) capacityErrors(out, path, spec);
  const policy = spec.persistentVolumeReclaimPolicy ?? '';
  const policyPath = `${path}.persistentVolumeReclaimPolicy`;
  if (policy !== '' && inline && policy !== 'Retain') {
    out.push(field.forbidden(policyPath, 'may only be Retain in the context of inline volumes'));
  } else if (policy !== '' && !reclaimPolicies.includes(policy)) {
    out.push(field.notSupported(policyPath, policy, reclaimPolicies));
  }
  if (inline && isSet(spec.nodeAffinity)) {
    out.push(field.forbidden(`${path}.nodeAffinity`, 'may not be specified in the context of inline volumes'));
  } else nodeAffinityErrors(out, path, spec.nodeAffinity);
  sourceErrors(out, path, spec, name, inline);
  if (spec.hostPath?.path === '/' && policy === 'Recycle') {
    out.push(field.forbidden(policyPath, "may not be 'recycle' for a hostPath mount of '/'"));
  }
  classErrors(out, path, spec, inline);
}

function mountOptionErrors(out: Out, volume: PersistentVolume): void {
  if (volume.metadata.annotations?.[mountOptions] === undefined) return;
  if (!withoutMountOptions.some((name) => isSet(volume.spec?.[name]))) return;
  const detail = 'may not specify mount options for this volume type';
  out.push(field.forbidden(`metadata.annotations.${mountOptions}`, detail));
}

function volumeErrors(out: Out, volume: PersistentVolume): void {
  volumeSpecErrors(out, 'spec', volume.spec ?? {}, volume.metadata.name ?? '', false);
  mountOptionErrors(out, volume);
}

/** https://kubernetes.io/docs/concepts/storage/persistent-volumes/ */
export const validateVolume = (volume: PersistentVolume): FieldError[] => collect((out) => volumeErrors(out, volume));

const sourceNames = rows.map(({ name }) => name);
const sourceOf = (spec: PersistentVolumeSpec): PersistentVolumeSource =>
  Object.fromEntries(sourceNames.filter((name) => isSet(spec[name])).map((name) => [name, spec[name]]));

/** The source without a newly added controllerExpandSecretRef, because adding it is allowed. */
function mungedSource(source: PersistentVolumeSource, old: PersistentVolumeSource): PersistentVolumeSource {
  if (!isSet(source.csi) || !isSet(old.csi) || isSet(old.csi.controllerExpandSecretRef)) return source;
  const { controllerExpandSecretRef: _, ...rest } = source.csi;
  return { ...source, csi: rest };
}

function shownSource(source: PersistentVolumeSource): unknown {
  // The keys are Go's field names, which have no TypeScript type.
  const printed = record(goValue('core.v1.PersistentVolumeSpec', source));
  const wanted = new Set(sourceNames.map((name) => name.toLowerCase()));
  return Object.fromEntries(Object.entries(printed).filter(([name]) => wanted.has(name.toLowerCase())));
}

export function validateVolumeUpdate(volume: PersistentVolume, stored: PersistentVolume): FieldError[] {
  return collect((out) => {
    const spec = volume.spec ?? {};
    const old = stored.spec ?? {};
    volumeErrors(out, volume);
    const source = mungedSource(sourceOf(spec), sourceOf(old));
    if (!semanticEqual(source, sourceOf(old))) {
      const diff = shownDiff(sourceOf(old), source, shownSource);
      const detail = `spec.persistentvolumesource is immutable after creation\n${diff}`;
      out.push(field.forbidden('spec.persistentvolumesource', detail));
    }
    immutable(out, 'volumeMode', spec.volumeMode, old.volumeMode);
    if (
      isSet(old.nodeAffinity) &&
      !semanticEqual(stableAffinity(spec.nodeAffinity, old.nodeAffinity), spec.nodeAffinity)
    ) {
      const shown = goValue('core.v1.VolumeNodeAffinity', spec.nodeAffinity ?? {});
      const detail = 'field is immutable, except for updating from beta label to GA';
      out.push(field.invalid('nodeAffinity', isSet(spec.nodeAffinity) ? shown : null, detail));
    }
    if (isSet(old.volumeAttributesClassName) && !isSet(spec.volumeAttributesClassName)) {
      const detail = 'update from non-nil value to nil is forbidden';
      out.push(field.forbidden('spec.volumeAttributesClassName', detail));
    }
  });
}
