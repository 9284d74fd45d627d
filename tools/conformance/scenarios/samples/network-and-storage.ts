import { selector, condition, namespaced, clusterScoped, type SampleKind } from './sample-kind.ts';

/** A different address for every name, outside the ranges that a server allocates from. */
const addressOf = (base: string) =>
  `10.0.200.${[...base].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 250, 7) + 1}`;

/** Kinds of networks and storage. */
export const networkAndStorage: readonly SampleKind[] = [
  clusterScoped(
    'networking.k8s.io/v1',
    'IngressClass',
    'ingressclasses',
    {},
    {
      rich: {
        spec: {
          controller: 'example.com/controller',
          parameters: { kind: 'Parameters', name: 'p', apiGroup: 'example.com' },
        },
      },
      invalid: { spec: { controller: 'no slash' } },
    },
  ),
  namespaced(
    'networking.k8s.io/v1',
    'Ingress',
    'ingresses',
    { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    {
      rich: {
        spec: {
          ingressClassName: 'c',
          tls: [{ hosts: ['a.example.com'], secretName: 't' }],
          rules: [
            {
              host: '*.example.com',
              http: {
                paths: [
                  { path: '/x', pathType: 'Prefix', backend: { service: { name: 's', port: { name: 'http' } } } },
                ],
              },
            },
          ],
        },
      },
      invalid: { spec: { rules: [{ host: 'Not A Host', http: { paths: [{ path: 'x', pathType: 'Sometimes' }] } }] } },
      change: { spec: { ingressClassName: 'c' } },
      status: { loadBalancer: { ingress: [{ hostname: 'lb.example.com' }] } },
    },
  ),
  clusterScoped(
    'networking.k8s.io/v1',
    'IPAddress',
    'ipaddresses',
    { spec: { parentRef: { resource: 'services', name: 's', namespace: 'default' } } },
    {
      invalid: { spec: {} },
      nameOf: addressOf,
    },
  ),
  namespaced(
    'networking.k8s.io/v1',
    'NetworkPolicy',
    'networkpolicies',
    { spec: { podSelector: {} } },
    {
      rich: {
        spec: {
          podSelector: selector,
          policyTypes: ['Egress'],
          ingress: [
            {
              from: [{ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }],
              ports: [{ port: 80, endPort: 90 }],
            },
          ],
          egress: [{ to: [{ namespaceSelector: {} }] }],
        },
      },
      invalid: {
        spec: { podSelector: {}, policyTypes: ['Sideways'], ingress: [{ from: [{ ipBlock: { cidr: 'all' } }] }] },
      },
      change: { spec: { ingress: [{}] } },
    },
  ),
  clusterScoped(
    'networking.k8s.io/v1',
    'ServiceCIDR',
    'servicecidrs',
    { spec: { cidrs: ['10.200.0.0/24'] } },
    {
      invalid: { spec: { cidrs: ['nowhere'] } },
      status: { conditions: [condition('Ready')] },
    },
  ),
  namespaced(
    'discovery.k8s.io/v1',
    'EndpointSlice',
    'endpointslices',
    { addressType: 'IPv4', endpoints: [] },
    {
      rich: {
        addressType: 'IPv6',
        endpoints: [{ addresses: ['2001:db8::1'], conditions: { ready: true }, hostname: 'h', zone: 'z' }],
        ports: [
          { name: 'p', port: 80 },
          { name: '', port: 81, protocol: 'SCTP' },
        ],
      },
      invalid: { addressType: 'Carrier', endpoints: [{ addresses: [] }] },
      change: { endpoints: [{ addresses: ['10.1.2.3'] }] },
    },
  ),
  clusterScoped(
    'storage.k8s.io/v1',
    'CSIDriver',
    'csidrivers',
    { spec: {} },
    {
      rich: {
        spec: {
          attachRequired: false,
          podInfoOnMount: true,
          volumeLifecycleModes: ['Ephemeral'],
          fsGroupPolicy: 'File',
          tokenRequests: [{ audience: 'a', expirationSeconds: 3600 }],
        },
      },
      invalid: { spec: { volumeLifecycleModes: ['Forever'] } },
      change: { spec: { requiresRepublish: true } },
    },
  ),
  clusterScoped(
    'storage.k8s.io/v1',
    'CSINode',
    'csinodes',
    { spec: { drivers: [] } },
    {
      rich: {
        spec: { drivers: [{ name: 'd.example.com', nodeID: 'n', topologyKeys: ['zone'], allocatable: { count: 5 } }] },
      },
      invalid: { spec: { drivers: [{ name: 'd', nodeID: '' }] } },
    },
  ),
  namespaced(
    'storage.k8s.io/v1',
    'CSIStorageCapacity',
    'csistoragecapacities',
    { storageClassName: 'fast' },
    {
      rich: { storageClassName: 'fast', capacity: '10Gi', maximumVolumeSize: '1000Mi', nodeTopology: selector },
      invalid: { storageClassName: 'Not A Name' },
      change: { capacity: '7G' },
    },
  ),
  clusterScoped(
    'storage.k8s.io/v1',
    'StorageClass',
    'storageclasses',
    { provisioner: 'example.com/p' },
    {
      rich: {
        provisioner: 'example.com/p',
        parameters: { a: 'b' },
        reclaimPolicy: 'Retain',
        allowVolumeExpansion: true,
        mountOptions: ['ro'],
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
      },
      invalid: { provisioner: '', reclaimPolicy: 'Never' },
      change: { allowVolumeExpansion: true },
    },
  ),
  clusterScoped(
    'storage.k8s.io/v1',
    'VolumeAttachment',
    'volumeattachments',
    { spec: { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'pv' } } },
    {
      invalid: { spec: { attacher: '', nodeName: '', source: {} } },
      status: { attached: true, attachmentMetadata: { a: 'b' } },
    },
  ),
  clusterScoped(
    'storage.k8s.io/v1',
    'VolumeAttributesClass',
    'volumeattributesclasses',
    { driverName: 'd.example.com', parameters: { a: 'b' } },
    {
      invalid: { driverName: '' },
    },
  ),
];
