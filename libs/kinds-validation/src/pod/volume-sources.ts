import type * as core from '@apichain/api/core/v1';
import { byteLength, field, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { isSet } from '@apichain/kinds';
import { csiDriverName, localPath, noBacksteps } from '../common/formats.ts';
import { quantityOf } from '../common/resources.ts';
import { checkEach, choice, optionalName, type Out, requiredText, sortedEntries } from '../common/rules.ts';

/** Checks a volume source at `path`. A check for pod sources also accepts the corresponding source of persistent volumes. */
export type SourceCheck<Source> = (out: Out, path: string, source: Source) => void;

const highestMode = 0o777;
const modeDetail = 'must be a number between 0 and 0777 (octal), both inclusive';

/** Checks file permissions. */
export function fileMode(out: Out, path: string, value: number | undefined): void {
  if (isSet(value) && (value < 0 || value > highestMode)) {
    out.push(field.invalid(path, value, modeDetail));
  }
}

/** Checks the mapping of keys to files. */
export function keyToPathErrors(out: Out, path: string, items: readonly core.KeyToPath[] | undefined): void {
  checkEach(out, items ?? [], (out, item, i) => {
    const at = `${path}[${i}]`;
    requiredText(out, `${at}.key`, item.key);
    requiredText(out, `${at}.path`, item.path);
    localPath(out, `${at}.path`, item.path ?? '');
    fileMode(out, `${at}.mode`, item.mode);
  });
}

const partition: SourceCheck<core.GCEPersistentDiskVolumeSource | core.AWSElasticBlockStoreVolumeSource> = (
  out,
  path,
  source,
) => {
  const value = source.partition ?? 0;
  if (value < 0 || value > 255) {
    out.push(field.invalid(`${path}.partition`, value, 'must be between 1 and 255, inclusive'));
  }
};

const lunRange = (out: Out, path: string, lun: number): void => {
  if (lun < 0 || lun > 255) {
    out.push(field.invalid(`${path}.lun`, lun, 'must be between 0 and 255, inclusive'));
  }
};

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

export const hostPath: SourceCheck<core.HostPathVolumeSource> = (out, path, source) => {
  const file = source.path ?? '';
  if (file === '') {
    out.push(field.required(`${path}.path`));
    return;
  }
  noBacksteps(out, `${path}.path`, file);
  choice(out, `${path}.type`, source.type, hostPathTypes);
};

export const nfs: SourceCheck<core.NFSVolumeSource> = (out, path, source) => {
  const directory = source.path ?? '';
  requiredText(out, `${path}.server`, source.server);
  requiredText(out, `${path}.path`, directory);
  if (!directory.startsWith('/')) {
    out.push(field.invalid(`${path}.path`, directory, 'must be an absolute path'));
  }
};

/**
 * Whether the name ends in a qualified name such as `iqn.2001-04.com.example:disk`. Equivalent to
 * /iqn\.\d{4}-\d{2}\.([A-Za-z0-9\-.]+)(:[^,;*&$|\s]+)$/, but in linear time: the naming authority ends at a colon, and each colon is examined once.
 */
function endsInQualifiedName(name: string): boolean {
  const forbidden = /[,;*&$|\s]/;
  let tail = name.length;
  while (tail > 0 && !forbidden.test(name[tail - 1] ?? '')) tail--;
  let colon = name.indexOf(':', Math.max(0, tail - 1));
  for (; colon >= 0 && colon < name.length - 1; colon = name.indexOf(':', colon + 1)) {
    const start = name.lastIndexOf(':', colon - 1) + 1;
    let from = colon;
    while (from > start && /[A-Za-z0-9\-.]/.test(name[from - 1] ?? '')) from--;
    if (/iqn\.\d{4}-\d{2}\.[A-Za-z0-9\-.]/.test(name.slice(from, colon))) return true;
  }
  return false;
}

const iscsiForms: readonly [prefix: string, matches: (name: string) => boolean][] = [
  ['iqn', endsInQualifiedName],
  ['eui', (name) => /^eui.[A-Za-z0-9]{16}$/.test(name)],
  ['naa', (name) => /^naa.[A-Za-z0-9]{32}$/.test(name)],
];

function iscsiName(out: Out, path: string, name: string, badPrefix: string): void {
  const form = iscsiForms.find(([prefix]) => name.startsWith(prefix));
  if (form === undefined) out.push(field.invalid(path, name, badPrefix));
  else if (!form[1](name)) out.push(field.invalid(path, name, 'must be valid format'));
}

/** Checks an iSCSI source, in pods and persistent volumes. The error for a wrong prefix differs, and only persistent volumes check the secret. */
export function iscsi<Source extends core.ISCSIVolumeSource>(
  badPrefix: string,
  secret?: SourceCheck<Source>,
): SourceCheck<Source> {
  return (out, path, source) => {
    requiredText(out, `${path}.targetPortal`, source.targetPortal);
    const iqn = source.iqn ?? '';
    if (iqn === '') out.push(field.required(`${path}.iqn`));
    else iscsiName(out, `${path}.iqn`, iqn, badPrefix);
    lunRange(out, path, source.lun ?? 0);
    const chap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
    if (chap && !isSet(source.secretRef)) out.push(field.required(`${path}.secretRef`));
    secret?.(out, path, source);
    if (isSet(source.initiatorName)) {
      iscsiName(out, `${path}.initiatorname`, source.initiatorName, badPrefix);
    }
  };
}

export const iscsiPortalDetail =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';
/** Whether the volume name and the portal together are too long. */
export const isLongIscsiPortal = (name: string, source: core.ISCSIVolumeSource | undefined): boolean =>
  isSet(source?.initiatorName) && byteLength(`${name}:${source?.targetPortal ?? ''}`) > 64;

export const gcePersistentDisk: SourceCheck<core.GCEPersistentDiskVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.pdName`, source.pdName);
  partition(out, path, source);
};

export const awsElasticBlockStore: SourceCheck<core.AWSElasticBlockStoreVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.volumeID`, source.volumeID);
  partition(out, path, source);
};

