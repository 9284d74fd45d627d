import type { Kind } from '../api/kinds.ts';
import type { StoredObject } from '../api/stored-object.ts';
import type { RequestRecord } from '../requests/requests.ts';

const kindOf = (group: string, resource: string, kind: string, namespaced = true): Kind => ({
  ...{ group, version: 'v1', resource, kind, namespaced },
  ...{ verbs: ['list', 'watch'], shortNames: [], subresources: [] },
});

export const kinds = {
  deployments: kindOf('apps', 'deployments', 'Deployment'),
  replicasets: kindOf('apps', 'replicasets', 'ReplicaSet'),
  pods: kindOf('', 'pods', 'Pod'),
  secrets: kindOf('', 'secrets', 'Secret'),
  events: kindOf('', 'events', 'Event'),
  leases: kindOf('coordination.k8s.io', 'leases', 'Lease'),
  nodes: kindOf('', 'nodes', 'Node', false),
  orders: kindOf('shop.example.com', 'orders', 'Order'),
} as const;

/** An object of the namespace shop, whose uid is that of its name. */
export const object = (
  name: string,
  resourceVersion: number,
  rest: Readonly<Record<string, unknown>> = {},
  metadata: Partial<StoredObject['metadata']> = {},
): StoredObject => ({
  metadata: { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: String(resourceVersion), ...metadata },
  ...rest,
});

export const ownedBy = (name: string): Partial<StoredObject['metadata']> => ({
  ownerReferences: [{ kind: 'Any', name, uid: `uid-${name}`, controller: true }],
});

/** An Event about an object. */
export const eventAbout = (name: string, resourceVersion: number, reason: string): StoredObject =>
  object(`${name}.${resourceVersion}`, resourceVersion, {
    ...{ involvedObject: { uid: `uid-${name}`, kind: 'Any', namespace: 'shop', name }, reason, message: 'it did' },
    type: 'Warning',
  });

/** The record of a request for an object of the namespace shop, which has written these resourceVersions. */
export const request = (
  auditID: string,
  verb: string,
  { group, version, resource }: Kind,
  name: string,
  wrote: readonly number[],
  more: Partial<RequestRecord> = {},
): RequestRecord => ({
  ...{ auditID, receivedAt: Date.now() - 5, milliseconds: 5, user: 'jane', userAgent: 'test', verb, method: 'PATCH' },
  ...{ uri: '/', code: 200, answeredBy: 'kube-core' },
  resource: { group, version, resource, subresource: '', namespace: 'shop', name },
  services: [{ service: 'kube-core', start: 0, milliseconds: 5, parts: [], wrote }],
  ...more,
});
