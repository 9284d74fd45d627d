import { formatGroupVersion, type GroupVersionKind, lookupTable } from '@apichain/meta';

/** The minor version of Kubernetes 1 in which a version, or a kind of it, is deprecated. Source: the lifecycle of types in k8s.io/api. */
const deprecatedIn: Readonly<Record<string, number>> = lookupTable({
  'admissionregistration.k8s.io/v1alpha1': 35,
  'certificates.k8s.io/v1alpha1': 34,
  'coordination.k8s.io/v1alpha2': 35,
  'coordination.k8s.io/v1beta1': 36,
  'networking.k8s.io/v1beta1': 34,
  'resource.k8s.io/v1alpha3 DeviceTaintRule': 36,
  'resource.k8s.io/v1beta1': 35,
  'resource.k8s.io/v1beta2 DeviceClass': 36,
  'resource.k8s.io/v1beta2 ResourceClaim': 36,
  'resource.k8s.io/v1beta2 ResourceClaimTemplate': 36,
  'resource.k8s.io/v1beta2 ResourceSlice': 36,
  'storage.k8s.io/v1beta1': 34,
});
/** The number of minor versions between deprecation and removal. */
const servedFor = 3;
const replacements: Readonly<Record<string, string>> = lookupTable({
  'storage.k8s.io/v1beta1 VolumeAttributesClass': 'storage.k8s.io/v1 VolumeAttributesClass',
});

/** The warning in responses for a kind in a deprecated version; undefined for versions that are not deprecated. */
export function deprecationWarning(kind: GroupVersionKind): string | undefined {
  const version = formatGroupVersion(kind);
  const name = `${version} ${kind.kind}`;
  if (name === 'v1 Endpoints') return `${name} is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice`;
  const minor = deprecatedIn[version] ?? deprecatedIn[name];
  if (minor === undefined) return undefined;
  const use = replacements[name];
  const instead = use === undefined ? '' : `; use ${use}`;
  return `${name} is deprecated in v1.${minor}+, unavailable in v1.${minor + servedFor}+${instead}`;
}
