/** The fields of an object except `apiVersion`, `kind` and `metadata`. */
type Fields = Readonly<Record<string, unknown>>;

/** A built-in kind, and sample objects to write. The field values are arbitrary; the reference's responses define the expected results. */
export interface SampleKind {
  /** e.g. `apps/v1`, or `v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
  readonly namespaced: boolean;
  /** A valid object with as few fields as possible. */
  readonly minimal: Fields;
  /** A valid object with many fields, which shows defaulting and serialisation. */
  readonly rich?: Fields;
  /** An object that validation rejects. */
  readonly invalid?: Fields;
  /** A merge patch that changes a field. Default: it sets a label. */
  readonly change?: Fields;
  /** The status to write, for kinds with the status subresource. */
  readonly status?: Fields;
  readonly scale?: boolean;
  /**
   * The type of the condition that the server itself writes soon after an object is created or changed. Status, managers and versions of
   * such objects are not compared, because they depend on timing.
   */
  readonly serverCondition?: string;
  /** The names of a scenario's objects, for kinds that restrict the form of names. `base` is unique in the run. */
  readonly nameOf?: (base: string) => string;
}

export const labels = { app: 'sample' };
export const selector = { matchLabels: labels };
export const container = { name: 'main', image: 'registry.example.com/main:1' };
export const podSpec = { containers: [container] };
export const template = { metadata: { labels }, spec: podSpec };
export const jobTemplate = { spec: { ...podSpec, restartPolicy: 'Never' } };

export const richPodSpec = {
  initContainers: [{ name: 'first', image: 'registry.example.com/first', command: ['true'] }],
  containers: [
    {
      ...container,
      args: ['--verbose'],
      ports: [{ name: 'http', containerPort: 8080 }],
      env: [
        { name: 'PLAIN', value: 'text' },
        { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
        { name: 'KEY', valueFrom: { configMapKeyRef: { name: 'settings', key: 'k', optional: true } } },
      ],
      resources: { requests: { cpu: '0.5', memory: '128Mi' }, limits: { cpu: 1, memory: '0.25Gi' } },
      readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
      livenessProbe: { tcpSocket: { port: 8080 }, initialDelaySeconds: 5 },
      lifecycle: { preStop: { exec: { command: ['sleep', '1'] } } },
      volumeMounts: [{ name: 'settings', mountPath: '/etc/settings' }],
      securityContext: { runAsNonRoot: true, capabilities: { drop: ['ALL'] } },
    },
    { name: 'side', image: 'registry.example.com/side@sha256:0123' },
  ],
  volumes: [
    { name: 'settings', configMap: { name: 'settings' } },
    { name: 'scratch', emptyDir: { medium: 'Memory', sizeLimit: '1Gi' } },
    {
      name: 'all',
      projected: { sources: [{ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }] },
    },
  ],
  nodeSelector: { disk: 'ssd' },
  tolerations: [{ key: 'special', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }],
  topologySpreadConstraints: [
    { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: selector },
  ],
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 1, podAffinityTerm: { topologyKey: 'host', labelSelector: selector } },
      ],
    },
  },
  terminationGracePeriodSeconds: 5,
  hostAliases: [{ ip: '10.9.8.7', hostnames: ['one', 'two'] }],
};

export const condition = (type: string) => ({
  type,
  status: 'True',
  reason: 'Sample',
  message: 'by hand',
  lastTransitionTime: '2020-01-02T03:04:05Z',
});

type More = Omit<SampleKind, 'apiVersion' | 'kind' | 'resource' | 'namespaced' | 'minimal'>;

export const namespaced = (
  apiVersion: string,
  kind: string,
  resource: string,
  minimal: Fields,
  more: More = {},
): SampleKind => ({
  ...{ apiVersion, kind, resource, namespaced: true, minimal },
  ...more,
});
export const clusterScoped = (
  apiVersion: string,
  kind: string,
  resource: string,
  minimal: Fields,
  more: More = {},
): SampleKind => ({
  ...{ apiVersion, kind, resource, namespaced: false, minimal },
  ...more,
});