export const glusterfs: SourceCheck<core.GlusterfsVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.endpoints`, source.endpoints);
  requiredText(out, `${path}.path`, source.path);
};

export const flocker: SourceCheck<core.FlockerVolumeSource> = (out, path, source) => {
  const name = source.datasetName ?? '';
  const uuid = source.datasetUUID ?? '';
  if (name === '' && uuid === '') out.push(field.required(path, 'one of datasetName and datasetUUID is required'));
  if (name !== '' && uuid !== '') {
    out.push(field.invalid(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  }
  if (name.includes('/')) out.push(field.invalid(`${path}.datasetName`, name, "must not contain '/'"));
};

const monitors: SourceCheck<core.RBDVolumeSource | core.CephFSVolumeSource> = (out, path, source) => {
  if ((source.monitors ?? []).length === 0) out.push(field.required(`${path}.monitors`));
};

export const cephfs: SourceCheck<core.CephFSVolumeSource> = monitors;

export const rbd: SourceCheck<core.RBDVolumeSource> = (out, path, source) => {
  monitors(out, path, source);
  requiredText(out, `${path}.image`, source.image);
};

const hostPortPairs = 'must be a host:port pair or multiple pairs separated by commas';
const isHostPort = (pair: string): boolean => {
  const colon = pair.lastIndexOf(':');
  return colon >= 0 && (pair.startsWith('[') ? pair.charAt(colon - 1) === ']' : pair.indexOf(':') === colon);
};

export const quobyte: SourceCheck<core.QuobyteVolumeSource> = (out, path, source) => {
  const registry = source.registry ?? '';
  if (registry === '') out.push(field.required(`${path}.registry`, hostPortPairs));
  else if (byteLength(source.tenant ?? '') >= 65) {
    out.push(field.required(`${path}.tenant`, 'must be a UUID and may not exceed a length of 64 characters'));
  } else {
    checkEach(out, registry.split(','), (out, pair) => {
      if (!isHostPort(pair)) out.push(field.invalid(`${path}.registry`, pair, hostPortPairs));
    });
  }
  requiredText(out, `${path}.volume`, source.volume);
};

export const fc: SourceCheck<core.FCVolumeSource> = (out, path, source) => {
  const targets = source.targetWWNs ?? [];
  const ids = source.wwids ?? [];
  const at = `${path}.targetWWNs`;
  if (targets.length === 0 && ids.length === 0) {
    out.push(field.required(at, 'must specify either targetWWNs or wwids, but not both'));
  }
  if (targets.length > 0 && ids.length > 0) {
    out.push(field.invalid(at, targets, 'targetWWNs and wwids can not be specified simultaneously'));
  }
  if (targets.length === 0) return;
  if (!isSet(source.lun)) out.push(field.required(`${path}.lun`, 'lun is required if targetWWNs is specified'));
  else lunRange(out, path, source.lun);
};

export const flexVolume: SourceCheck<core.FlexVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.driver`, source.driver);
  checkEach(out, sortedEntries(source.options), (out, [name]) => {
    const namespace = (name.split('/')[0] ?? '').toLowerCase();
    if (/(^|\.)(kubernetes|k8s)\.io$/.test(namespace)) {
      const detail = 'kubernetes.io and k8s.io namespaces are reserved';
      out.push(field.invalid(`${path}.options[${name}]`, name, detail));
    }
  });
};

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

