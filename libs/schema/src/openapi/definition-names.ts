import { lookupTable } from '@apichain/meta';
import type { GroupVersionKind } from '@apichain/meta';

const machinery: Readonly<Record<string, string>> = lookupTable({
  'meta.v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'meta.v1beta1': 'io.k8s.apimachinery.pkg.apis.meta.v1beta1',
  resource: 'io.k8s.apimachinery.pkg.api.resource',
  intstr: 'io.k8s.apimachinery.pkg.util.intstr',
  runtime: 'io.k8s.apimachinery.pkg.runtime',
  version: 'io.k8s.apimachinery.pkg.version',
  'apiextensions.k8s.io.v1': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'apiregistration.k8s.io.v1': 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
});

/**
 * The published name of a built-in type: `core.v1.PodSpec` is `io.k8s.api.core.v1.PodSpec`. The Go package of a group is the group's first
 * label, except where Kubernetes uses another name.
 */
export function definitionName(typeName: string): string {
  const dot = typeName.lastIndexOf('.');
  const groupVersion = typeName.slice(0, dot);
  const name = typeName.slice(dot + 1);
  const known = machinery[groupVersion];
  if (known !== undefined) return `${known}.${name}`;
  const versionAt = groupVersion.lastIndexOf('.');
  const group = groupVersion.slice(0, versionAt);
  const version = groupVersion.slice(versionAt + 1);
  const goPackage = group === 'internal.apiserver.k8s.io' ? 'apiserverinternal' : group.split('.')[0];
  return `io.k8s.api.${goPackage ?? ''}.${version}.${name}`;
}

/** The published name of a custom kind: the group's labels in reverse order, the version, and the kind. */
export const customDefinitionName = ({ group, version, kind }: GroupVersionKind): string =>
  [...group.split('.').reverse(), version, kind].join('.');

/** The word with its first letter in upper case. */
export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

function groupLabels(group: string): string[] {
  if (group === '') return ['core'];
  return group
    .replace(/\.k8s\.io$/, '')
    .split(/[.-]/)
    .filter((label) => label !== '');
}

/** The part of an operationId for the group-version: `CoreV1`, `RbacAuthorizationV1`. */
export const operationGroupVersion = (group: string, version: string): string =>
  [...groupLabels(group), version].map(capitalized).join('');

/** The tag of a group-version: `core_v1`, `rbacAuthorization_v1`. */
export function groupVersionTag(group: string, version: string): string {
  const [first = '', ...rest] = groupLabels(group);
  return `${[first, ...rest.map(capitalized)].join('')}_${version}`;
}
