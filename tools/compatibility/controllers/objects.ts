/** Builders of the objects that the sessions create. */

export interface TypedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>>;
}

export const namespaceObject = (name: string): TypedObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name },
});

export const podSpec = (more: object = {}, requests: object = { cpu: '100m' }): object => ({
  containers: [{ name: 'main', image: 'registry.example/main:1', resources: { requests } }],
  terminationGracePeriodSeconds: 0,
  ...more,
});

const selectorOf = (name: string) => ({ matchLabels: { app: name } });

const templateOf = (name: string, spec: object) => ({ metadata: { labels: { app: name } }, spec });

export const workload = (
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet',
  name: string,
  spec: object,
  pod: object = podSpec(),
): TypedObject =>
  ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { selector: selectorOf(name), template: templateOf(name, pod), ...spec },
  }) as TypedObject;

export const jobSpec = (name: string, spec: object): object => ({
  template: templateOf(name, podSpec({ restartPolicy: 'Never' })),
  ...spec,
});

export const job = (name: string, spec: object, metadata: object = {}): TypedObject =>
  ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, ...metadata },
    spec: jobSpec(name, spec),
  }) as TypedObject;

export const service = (name: string, spec: object): TypedObject =>
  ({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec }) as TypedObject;

export const configMap = (name: string, metadata: object = {}): TypedObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data: { key: 'value' } }) as TypedObject;
