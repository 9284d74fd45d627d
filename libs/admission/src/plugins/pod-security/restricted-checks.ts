import type { Volume } from '@apichain/api/core/v1';
import { isSet } from '@apichain/meta';
import { addedCapabilities, procMount, validSeccomp } from './baseline-checks.ts';
import {
  containersText,
  containersWhere,
  plural,
  quoted,
  securityContext,
  settersText,
  unlessUserNamespace,
  unlessWindows,
  type Check,
  type CheckPod,
  type SecuredPart,
} from './check.ts';

const allowPrivilegeEscalation: CheckPod = ({ spec }) => {
  const containers = containersWhere(
    spec,
    (container) => securityContext(container).allowPrivilegeEscalation !== false,
  );
  if (containers.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(containers)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

const addable = new Set(['NET_BIND_SERVICE']);
const capabilities: CheckPod = ({ spec }) => {
  const keeping = containersWhere(
    spec,
    (container) => !(securityContext(container).capabilities?.drop ?? []).includes('ALL'),
  );
  const details = [
    keeping.length === 0 ? undefined : `${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`,
    addedCapabilities(spec, addable),
  ].filter((detail) => detail !== undefined);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

const allowedVolumes: readonly (keyof Volume & string)[] = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];
const forbiddenVolumes: readonly (keyof Volume & string)[] = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];
const restrictedVolumes: CheckPod = ({ spec }) => {
  const bad = (spec.volumes ?? []).filter((volume) => !allowedVolumes.some((type) => isSet(volume[type])));
  if (bad.length === 0) return undefined;
  const typeOf = (volume: Volume) => forbiddenVolumes.find((type) => isSet(volume[type])) ?? 'unknown';
  const types = [...new Set(bad.map(typeOf))].toSorted();
  const volumes = `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(({ name }) => name ?? ''))}`;
  const what = plural('restricted volume type', 'restricted volume types', types.length);
  return {
    reason: 'restricted volume types',
    detail: `${volumes} ${plural('uses', 'use', bad.length)} ${what} ${quoted(types)}`,
  };
};

const runAsNonRoot: CheckPod = ({ spec }) => {
  const ofPod = securityContext(spec).runAsNonRoot;
  const reason = 'runAsNonRoot != true';
  const explicit = containersWhere(spec, (container) => securityContext(container).runAsNonRoot === false);
  const setters = settersText(ofPod === false, explicit);
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const implicit = containersWhere(spec, (container) => !isSet(securityContext(container).runAsNonRoot));
  if (implicit.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(implicit)} must set securityContext.runAsNonRoot=true` };
};

const runAsUser: CheckPod = ({ spec }) => {
  const isRoot = (part: SecuredPart) => securityContext(part).runAsUser === 0;
  const setters = settersText(isRoot(spec), containersWhere(spec, isRoot));
  return setters === '' ? undefined : { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

const seccompProfile: CheckPod = ({ spec }) => {
  const reason = 'seccompProfile';
  const types = new Set<string>();
  const isBad = (part: SecuredPart) => {
    const profile = securityContext(part).seccompProfile;
    if (!isSet(profile) || validSeccomp(profile)) return false;
    types.add(profile.type ?? '');
    return true;
  };
  const setters = settersText(isBad(spec), containersWhere(spec, isBad));
  if (setters !== '') {
    const values = quoted([...types].toSorted());
    return { reason, detail: `${setters} must not set securityContext.seccompProfile.type to ${values}` };
  }
  if (isSet(securityContext(spec).seccompProfile)) return undefined;
  const implicit = containersWhere(spec, (container) => !isSet(securityContext(container).seccompProfile));
  if (implicit.length === 0) return undefined;
  const detail = `pod or ${containersText(implicit)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`;
  return { reason, detail };
};

/** The checks that the restricted standard adds to the baseline. */
export const restrictedChecks: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    level: 'restricted',
    versions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: unlessWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: 'capabilities_restricted',
    level: 'restricted',
    versions: [
      { since: 22, check: capabilities, overrides: ['capabilities_baseline'] },
      { since: 25, check: unlessWindows(capabilities), overrides: ['capabilities_baseline'] },
    ],
  },
  {
    id: 'procMount_restricted',
    level: 'restricted',
    versions: [{ since: 35, check: procMount, overrides: ['procMount'] }],
  },
  {
    id: 'restrictedVolumes',
    level: 'restricted',
    versions: [{ since: 0, check: restrictedVolumes, overrides: ['hostPathVolumes'] }],
  },
  {
    id: 'runAsNonRoot',
    level: 'restricted',
    versions: [
      { since: 0, check: runAsNonRoot },
      { since: 35, check: unlessUserNamespace(runAsNonRoot) },
    ],
  },
  {
    id: 'runAsUser',
    level: 'restricted',
    versions: [
      { since: 23, check: runAsUser },
      { since: 35, check: unlessUserNamespace(runAsUser) },
    ],
  },
  {
    id: 'seccompProfile_restricted',
    level: 'restricted',
    versions: [
      { since: 19, check: seccompProfile, overrides: ['seccompProfile_baseline'] },
      { since: 25, check: unlessWindows(seccompProfile), overrides: ['seccompProfile_baseline'] },
    ],
  },
];
