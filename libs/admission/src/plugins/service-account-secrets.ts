import type { Container, PodSpec, ServiceAccount } from '@apichain/api/core/v1';
import { isSet } from '@apichain/meta';
import { containersOf, initContainersOf } from '../pod-fields.ts';

const namesOf = (references: readonly { readonly name?: string }[] | undefined): Set<string> =>
  new Set((references ?? []).map(({ name }) => name ?? ''));

/** The problem with the first secret reference of the containers that is not allowed, as a sentence; undefined = all are allowed. */
function referenceProblem(
  sort: string,
  containers: readonly Container[],
  mountable: ReadonlySet<string>,
  account: string,
): string | undefined {
  for (const container of containers) {
    const name = container.name ?? '';
    const refused = (how: string, secret: string) =>
      `${sort} ${name} with ${how} referencing secret.secretName="${secret}" is not allowed because service account ${account} does not reference that secret`;
    for (const { name: variable, valueFrom } of container.env ?? []) {
      const { secretKeyRef } = valueFrom ?? {};
      const secret = secretKeyRef?.name ?? '';
      if (isSet(secretKeyRef) && !mountable.has(secret)) return refused(`envVar ${variable ?? ''}`, secret);
    }
    for (const { secretRef } of container.envFrom ?? []) {
      const secret = secretRef?.name ?? '';
      if (isSet(secretRef) && !mountable.has(secret)) return refused('envFrom', secret);
    }
  }
  return undefined;
}

/** The problem with the first secret reference of a pod that its service account does not list; undefined = all are allowed. */
export function secretReferenceProblem(account: ServiceAccount, spec: PodSpec): string | undefined {
  const name = account.metadata.name ?? '';
  const mountable = namesOf(account.secrets);
  const volume = (spec.volumes ?? []).find(({ secret }) => isSet(secret) && !mountable.has(secret.secretName ?? ''));
  if (volume !== undefined) {
    return `volume with secret.secretName="${volume.secret?.secretName ?? ''}" is not allowed because service account ${name} does not reference that secret`;
  }
  const problem =
    referenceProblem('init container', initContainersOf(spec), mountable, name) ??
    referenceProblem('container', containersOf(spec), mountable, name);
  if (problem !== undefined) return problem;
  const pullable = namesOf(account.imagePullSecrets);
  const pulls = spec.imagePullSecrets ?? [];
  const refused = pulls.findIndex((reference) => !pullable.has(reference.name ?? ''));
  if (refused < 0) return undefined;
  return `imagePullSecrets[${refused}].name="${pulls[refused]?.name ?? ''}" is not allowed because service account ${name} does not reference that imagePullSecret`;
}

/** The same for ephemeral containers that an update adds to a pod. */
export const ephemeralReferenceProblem = (account: ServiceAccount, spec: PodSpec): string | undefined =>
  referenceProblem(
    'ephemeral container',
    spec.ephemeralContainers ?? [],
    namesOf(account.secrets),
    account.metadata.name ?? '',
  );

/** Mirror pods belong to a node and must not use service accounts or secrets of the cluster. */
export function mirrorPodProblem(spec: PodSpec): string | undefined {
  if ((spec.serviceAccountName ?? '') !== '') return 'a mirror pod may not reference service accounts';
  if (refersToSecret(spec)) return 'a mirror pod may not reference secrets';
  const projectsToken = (spec.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(({ serviceAccountToken }) => isSet(serviceAccountToken)),
  );
  return projectsToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}

const secretMembers = new Set(['secret', 'secretRef', 'secretKeyRef', 'imagePullSecrets', 'nodePublishSecretRef']);

function refersToSecret(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(refersToSecret);
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([name, member]) =>
      (secretMembers.has(name) && isSet(member) && !(Array.isArray(member) && member.length === 0)) ||
      refersToSecret(member),
  );
}
