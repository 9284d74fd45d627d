const group = 'wardle.example.com';

const yaml = (...objects: readonly object[]): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });

export function flunder(name: string, { namespace = 'default', reference = 'other' } = {}): string {
  const spec = { flunderReference: reference };
  return JSON.stringify({ apiVersion: `${group}/v1beta1`, kind: 'Flunder', metadata: { name, namespace }, spec });
}

const wrong = (name: string, spec: object) =>
  JSON.stringify({ apiVersion: `${group}/v1beta1`, kind: 'Flunder', metadata: { name }, spec });
export const unknownField = wrong('unknown', { color: 'red' });
export const wrongType = wrong('wrong', { flunderReference: 7 });
export const bothReferences = wrong('both', { flunderReference: 'a', fischerReference: 'b' });

export const fischer = JSON.stringify({
  apiVersion: `${group}/v1alpha1`,
  kind: 'Fischer',
  metadata: { name: 'fischer' },
  disallowedFlunders: ['banned'],
});

const rbac = 'rbac.authorization.k8s.io';
const binding = (name: string, role: string) => ({
  ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name } },
  roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: rbac, kind: 'User', name }],
});

/** `server` may do everything without being a member of system:masters, alice may use flunders, and bob nothing. */
export const access = yaml(
  binding('server', 'cluster-admin'),
  {
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'flunders' } },
    rules: [{ apiGroups: [group], resources: ['flunders'], verbs: ['get', 'list', 'watch', 'create'] }],
  },
  { ...binding('alice', 'flunders') },
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } },
);

const admissionGroup = 'admissionregistration.k8s.io/v1';
const rule = { apiGroups: [group], apiVersions: ['*'], resources: ['flunders'], operations: ['CREATE'] };

export const policy = yaml(
  {
    ...{ apiVersion: admissionGroup, kind: 'ValidatingAdmissionPolicy', metadata: { name: 'names' } },
    spec: {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: "object.metadata.name != 'policy'", message: 'not this name' }],
    },
  },
  {
    ...{ apiVersion: admissionGroup, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'names' } },
    spec: { policyName: 'names', validationActions: ['Deny'] },
  },
);

export const webhook = (url: string, ca: string): string =>
  yaml({
    ...{ apiVersion: admissionGroup, kind: 'ValidatingWebhookConfiguration', metadata: { name: 'hook' } },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: { url, caBundle: Buffer.from(ca).toString('base64') },
        ...{ rules: [rule], sideEffects: 'None', admissionReviewVersions: ['v1'] },
      },
    ],
  });

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'one' } };
export const nodesAndPods = yaml(node, {
  ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace: 'default' } },
  spec: {
    nodeName: 'one',
    containers: [
      { name: 'a', image: 'none', resources: { requests: { cpu: '250m', memory: '64Mi' } } },
      { name: 'b', image: 'none', resources: { requests: { cpu: '1', memory: '1Gi' } } },
    ],
  },
});
const amounts = { cpu: '4', memory: '8Gi' };
export const nodeStatus = JSON.stringify({ ...node, status: { capacity: amounts, allocatable: amounts } });
