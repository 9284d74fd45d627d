import type { PodSpec, ServiceAccount, Volume } from '@apichain/api/core/v1';
import { randomBelow } from '@apichain/meta';

const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
const volumePrefix = 'kube-api-access-';
/** One hour, plus 7 seconds by which the token issuer recognizes the token of a pod. */
const expirationSeconds = 3607;
const suffixLetters = 'bcdfghjklmnpqrstvwxz2456789';

const generatedName = (): string =>
  volumePrefix + Array.from({ length: 5 }, () => suffixLetters[randomBelow(suffixLetters.length)]).join('');

export function wantsToken(account: ServiceAccount, spec: PodSpec): boolean {
  if (typeof spec.automountServiceAccountToken === 'boolean') return spec.automountServiceAccountToken;
  return account.automountServiceAccountToken !== false;
}

function tokenVolume(name: string): Volume {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 0o644,
    },
  };
}

/**
 * Mounts the API credentials into every container that mounts nothing else at that path.
 * https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/#bound-service-account-token-volume
 */
export function mountToken(spec: PodSpec): void {
  const present = (spec.volumes ?? []).find(({ name }) => (name ?? '').startsWith(volumePrefix));
  const name = present === undefined ? generatedName() : (present.name ?? '');
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])]) {
    const mounts = container.volumeMounts ?? [];
    if (mounts.some((mount) => mount.mountPath === mountPath)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath }];
    needed = true;
  }
  if (needed && present === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(name)];
}
