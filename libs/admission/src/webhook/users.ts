import { loadKubeconfigUsers, type KubeconfigUser } from '@apichain/client';

/** The credentials for the webhook at `host:port`; undefined = call it anonymously. */
export type WebhookUsers = (hostPort: string) => KubeconfigUser | undefined;

/** `host`, then `*.` followed by each parent domain. */
function namesOf(target: string): string[] {
  const steps = target.split('.');
  return [target, ...steps.slice(1).map((_step, i) => `*.${steps.slice(i + 1).join('.')}`)];
}

/**
 * Reads a kubeconfig whose users are named after webhooks: by host and port, by a parent domain (`*.example.com`) or `*`. Else the user of the
 * current context is used. The port 443 may be omitted. Throws Error with Go's text when the file cannot be read.
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
