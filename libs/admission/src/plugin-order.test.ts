import assert from 'node:assert/strict';
import type { UserInfo } from '@apichain/authn';
import { isStatusError, type KubeObject } from '@apichain/meta';
import { testAttributes, testLookup, testPod } from './attributes.fixture.ts';
import { builtinPlugins } from './builtin-plugins.ts';
import { composeAdmission } from './registry.ts';

const stored = (kind: string, metadata: KubeObject['metadata'], rest: object = {}): KubeObject => ({
  apiVersion: 'v1',
  kind,
  metadata,
  ...rest,
});
const enforcing = { 'pod-security.kubernetes.io/enforce': 'baseline' };
const container = (cpu: string, rest: object = {}) => ({
  name: 'c',
  image: 'i',
  resources: { limits: { cpu }, requests: { cpu } },
  ...rest,
});
const person = { name: 'jane', uid: '', groups: [], extra: {} };
const kubelet: UserInfo = { name: 'system:node:n1', uid: '', groups: ['system:nodes'], extra: {} };

interface Pods {
  readonly namespace: string;
  readonly user: UserInfo;
  readonly spec: Record<string, unknown>;
}

const privileged = { securityContext: { privileged: true } };
const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone' }] };

/** A pod that every plugin refuses, and what mends it step by step. */
const faulty: Pods = {
  namespace: 'ending',
  user: kubelet,
  spec: {
    serviceAccountName: 'gone',
    priorityClassName: 'gone',
    runtimeClassName: 'gone',
    affinity: { podAntiAffinity },
    containers: [container('2', privileged)],
  },
};
const withSpec = (pods: Pods, spec: Record<string, unknown>): Pods => ({ ...pods, spec: { ...pods.spec, ...spec } });

/** Who refuses a pod in which everything before is mended, in the order of kube-apiserver 1.36: what changes pods comes before what validates them. */
const refusals: readonly (readonly [refusal: RegExp, mend: (pods: Pods) => Pods])[] = [
  [
    /^unable to create new content in namespace ending because it is being terminated/,
    (pods) => ({ ...pods, namespace: 'ns' }),
  ],
  [/^error looking up service account ns\/gone: /, (pods) => withSpec(pods, { serviceAccountName: 'sa' })],
  [/^pod does not have "kubernetes\.io\/config\.mirror" annotation/, (pods) => ({ ...pods, user: person })],
  [/^no PriorityClass with name gone was found$/, (pods) => withSpec(pods, { priorityClassName: '' })],
  [/RuntimeClass "gone" not found/, (pods) => withSpec(pods, { runtimeClassName: undefined })],
  [/^affinity\.PodAntiAffinity\.RequiredDuringScheduling has/, (pods) => withSpec(pods, { affinity: undefined })],
  [
    /^maximum cpu usage per Pod is 1, but limit is 2$/,
    (pods) => withSpec(pods, { containers: [container('1', privileged)] }),
  ],
  [/^violates PodSecurity "baseline:latest": privileged/, (pods) => withSpec(pods, { containers: [container('1')] })],
  [/^exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/, (pods) => ({ ...pods, namespace: 'free' })],
];

describe('the plugins that refuse a request', () => {
  const quota = { hard: { pods: '0' }, used: { pods: '0' } };
  const ending = { deletionTimestamp: '2026-01-01T00:00:00Z' };
  const namespaces = ['ns', 'free', 'ending'];
  const lookup = testLookup({
    namespaces: namespaces.map((name) =>
      stored(
        'Namespace',
        { name, labels: enforcing, ...(name === 'ending' ? ending : {}) },
        {
          status: { phase: name === 'ending' ? 'Terminating' : 'Active' },
        },
      ),
    ),
    serviceaccounts: namespaces.map((namespace) => stored('ServiceAccount', { name: 'sa', namespace })),
    limitranges: [
      stored('LimitRange', { name: 'l', namespace: 'ns' }, { spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] } }),
    ],
    resourcequotas: [
      stored('ResourceQuota', { name: 'q', namespace: 'ns' }, { spec: { hard: quota.hard }, status: quota }),
    ],
  });
  const { chain } = composeAdmission(
    builtinPlugins({
      lookup,
      authorizer: { authorize: () => ({ decision: 'NoOpinion', reason: '' }) },
      writeQuotaStatus: () => Promise.reject(new Error('no quota is used')),
      createNamespace: () => Promise.reject(new Error('every namespace exists')),
    }),
    { enable: ['NodeRestriction', 'LimitPodHardAntiAffinityTopology'], disable: [] },
  );
  async function refusalOf({ namespace, user, spec }: Pods): Promise<string | undefined> {
    const object = testPod(structuredClone(spec), { name: 'a', namespace });
    const attributes = testAttributes({ object, namespace, user });
    try {
      await chain.admit(attributes);
      await chain.validate(attributes);
      return undefined;
    } catch (error) {
      assert.ok(isStatusError(error, 'Forbidden'), String(error));
      return error.message.replace('pods "a" is forbidden: ', '');
    }
  }

  it('refuse in the order of kube-apiserver 1.36', async () => {
    let pods = faulty;
    for (const [refusal, mend] of refusals) {
      assert.match((await refusalOf(pods)) ?? 'admitted', refusal);
      pods = mend(pods);
    }
    assert.equal(await refusalOf(pods), undefined);
  });
});
