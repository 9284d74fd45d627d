import { deepEqual } from '@apichain/meta';
import { find, type BootstrapContext } from './context.ts';
import { combinedAuthentication } from './combined-authentication.ts';
import { ensureNamespace } from './system-namespaces.ts';

const ref = { group: '', version: 'v1', resource: 'configmaps', namespace: 'kube-system' };
const name = 'extension-apiserver-authentication';

/** How extension API servers authenticate requests from this server: the CAs and header names of this server's flags. */
export interface AuthenticationConfig {
  /** The current PEM of `--client-ca-file`. */
  readonly clientCA: () => string | undefined;
  /** The current PEM of `--requestheader-client-ca-file`. Without it the header names are not published. */
  readonly requestHeaderCA: () => string | undefined;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

function dataOf(config: AuthenticationConfig): Record<string, string> {
  const list = (names: readonly string[]) => JSON.stringify(names);
  const [clientCA, requestHeaderCA] = [config.clientCA(), config.requestHeaderCA()];
  return {
    ...(clientCA === undefined ? {} : { 'client-ca-file': clientCA }),
    ...(requestHeaderCA === undefined
      ? {}
      : {
          'requestheader-client-ca-file': requestHeaderCA,
          'requestheader-username-headers': list(config.usernameHeaders),
          'requestheader-uid-headers': list(config.uidHeaders),
          'requestheader-group-headers': list(config.groupHeaders),
          'requestheader-extra-headers-prefix': list(config.extraHeaderPrefixes),
          'requestheader-allowed-names': list(config.allowedNames),
        }),
  };
}

/** https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#extension-apiserver-authenticates-the-request */
export async function publishAuthenticationConfig(
  context: BootstrapContext,
  config: AuthenticationConfig,
): Promise<void> {
  const { client } = context;
  const own = dataOf(config);
  if (Object.keys(own).length === 0) return;
  await ensureNamespace(context, ref.namespace);
  const present = await find(client, ref, name);
  const data = combinedAuthentication(present?.data, own);
  if (present === undefined) {
    await client.create(ref, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'kube-system' },
      data,
    });
  } else if (!deepEqual(present.data, data)) await client.update(ref, { ...present, data });
}
