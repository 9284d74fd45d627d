import { condition, namespaced, clusterScoped, type SampleKind } from './sample-kind.ts';

/** A certificate signing request for a client. Its private key was discarded. */
const certificateRequest =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIc01JR1RBZ0VBTURFeEZEQVNCZ05WQkFvTUMyTnZibVp2Y20xaGJtTmxNUmt3RndZRFZRUUREQkJqYjI1bQpiM0p0WVc1alpTMTFjMlZ5TUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowREFRY0RRZ0FFKzFkU01EcnpBWk9GCkRzMEVHZWlneWliODVlMHh5VVk0eVpEalB4SzUvdkhXRjMxdFN5dzRqZVI4TzhsSXEzeng5b2t3dk1UQVlpajgKRDIvSUhkR2s5YUFBTUFvR0NDcUdTTTQ5QkFNQ0EwZ0FNRVVDSUZtNHN1QVhrRDdCdzlpbHd2RVZ0NGY1Mlh3cQorcGNnTmV5MUcwTEZUU3JUQWlFQTFyTUp2bWt2Qk9hWGhkTHV3NmJ5QmF5UkJsM20rZEk0UFRYZ05oTUVvZEE9Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo=';

/** Kinds of access control, certificates, coordination, scheduling and flow control. */
export const access: readonly SampleKind[] = [
  namespaced(
    'rbac.authorization.k8s.io/v1',
    'Role',
    'roles',
    {},
    {
      rich: {
        rules: [
          {
            apiGroups: ['', 'apps'],
            resources: ['pods', 'deployments/scale'],
            verbs: ['get', '*'],
            resourceNames: ['a'],
          },
        ],
      },
      invalid: { rules: [{ verbs: [] }, { nonResourceURLs: ['/x'], verbs: ['get'] }] },
      change: { rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['list'] }] },
    },
  ),
  namespaced(
    'rbac.authorization.k8s.io/v1',
    'RoleBinding',
    'rolebindings',
    { roleRef: { kind: 'Role', name: 'r', apiGroup: 'rbac.authorization.k8s.io' } },
    {
      rich: {
        roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: '' },
        subjects: [
          { kind: 'User', name: 'u' },
          { kind: 'ServiceAccount', name: 'default', namespace: 'default' },
        ],
      },
      invalid: { roleRef: { kind: 'Pod', name: '' }, subjects: [{ kind: 'Robot', name: '' }] },
      change: { subjects: [{ kind: 'Group', name: 'g', apiGroup: 'rbac.authorization.k8s.io' }] },
    },
  ),
  clusterScoped(
    'rbac.authorization.k8s.io/v1',
    'ClusterRole',
    'clusterroles',
    {},
    {
      rich: {
        rules: [{ nonResourceURLs: ['/sample/*'], verbs: ['get'] }],
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { sample: '{{run}}' } }] },
      },
      invalid: { rules: [{ nonResourceURLs: ['/x'], resources: ['pods'], verbs: ['get'] }] },
      change: { rules: [{ nonResourceURLs: ['/other'], verbs: ['get'] }] },
    },
  ),
  clusterScoped(
    'rbac.authorization.k8s.io/v1',
    'ClusterRoleBinding',
    'clusterrolebindings',
    { roleRef: { kind: 'ClusterRole', name: 'none-{{run}}', apiGroup: 'rbac.authorization.k8s.io' } },
    {
      invalid: { roleRef: { kind: 'Role', name: 'r', apiGroup: 'elsewhere' } },
      change: { subjects: [{ kind: 'User', name: 'nobody-{{run}}', apiGroup: 'rbac.authorization.k8s.io' }] },
    },
  ),
  clusterScoped(
    'certificates.k8s.io/v1',
    'CertificateSigningRequest',
    'certificatesigningrequests',
    { spec: { request: certificateRequest, signerName: 'example.com/signer', usages: ['client auth'] } },
    {
      rich: {
        spec: {
          request: certificateRequest,
          signerName: 'kubernetes.io/kube-apiserver-client',
          usages: ['digital signature', 'client auth'],
          expirationSeconds: 3600,
        },
      },
      invalid: { spec: { request: 'AAAA', signerName: 'nobody', usages: [] } },
      status: { conditions: [{ ...condition('Failed'), lastUpdateTime: '2020-01-02T03:04:05Z' }] },
    },
  ),
  namespaced(
    'coordination.k8s.io/v1',
    'Lease',
    'leases',
    {},
    {
      rich: {
        spec: {
          holderIdentity: 'h',
          leaseDurationSeconds: 15,
          leaseTransitions: 2,
          acquireTime: '2020-01-02T03:04:05.000006Z',
          renewTime: '2020-01-02T03:04:05.100000Z',
        },
      },
      invalid: { spec: { leaseDurationSeconds: 0, leaseTransitions: -1 } },
      change: { spec: { holderIdentity: 'other' } },
    },
  ),
  namespaced(
    'events.k8s.io/v1',
    'Event',
    'events',
    {
      eventTime: '2020-01-02T03:04:05.000006Z',
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'Look',
      reason: 'Seen',
      type: 'Normal',
      regarding: { namespace: '{{ns}}' },
    },
    {
      rich: {
        eventTime: '2020-01-02T03:04:05.000006Z',
        reportingController: 'example.com/c',
        reportingInstance: 'i',
        action: 'Look',
        reason: 'Seen',
        type: 'Warning',
        note: 'words',
        regarding: { kind: 'Pod', name: 'p', namespace: '{{ns}}' },
        series: { count: 3, lastObservedTime: '2020-01-02T03:05:05.000000Z' },
      },
      invalid: { reason: 'Seen', type: 'Strange', regarding: { namespace: '{{ns}}' } },
    },
  ),
  clusterScoped(
    'scheduling.k8s.io/v1',
    'PriorityClass',
    'priorityclasses',
    { value: 5 },
    {
      rich: { value: -10, description: 'low', preemptionPolicy: 'Never', globalDefault: false },
      invalid: { value: 2_000_000_001, preemptionPolicy: 'Sometimes' },
      change: { description: 'changed' },
    },
  ),
  clusterScoped(
    'node.k8s.io/v1',
    'RuntimeClass',
    'runtimeclasses',
    { handler: 'h' },
    {
      rich: {
        handler: 'h',
        overhead: { podFixed: { cpu: '0.25' } },
        scheduling: { nodeSelector: { a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
      },
      invalid: { handler: 'Not A Handler' },
    },
  ),
  clusterScoped(
    'flowcontrol.apiserver.k8s.io/v1',
    'FlowSchema',
    'flowschemas',
    { spec: { priorityLevelConfiguration: { name: 'exempt' } } },
    {
      rich: {
        spec: {
          matchingPrecedence: 9999,
          priorityLevelConfiguration: { name: 'catch-all' },
          distinguisherMethod: { type: 'ByUser' },
          rules: [
            {
              subjects: [{ kind: 'User', user: { name: 'nobody-{{run}}' } }],
              resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['default'] }],
            },
          ],
        },
      },
      invalid: { spec: { matchingPrecedence: 20000, priorityLevelConfiguration: { name: '' } } },
      change: { spec: { matchingPrecedence: 5000 } },
      serverCondition: 'Dangling',
    },
  ),
  clusterScoped(
    'flowcontrol.apiserver.k8s.io/v1',
    'PriorityLevelConfiguration',
    'prioritylevelconfigurations',
    { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Reject' } } } },
    {
      rich: {
        spec: {
          type: 'Limited',
          limited: { lendablePercent: 50, limitResponse: { type: 'Queue', queuing: { queueLengthLimit: 20 } } },
        },
      },
      invalid: { spec: { type: 'Unlimited' } },
      change: { spec: { limited: { lendablePercent: 10 } } },
      status: { conditions: [condition('Sample')] },
    },
  ),
  clusterScoped(
    'apiregistration.k8s.io/v1',
    'APIService',
    'apiservices',
    {
      spec: {
        group: 'none.{{run}}.example.com',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
        service: { name: 's', namespace: 'none-{{run}}' },
      },
    },
    {
      invalid: { spec: { group: 'g', version: 'v1', groupPriorityMinimum: 0, versionPriority: 0 } },
      nameOf: () => 'v1.none.{{run}}.example.com',
      serverCondition: 'Available',
    },
  ),
];