export const azureFile: SourceCheck<core.AzureFileVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.secretName`, source.secretName);
  requiredText(out, `${path}.shareName`, source.shareName);
};

export const azureDisk: SourceCheck<core.AzureDiskVolumeSource> = (out, path, source) => {
  const uri = source.diskURI ?? '';
  requiredText(out, `${path}.diskName`, source.diskName);
  requiredText(out, `${path}.diskURI`, uri);
  choice(out, `${path}.cachingMode`, source.cachingMode, ['None', 'ReadOnly', 'ReadWrite']);
  choice(out, `${path}.kind`, source.kind, ['Dedicated', 'Managed', 'Shared']);
  if (source.kind === 'Managed') {
    if (!uri.startsWith('/subscriptions/')) out.push(field.notSupported(`${path}.diskURI`, uri, [managedDisk]));
  } else if (!uri.startsWith('https://')) out.push(field.notSupported(`${path}.diskURI`, uri, [blobDisk]));
};

/** References to secrets in storage specs need a name, and in persistent volumes a namespace. */
export function secretReference(
  out: Out,
  path: string,
  ref: core.SecretReference | undefined,
  ...names: readonly (keyof core.SecretReference & string)[]
): void {
  if (isSet(ref)) for (const name of names) requiredText(out, `${path}.${name}`, ref[name]);
}

export const vsphereVolume: SourceCheck<core.VsphereVirtualDiskVolumeSource> = (out, path, source) =>
  requiredText(out, `${path}.volumePath`, source.volumePath);

export const photonPersistentDisk: SourceCheck<core.PhotonPersistentDiskVolumeSource> = (out, path, source) =>
  requiredText(out, `${path}.pdID`, source.pdID);

export const portworxVolume: SourceCheck<core.PortworxVolumeSource> = (out, path, source) =>
  requiredText(out, `${path}.volumeID`, source.volumeID);

export const scaleIO: SourceCheck<core.ScaleIOVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.gateway`, source.gateway);
  requiredText(out, `${path}.system`, source.system);
  requiredText(out, `${path}.volumeName`, source.volumeName);
};

export const cinder: SourceCheck<core.CinderVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.volumeID`, source.volumeID);
  secretReference(out, `${path}.secretRef`, source.secretRef, 'name');
};

export const storageos: SourceCheck<core.StorageOSVolumeSource> = (out, path, source) => {
  if ((source.volumeName ?? '') === '') out.push(field.required(`${path}.volumeName`));
  else optionalName(out, `${path}.volumeName`, source.volumeName, isDNS1123Label);
  optionalName(out, `${path}.volumeNamespace`, source.volumeNamespace, isDNS1123Label);
  secretReference(out, `${path}.secretRef`, source.secretRef, 'name');
};

export const emptyDir: SourceCheck<core.EmptyDirVolumeSource> = (out, path, source) => {
  if (isSet(source.sizeLimit) && quantityOf(source.sizeLimit).sign < 0) {
    out.push(field.forbidden(`${path}.sizeLimit`, 'SizeLimit field must be a valid resource quantity'));
  }
};

export const gitRepo: SourceCheck<core.GitRepoVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.repository`, source.repository);
  const directory = source.directory ?? '';
  if (directory.startsWith('/')) {
    out.push(field.invalid(`${path}.directory`, directory, 'must be a relative path'));
  }
  noBacksteps(out, `${path}.directory`, directory);
};

/** Checks the keys of a secret or config map that become files. */
const keysAsFiles: SourceCheck<core.SecretVolumeSource | core.ConfigMapVolumeSource> = (out, path, source) => {
  fileMode(out, `${path}.defaultMode`, source.defaultMode);
  keyToPathErrors(out, `${path}.items`, source.items);
};

export const secret: SourceCheck<core.SecretVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.secretName`, source.secretName);
  keysAsFiles(out, path, source);
};

export const configMap: SourceCheck<core.ConfigMapVolumeSource> = (out, path, source) => {
  requiredText(out, `${path}.name`, source.name);
  keysAsFiles(out, path, source);
};

export const csi: SourceCheck<core.CSIVolumeSource> = (out, path, source) => {
  csiDriverName(out, `${path}.driver`, source.driver);
  if (!isSet(source.nodePublishSecretRef)) return;
  const name = source.nodePublishSecretRef.name ?? '';
  if (name === '') out.push(field.required(`${path}.nodePublishSecretRef.name`));
  else optionalName(out, `${path}.name`, name, isDNS1123Subdomain);
};
