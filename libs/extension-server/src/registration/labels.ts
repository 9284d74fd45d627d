import { isDNS1035Label, type KubeObject } from '@apichain/meta';
import { RegistrationError } from './registration-error.ts';

/** The field manager of everything that is registered. */
export const fieldManager = 'apichain-register';

const managedByLabel = 'app.kubernetes.io/managed-by';
const nameLabel = 'app.kubernetes.io/name';

/** The labels of what is registered for a server. They decide what later registrations may change and what `unregister` deletes. */
export const registrationLabels = (server: string): Record<string, string> => ({
  [managedByLabel]: fieldManager,
  [nameLabel]: server,
});

/** A label selector for everything that is registered for a server. */
export const registrationSelector = (server: string): string =>
  Object.entries(registrationLabels(server))
    .map((label) => label.join('='))
    .join(',');

/** Whether the object was registered for the server. */
export function isRegisteredFor(server: string, { metadata }: KubeObject): boolean {
  return Object.entries(registrationLabels(server)).every(([label, value]) => metadata.labels?.[label] === value);
}

/** Checks the name of a server, which becomes the name of a Service. Throws RegistrationError. */
export function checkServerName(server: string): void {
  const [reason] = isDNS1035Label(server);
  if (reason !== undefined) throw new RegistrationError(`the server's name "${server}": ${reason}`);
}
