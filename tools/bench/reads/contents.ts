import type { LatencyClient } from '../latency/client.ts';

/** A stored collection that is read. */
export interface Collection {
  readonly name: string;
  readonly path: string;
}

/** The users of the benchmark beside the administrator; each has a token of the same name. */
export const users = ['reader', 'neighbour'] as const;
/** The small object that the neighbour reads. */
export const neighbourPath = '/api/v1/namespaces/bench-neighbour/configmaps/mine';

const inFlight = 8;
/** With 45,000 members an object has 1.1 MB. */
const membersOfLarge = 45_000;

const json = (value: unknown) => JSON.stringify(value);
const metadata = (name: string) => ({ metadata: { name } });

function largeConfigMap(i: number): string {
  const data = Object.fromEntries(Array.from({ length: membersOfLarge }, (_, n) => [`key-${n}`, `value${n}`]));
  return json({ apiVersion: 'v1', kind: 'ConfigMap', ...metadata(`large-${i}`), data });
}

function pod(i: number): string {
  const container = {
    name: 'main',
    image: 'registry.example.com/team/app:1.2.3',
    args: ['--listen=:8080', '--verbose'],
    env: [{ name: 'MODE', value: 'production' }],
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
    readinessProbe: { httpGet: { path: '/healthz', port: 8080 } },
  };
  const spec = { serviceAccountName: 'default', automountServiceAccountToken: false, containers: [container] };
  const labels = { app: 'bench', shard: `s${i % 10}` };
  return json({ apiVersion: 'v1', kind: 'Pod', metadata: { name: `pod-${i}`, labels }, spec });
}

async function create(client: LatencyClient, path: string, count: number, body: (i: number) => string): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < count; i = next++) await client.call('POST', path, body(i));
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

/** Gives the two users their rights, and stores the objects that are read. Throws Error when a write is refused. */
export async function store(client: LatencyClient, large: number, pods: number): Promise<readonly Collection[]> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
  for (const user of users) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
    const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];
    await client.call('POST', rbac, json({ ...metadata(`bench-${user}`), roleRef, subjects }));
  }
  for (const name of ['neighbour', 'large', 'pods'].map((each) => `bench-${each}`)) {
    await client.call('POST', '/api/v1/namespaces', json(metadata(name)));
    await client.call('POST', `/api/v1/namespaces/${name}/serviceaccounts`, json(metadata('default')));
  }
  await client.call('POST', '/api/v1/namespaces/bench-neighbour/configmaps', json(metadata('mine')));
  const collections = [
    { name: `${large} config maps of 1.1 MB`, path: '/api/v1/namespaces/bench-large/configmaps', count: large },
    { name: `${pods} pods`, path: '/api/v1/namespaces/bench-pods/pods', count: pods },
  ].filter(({ count }) => count > 0);
  for (const { path, count } of collections)
    await create(client, path, count, path.endsWith('pods') ? pod : largeConfigMap);
  return collections;
}
