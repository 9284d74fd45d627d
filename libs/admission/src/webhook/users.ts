import { loadKubeconfigUsers, type KubeconfigUser } from '@apichain/client';

/** As whom the webhook at `host:port` is called; undefined = as nobody. */
export type WebhookUsers = (hostPort: string) => KubeconfigUser | undefined;

/** `host`, then `*.` and what follows each of its dots. */
function namesOf(target: string): string[] {
  const steps = target.split('.');
  return [target, ...steps.slice(1).map((_step, i) => `*.${steps.slice(i + 1).join('.')}`)];
}

/**
 * The users of a kubeconfig by the webhook that they are for: one of its host and port, of a domain above it, `*`, or that of the current
 * context. The port 443 may be left out. Throws Error in Go's words when the file cannot be read.
 * Source: k8s.io/apiserver/pkg/util/webhook/authentication.go.
 */
export function loadWebhookUsers(file: string): WebhookUsers {
  const { users, current } = loadKubeconfigUsers(file);
  return (hostPort) => {
    const names = [...namesOf(hostPort), ...(hostPort.endsWith(':443') ? namesOf(hostPort.slice(0, -4)) : []), '*'];
    const found = names.find((name) => users.has(name)) ?? current;
    return found === undefined ? undefined : users.get(found);
  };
}
