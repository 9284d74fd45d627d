import type { GroupVersionKind, JsonObject } from '@apichain/meta';

/** Markers in the Go sources of built-in types: kube-openapi's `+union` and `+default`. */
const union = (discriminator: string | undefined, members: Readonly<Record<string, string>>): JsonObject => ({
  ...(discriminator === undefined ? {} : { discriminator }),
  'fields-to-discriminateBy': { ...members },
});
const unions: Readonly<Record<string, () => JsonObject>> = {
  'core.v1.AppArmorProfile': () => union('type', { localhostProfile: 'LocalhostProfile' }),
  'core.v1.PodSchedulingGroup': () => union(undefined, { podGroupName: 'PodGroupName' }),
  'core.v1.SeccompProfile': () => union('type', { localhostProfile: 'LocalhostProfile' }),
  'flowcontrol.apiserver.k8s.io.v1.LimitResponse': () => union('type', { queuing: 'Queuing' }),
  'flowcontrol.apiserver.k8s.io.v1.PriorityLevelConfigurationSpec': () =>
    union('type', { exempt: 'Exempt', limited: 'Limited' }),
  'flowcontrol.apiserver.k8s.io.v1.Subject': () =>
    union('kind', { group: 'Group', serviceAccount: 'ServiceAccount', user: 'User' }),
};
/** x-kubernetes-unions of a type, by its full name. */
export const unionsOf = (name: string): JsonObject[] | undefined => {
  const made = unions[name]?.();
  return made === undefined ? undefined : [made];
};

const falseWhenAbsent: ReadonlySet<string> = new Set([
  'core.v1.AzureDiskVolumeSource.readOnly',
  'core.v1.FileKeySelector.optional',
]);
/** The default that a `+default` marker gives to a pointer field, whose zero value is nil. */
export const markedDefault = (owner: string, field: string): boolean | undefined =>
  falseWhenAbsent.has(`${owner}.${field}`) ? false : undefined;

/**
 * The group-versions of kube-apiserver's scheme that contain the kinds of every group, such as DeleteOptions. Documents of CRDs list only
 * these: those of the scheme's first registration.
 */
const everywhere = `admissionregistration.k8s.io/v1,v1alpha1,v1beta1 apps/v1,v1beta1,v1beta2
  authentication.k8s.io/v1,v1alpha1,v1beta1 authorization.k8s.io/v1,v1beta1 autoscaling/v1,v2 batch/v1,v1beta1
  certificates.k8s.io/v1,v1alpha1,v1beta1 coordination.k8s.io/v1,v1alpha2,v1beta1 discovery.k8s.io/v1,v1beta1
  events.k8s.io/v1,v1beta1 extensions/v1beta1 flowcontrol.apiserver.k8s.io/v1,v1beta1,v1beta2,v1beta3
  internal.apiserver.k8s.io/v1alpha1 networking.k8s.io/v1,v1beta1 node.k8s.io/v1,v1alpha1,v1beta1 policy/v1,v1beta1
  rbac.authorization.k8s.io/v1,v1alpha1,v1beta1 resource.k8s.io/v1,v1alpha3,v1beta1,v1beta2
  scheduling.k8s.io/v1,v1alpha2,v1beta1 storage.k8s.io/v1,v1alpha1,v1beta1 storagemigration.k8s.io/v1beta1`;
const besideThem = `admission.k8s.io/v1,v1beta1 apiextensions.k8s.io/v1,v1beta1 apiregistration.k8s.io/v1,v1beta1
  imagepolicy.k8s.io/v1alpha1`;

/** A kind that exists in every group-version, as listed in documents of CRDs, or of the whole server. */
export function kindEverywhere(kind: string, ofCrds: boolean): GroupVersionKind[] {
  const listed = `${everywhere} ${ofCrds ? '' : besideThem}`.split(/\s+/).filter((entry) => entry !== '');
  const groupVersions = listed.toSorted().flatMap((entry) => {
    const [group = '', versions = ''] = entry.split('/');
    return versions.split(',').map((version) => ({ group, version, kind }));
  });
  return [{ group: '', version: 'v1', kind }, ...groupVersions];
}
