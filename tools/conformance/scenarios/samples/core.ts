import {
  labels,
  selector,
  podSpec,
  template,
  richPodSpec,
  condition,
  namespaced,
  clusterScoped,
  type SampleKind,
} from './sample-kind.ts';

/** Kinds of the core group. */
export const core: readonly SampleKind[] = [
  namespaced(
    'v1',
    'ConfigMap',
    'configmaps',
    {},
    {
      rich: { data: { a: 'b', 'c.txt': 'two\nlines\n' }, binaryData: { raw: 'AAECAw==' }, immutable: false },
      invalid: { data: { 'a key': 'with a blank' } },
      change: { data: { a: 'c' } },
    },
  ),
  namespaced(
    'v1',
    'Secret',
    'secrets',
    {},
    {
      rich: { type: 'kubernetes.io/basic-auth', data: { username: 'YQ==' }, stringData: { password: 'b' } },
      invalid: { type: 'kubernetes.io/tls', data: {} },
      change: { stringData: { a: 'c' } },
    },
  ),
  namespaced(
    'v1',
    'Endpoints',
    'endpoints',
    {},
    {
      rich: {
        subsets: [
          {
            addresses: [{ ip: '10.1.2.4' }, { ip: '10.1.2.3', hostname: 'h' }],
            ports: [{ port: 80 }, { name: 'x', port: 9, protocol: 'UDP' }],
          },
        ],
      },
      invalid: { subsets: [{ addresses: [{ ip: 'nowhere' }], ports: [{ port: 0 }] }] },
      change: { subsets: [{ addresses: [{ ip: '10.1.2.5' }], ports: [{ port: 81 }] }] },
    },
  ),
  namespaced(
    'v1',
    'Event',
    'events',
    { involvedObject: { namespace: '{{ns}}' } },
    {
      rich: {
        involvedObject: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
        reason: 'Seen',
        message: 'hello',
        type: 'Normal',
        count: 2,
        source: { component: 'sample' },
        firstTimestamp: '2020-01-02T03:04:05Z',
      },
      invalid: { involvedObject: { namespace: 'elsewhere' } },
      change: { message: 'changed' },
    },
  ),
  namespaced(
    'v1',
    'LimitRange',
    'limitranges',
    {},
    {
      rich: {
        spec: {
          limits: [
            { type: 'Container', max: { cpu: '2' }, default: { memory: '1Gi' } },
            { type: 'PersistentVolumeClaim', min: { storage: '1Gi' } },
          ],
        },
      },
      invalid: { spec: { limits: [{ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' } }] } },
      change: { spec: { limits: [{ type: 'Pod', max: { cpu: '200' } }] } },
    },
  ),
  clusterScoped(
    'v1',
    'Namespace',
    'namespaces',
    {},
    {
      invalid: { spec: { finalizers: ['not/a/name'] } },
      status: { conditions: [condition('NamespaceDeletionContentFailure')] },
    },
  ),
  clusterScoped(
    'v1',
    'Node',
    'nodes',
    {},
    {
      rich: {
        spec: {
          podCIDR: '10.9.0.0/24',
          podCIDRs: ['10.9.0.0/24'],
          providerID: 'cloud://1',
          unschedulable: true,
          taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
        },
      },
      invalid: { spec: { taints: [{ key: 'k', effect: 'Never' }] } },
      change: { spec: { unschedulable: true } },
      status: {
        capacity: { cpu: '4', memory: '8Gi' },
        allocatable: { cpu: '3500m' },
        conditions: [{ ...condition('Ready'), lastHeartbeatTime: '2020-01-02T03:04:05Z' }],
        nodeInfo: { kubeletVersion: 'v1.36.0' },
      },
    },
  ),
  namespaced(
    'v1',
    'PersistentVolumeClaim',
    'persistentvolumeclaims',
    { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
    {
      rich: {
        spec: {
          accessModes: ['ReadOnlyMany'],
          volumeMode: 'Block',
          storageClassName: '',
          selector,
          resources: { requests: { storage: '1024Mi' } },
          dataSource: { kind: 'PersistentVolumeClaim', name: 'other' },
        },
      },
      invalid: { spec: { accessModes: [], resources: {} } },
      status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' } },
    },
  ),
  clusterScoped(
    'v1',
    'PersistentVolume',
    'persistentvolumes',
    { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/sample' } } },
    {
      rich: {
        spec: {
          capacity: { storage: '1.5Gi' },
          accessModes: ['ReadWriteMany'],
          nfs: { server: 'nfs.example.com', path: '/x' },
          mountOptions: ['ro'],
          persistentVolumeReclaimPolicy: 'Recycle',
          storageClassName: 'slow',
        },
      },
      invalid: { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'] } },
      change: { spec: { storageClassName: 'fast' } },
      status: { phase: 'Failed', message: 'by hand', reason: 'Sample' },
    },
  ),
  namespaced(
    'v1',
    'Pod',
    'pods',
    { spec: podSpec },
    {
      rich: { spec: richPodSpec },
      invalid: { spec: { containers: [{ name: 'UPPER' }], restartPolicy: 'Sometimes' } },
      change: { spec: { activeDeadlineSeconds: 60 } },
      status: {
        phase: 'Running',
        podIP: '10.1.1.1',
        podIPs: [{ ip: '10.1.1.1' }],
        conditions: [condition('Ready')],
        containerStatuses: [
          {
            name: 'main',
            ready: true,
            restartCount: 3,
            image: 'i',
            imageID: 'id',
            state: { running: { startedAt: '2020-01-02T03:04:05Z' } },
          },
        ],
      },
    },
  ),
  namespaced(
    'v1',
    'PodTemplate',
    'podtemplates',
    { template },
    {
      rich: { template: { metadata: { labels }, spec: richPodSpec } },
      invalid: { template: { spec: { containers: [] } } },
      change: { template: { spec: { nodeName: 'n' } } },
    },
  ),
  namespaced(
    'v1',
    'ReplicationController',
    'replicationcontrollers',
    { spec: { template } },
    {
      rich: {
        spec: {
          replicas: 0,
          minReadySeconds: 3,
          selector: labels,
          template: { metadata: { labels }, spec: richPodSpec },
        },
      },
      invalid: { spec: { replicas: -1, selector: { app: 'other' }, template } },
      change: { spec: { replicas: 2 } },
      status: { replicas: 2, readyReplicas: 1 },
      scale: true,
    },
  ),
  namespaced(
    'v1',
    'ResourceQuota',
    'resourcequotas',
    {},
    {
      rich: {
        spec: {
          hard: { pods: '1000', 'requests.cpu': '1000', 'count/secrets': 500, 'limits.memory': '1.5Ti' },
          scopes: ['BestEffort'],
        },
      },
      invalid: { spec: { hard: { pods: '-1' }, scopes: ['Nonsense'] } },
      change: { spec: { hard: { configmaps: '1k' } } },
      status: { hard: { configmaps: '1k' }, used: { configmaps: '1' } },
    },
  ),
  namespaced(
    'v1',
    'ServiceAccount',
    'serviceaccounts',
    {},
    {
      rich: { secrets: [{ name: 's' }], imagePullSecrets: [{ name: 'p' }], automountServiceAccountToken: false },
      change: { automountServiceAccountToken: true },
    },
  ),
  namespaced(
    'v1',
    'Service',
    'services',
    { spec: { ports: [{ port: 80 }] } },
    {
      rich: {
        spec: {
          type: 'LoadBalancer',
          selector: labels,
          sessionAffinity: 'ClientIP',
          externalTrafficPolicy: 'Local',
          ports: [
            { name: 'a', port: 80, targetPort: 'http' },
            { name: 'b', port: 53, protocol: 'UDP', appProtocol: 'dns' },
          ],
        },
      },
      invalid: { spec: { ports: [{ port: 0 }, { port: 70000 }], clusterIP: 'nowhere' } },
      change: { spec: { selector: { app: 'other' } } },
      status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] }, conditions: [condition('Sample')] },
    },
  ),
];
