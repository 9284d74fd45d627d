import type { EphemeralVolumeSource, PodSpec, Volume, VolumeSource } from '@apichain/api/core/v1';
import { field, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { isSet } from '@apichain/kinds';
import { templateMetadataErrors } from '../common/metadata.ts';
import { checkEach, collect, type Out, requiredChoice, requiredText } from '../common/rules.ts';
import { claimSpecErrors } from '../storage/claim-spec.ts';
import type { PodContext } from './context.ts';
import { downwardApiErrors, projectedErrors } from './projected.ts';
import * as sources from './volume-sources.ts';

const badIscsiPrefix = 'must be valid format starting with iqn, eui, or naa';

function ephemeralErrors(out: Out, path: string, source: EphemeralVolumeSource): void {
  const at = `${path}.volumeClaimTemplate`;
  if (!isSet(source.volumeClaimTemplate)) {
    out.push(field.required(at));
    return;
  }
  const template = source.volumeClaimTemplate;
  templateMetadataErrors(out, `${at}.metadata`, template.metadata);
  claimSpecErrors(out, `${at}.spec`, template.spec ?? {});
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

type SourceName = keyof VolumeSource & string;
type VolumeCheck<Source> = (out: Out, path: string, source: Source, context: PodContext) => void;

interface SourceRow {
  /** The field of the volume. */
  readonly name: SourceName;
  /** The name of the source in the paths of its errors. */
  readonly pathName: string;
  /** Checks the source of the volume at `path`, if it has this one. */
  readonly check: (out: Out, path: string, volume: Volume, context: PodContext) => void;
}

function row<Name extends SourceName>(
  name: Name,
  check: VolumeCheck<NonNullable<VolumeSource[Name]>>,
  pathName: string = name,
): SourceRow {
  const checkOf: SourceRow['check'] = (out, path, volume, context) => {
    const source: VolumeSource[Name] = volume[name];
    if (isSet(source)) check(out, `${path}.${pathName}`, source, context);
  };
  return { name, pathName, check: checkOf };
}

/** The sources, in the order of the API server. */
const rows: readonly SourceRow[] = [
  row('emptyDir', sources.emptyDir),
  row('hostPath', sources.hostPath),
  row('gitRepo', sources.gitRepo),
  row('gcePersistentDisk', sources.gcePersistentDisk, 'persistentDisk'),
  row('awsElasticBlockStore', sources.awsElasticBlockStore),
  row('secret', sources.secret),
  row('nfs', sources.nfs),
  row('iscsi', sources.iscsi(badIscsiPrefix)),
  row('glusterfs', sources.glusterfs),
  row('flocker', sources.flocker),
  row('persistentVolumeClaim', (out, path, source) => requiredText(out, `${path}.claimName`, source.claimName)),
  row('rbd', sources.rbd),
  row('cinder', sources.cinder),
  row('cephfs', sources.cephfs),
  row('quobyte', sources.quobyte),
  row('downwardAPI', downwardApiErrors),
  row('fc', sources.fc),
  row('flexVolume', sources.flexVolume),
  row('configMap', sources.configMap),
  row('azureFile', sources.azureFile),
  row('vsphereVolume', sources.vsphereVolume),
  row('photonPersistentDisk', sources.photonPersistentDisk),
  row('portworxVolume', sources.portworxVolume),
  row('azureDisk', sources.azureDisk),
  row('storageos', sources.storageos),
  row('projected', projectedErrors),
  row('scaleIO', sources.scaleIO),
  row('csi', sources.csi),
  row('ephemeral', ephemeralErrors),
  row('image', (out, path, source, context) => {
    if (context.isPod) requiredText(out, `${path}.reference`, source.reference);
    requiredChoice(out, `${path}.pullPolicy`, source.pullPolicy, pullPolicies);
  }),
];

/** Fields whose error for a second source has a different path than their other errors. */
const forbiddenNames: { readonly [Name in SourceName]?: string } = {
  gcePersistentDisk: 'gcePersistentDisk',
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};

function sourceErrors(out: Out, path: string, volume: Volume, context: PodContext): void {
  let given = 0;
  for (const { name, pathName, check } of rows) {
    if (!isSet(volume[name])) continue;
    given++;
    if (given > 1) {
      const at = `${path}.${forbiddenNames[name] ?? pathName}`;
      out.push(field.forbidden(at, 'may not specify more than 1 volume type'));
    } else check(out, path, volume, context);
    if (name === 'iscsi' && sources.isLongIscsiPortal(volume.name ?? '', volume.iscsi)) {
      out.push(field.invalid(`${path}.name`, volume.name ?? '', sources.iscsiPortalDetail));
    }
    if (name === 'ephemeral') ephemeralNameErrors(out, path, volume, context);
  }
  if (given === 0) out.push(field.required(path, 'must specify a volume type'));
}

/** The claim of an ephemeral volume is named after the pod and the volume. */
function ephemeralNameErrors(out: Out, path: string, volume: Volume, context: PodContext): void {
  const name = volume.name ?? '';
  if (context.podName === '' || name === '') return;
  const claim = `${context.podName}-${name}`;
  checkEach(out, isDNS1123Subdomain(claim), (out, message) => {
    out.push(field.invalid(`${path}.name`, name, `PVC name ${goQuote(claim)}: ${message}`));
  });
}

function createdClaims(context: PodContext): Set<string> {
  if (context.podName === '') return new Set();
  const spec: PodSpec = context.spec;
  const ephemeral = (spec.volumes ?? []).filter((volume) => isSet(volume.ephemeral));
  return new Set(ephemeral.map((volume) => `${context.podName}-${volume.name ?? ''}`));
}

/** Checks the volumes of a pod; valid volumes are recorded for the checks of mounts. */
export function volumeErrors(out: Out, context: PodContext): void {
  const spec: PodSpec = context.spec;
  const volumes = spec.volumes ?? [];
  if (volumes.length === 0) return;
  const created = createdClaims(context);
  checkEach(out, volumes, (out, volume, i) => {
    const path = `${context.path}.volumes[${i}]`;
    const before = out.length;
    const name = volume.name ?? '';
    // `collect` completes the checks here, because only a volume without errors is recorded.
    out.push(...collect((found) => sourceErrors(found, path, volume, context)));
    if (name === '') out.push(field.required(`${path}.name`));
    else for (const message of isDNS1123Label(name)) out.push(field.invalid(`${path}.name`, name, message));
    if (context.volumes.has(name)) out.push(field.duplicate(`${path}.name`, name));
    if (out.length === before) context.volumes.set(name, volume);
    const claimName = volume.persistentVolumeClaim?.claimName ?? '';
    if (isSet(volume.persistentVolumeClaim) && created.has(claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      out.push(field.invalid(`${path}.persistentVolumeClaim.claimName`, claimName, detail));
    }
  });
}
