import type { JsonObject } from '@apichain/meta';

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
