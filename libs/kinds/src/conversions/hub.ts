import { formatGroupVersion, type GroupVersion, type KubeObject } from '@apichain/meta';
import { builtinMapper } from '../builtin-mapper.ts';
import { devicesFromV1, devicesToV1 } from './devices-v1beta1.ts';
import { eventFromCore, eventToCore } from './event.ts';
import { hpaFromV1, hpaToV1 } from './hpa-v1.ts';

type Convert = (object: KubeObject) => KubeObject;

/** Kinds that are stored in a version other than the first stable one. Source: storage factory overrides of kubernetes 1.36. */
const storageOverrides: Readonly<Record<string, GroupVersion>> = {
  'leasecandidates.coordination.k8s.io': { group: 'coordination.k8s.io', version: 'v1beta1' },
  'mutatingadmissionpolicies.admissionregistration.k8s.io': {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
  },
  'mutatingadmissionpolicybindings.admissionregistration.k8s.io': {
    group: 'admissionregistration.k8s.io',
    version: 'v1beta1',
  },
  'clustertrustbundles.certificates.k8s.io': { group: 'certificates.k8s.io', version: 'v1beta1' },
  'podcertificaterequests.certificates.k8s.io': { group: 'certificates.k8s.io', version: 'v1beta1' },
  'devicetaintrules.resource.k8s.io': { group: 'resource.k8s.io', version: 'v1alpha3' },
  'resourcepoolstatusrequests.resource.k8s.io': { group: 'resource.k8s.io', version: 'v1alpha3' },
  'horizontalpodautoscalers.autoscaling': { group: 'autoscaling', version: 'v2' },
  'events.events.k8s.io': { group: '', version: 'v1' },
};

const rank = (version: string): number => (version.includes('alpha') ? 2 : version.includes('beta') ? 1 : 0);

/** The version in which objects of the resource are stored, regardless of the version of the request. */
export function storageVersion(group: string, plural: string): GroupVersion {
  const override = storageOverrides[`${plural}.${group}`];
  if (override !== undefined) return override;
  const versions = builtinMapper.versionsOf({ group, resource: plural });
  const [version] = versions.toSorted((a, b) => rank(a) - rank(b));
  if (version === undefined) throw new Error(`no built-in resource ${plural}.${group}`);
  return { group, version };
}

const kindsOf = (apiVersion: string, converts: Readonly<Record<string, Convert>>): Record<string, Convert> =>
  Object.fromEntries(Object.entries(converts).map(([kind, convert]) => [`${apiVersion} ${kind}`, convert]));

/** Conversions of versions whose objects differ in more than their apiVersion. */
const toHub: Readonly<Record<string, Convert>> = {
  'autoscaling/v1 HorizontalPodAutoscaler': hpaFromV1,
  'events.k8s.io/v1 Event': eventToCore,
  ...kindsOf('resource.k8s.io/v1beta1', devicesToV1),
};
const fromHub: Readonly<Record<string, Convert>> = {
  'autoscaling/v1 HorizontalPodAutoscaler': hpaToV1,
  'events.k8s.io/v1 Event': eventFromCore,
  ...kindsOf('resource.k8s.io/v1beta1', devicesFromV1),
};

function relabel(object: KubeObject, apiVersion: string): KubeObject {
  object.apiVersion = apiVersion;
  return object;
}

/** Converts an object of any served version to its storage version; may modify its argument. */
export function convertToHub(object: KubeObject, hub: GroupVersion): KubeObject {
  const convert = toHub[`${object.apiVersion} ${object.kind}`];
  return convert === undefined ? relabel(object, formatGroupVersion(hub)) : convert(object);
}

/** Converts a stored object to a served version; may modify its argument. */
export function convertFromHub(object: KubeObject, target: GroupVersion): KubeObject {
  const apiVersion = formatGroupVersion(target);
  const convert = fromHub[`${apiVersion} ${object.kind}`];
  return convert === undefined ? relabel(object, apiVersion) : convert(object);
}
