import { field, isDNS1123Label, isDNS1123Subdomain } from '@apichain/meta';
import { goQuote } from '@apichain/go-text';
import { isSet, type Plain, record, records, text } from '@apichain/kinds';
import { templateMetadataErrors } from '../common/metadata.ts';
import { checkEach, collect, type Out, requiredChoice, requiredText } from '../common/rules.ts';
import { claimSpecErrors } from '../storage/claim-spec.ts';
import type { PodContext } from './context.ts';
import { downwardApiErrors, projectedErrors } from './projected.ts';
import * as sources from './volume-sources.ts';

type VolumeCheck = (out: Out, path: string, source: Plain, volume: Plain, context: PodContext) => void;

const badIscsiPrefix = 'must be valid format starting with iqn, eui, or naa';

function ephemeralErrors(out: Out, path: string, source: Plain): void {
  const at = `${path}.volumeClaimTemplate`;
  if (!isSet(source.volumeClaimTemplate)) {
    out.push(field.required(at));
    return;
  }
  const template = record(source.volumeClaimTemplate);
  templateMetadataErrors(out, `${at}.metadata`, template.metadata);
  claimSpecErrors(out, `${at}.spec`, record(template.spec));
}

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];

const storage = (name: string): VolumeCheck => sources.storageChecks[name] ?? (() => undefined);

/** Field, path and check of each source, in the order the API server looks. The second name is that of the error's path. */
const checks: readonly (readonly [field: string, path: string, check: VolumeCheck])[] = [
  ['emptyDir', 'emptyDir', sources.emptyDir],
  ['hostPath', 'hostPath', storage('hostPath')],
  ['gitRepo', 'gitRepo', sources.gitRepo],
  ['gcePersistentDisk', 'persistentDisk', storage('gcePersistentDisk')],
  ['awsElasticBlockStore', 'awsElasticBlockStore', storage('awsElasticBlockStore')],
  ['secret', 'secret', sources.keysAsFiles('secretName')],
  ['nfs', 'nfs', storage('nfs')],
  ['iscsi', 'iscsi', sources.iscsi(badIscsiPrefix)],
  ['glusterfs', 'glusterfs', storage('glusterfs')],
  ['flocker', 'flocker', storage('flocker')],
  [
    'persistentVolumeClaim',
    'persistentVolumeClaim',
    (out, path, source) => requiredText(out, `${path}.claimName`, source.claimName),
  ],
  ['rbd', 'rbd', storage('rbd')],
  ['cinder', 'cinder', storage('cinder')],
  ['cephfs', 'cephfs', storage('cephfs')],
  ['quobyte', 'quobyte', storage('quobyte')],
  ['downwardAPI', 'downwardAPI', downwardApiErrors],
  ['fc', 'fc', storage('fc')],
  ['flexVolume', 'flexVolume', storage('flexVolume')],
  ['configMap', 'configMap', sources.keysAsFiles('name')],
  ['azureFile', 'azureFile', storage('azureFile')],
  ['vsphereVolume', 'vsphereVolume', storage('vsphereVolume')],
  ['photonPersistentDisk', 'photonPersistentDisk', storage('photonPersistentDisk')],
  ['portworxVolume', 'portworxVolume', storage('portworxVolume')],
  ['azureDisk', 'azureDisk', storage('azureDisk')],
  ['storageos', 'storageos', storage('storageos')],
  ['projected', 'projected', projectedErrors],
  ['scaleIO', 'scaleIO', storage('scaleIO')],
  ['csi', 'csi', sources.csi],
  ['ephemeral', 'ephemeral', ephemeralErrors],
  [
    'image',
    'image',
    (out, path, source, _volume, context) => {
      if (context.isPod) requiredText(out, `${path}.reference`, source.reference);
      requiredChoice(out, `${path}.pullPolicy`, source.pullPolicy, pullPolicies);
    },
  ],
];

/** Fields whose second-source error stands under another name than their checks. */
const forbiddenNames: Readonly<Record<string, string>> = {
  gcePersistentDisk: 'gcePersistentDisk',
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};

function sourceErrors(out: Out, path: string, volume: Plain, context: PodContext): void {
  let given = 0;
  for (const [name, pathName, check] of checks) {
    if (!isSet(volume[name])) continue;
    given++;
    if (given > 1) {
      const at = `${path}.${forbiddenNames[name] ?? pathName}`;
      out.push(field.forbidden(at, 'may not specify more than 1 volume type'));
    } else check(out, `${path}.${pathName}`, record(volume[name]), volume, context);
    if (name === 'iscsi' && sources.isLongIscsiPortal(text(volume.name), volume.iscsi)) {
      out.push(field.invalid(`${path}.name`, text(volume.name), sources.iscsiPortalDetail));
    }
    if (name === 'ephemeral') ephemeralNameErrors(out, path, volume, context);
  }
  if (given === 0) out.push(field.required(path, 'must specify a volume type'));
}

/** The claim of an ephemeral volume is named after pod and volume. */
function ephemeralNameErrors(out: Out, path: string, volume: Plain, context: PodContext): void {
  const name = text(volume.name);
  if (context.podName === '' || name === '') return;
  const claim = `${context.podName}-${name}`;
  checkEach(out, isDNS1123Subdomain(claim), (out, message) => {
    out.push(field.invalid(`${path}.name`, name, `PVC name ${goQuote(claim)}: ${message}`));
  });
}

function createdClaims(context: PodContext): Set<string> {
  if (context.podName === '') return new Set();
  const ephemeral = records(context.spec.volumes).filter((volume) => isSet(volume.ephemeral));
  return new Set(ephemeral.map((volume) => `${context.podName}-${text(volume.name)}`));
}

/** The volumes of a pod; the faultless ones are remembered for the containers' mounts. */
export function volumeErrors(out: Out, context: PodContext): void {
  const volumes = records(context.spec.volumes);
  if (volumes.length === 0) return;
  const created = createdClaims(context);
  checkEach(out, volumes, (out, volume, i) => {
    const path = `${context.path}.volumes[${i}]`;
    const before = out.length;
    const name = text(volume.name);
    // Complete when it returns, because a volume is remembered only without an error.
    out.push(...collect((found) => sourceErrors(found, path, volume, context)));
    if (name === '') out.push(field.required(`${path}.name`));
    else for (const message of isDNS1123Label(name)) out.push(field.invalid(`${path}.name`, name, message));
    if (context.volumes.has(name)) out.push(field.duplicate(`${path}.name`, name));
    if (out.length === before) context.volumes.set(name, volume);
    const claimName = text(record(volume.persistentVolumeClaim).claimName);
    if (isSet(volume.persistentVolumeClaim) && created.has(claimName)) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      out.push(field.invalid(`${path}.persistentVolumeClaim.claimName`, claimName, detail));
    }
  });
}
