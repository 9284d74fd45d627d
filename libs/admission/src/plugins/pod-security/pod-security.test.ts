import assert from 'node:assert/strict';
import type { KubeObject } from '@apichain/meta';
import { testAttributes, testAttributesOf, testLookup, testPod } from '../../attributes.fixture.ts';
import { PodSecurityCounts } from './counts.ts';
import { evaluatePod, violationsText } from './evaluator.ts';
import { PodSecurity } from './pod-security.ts';
import { checkedPod } from './pod-spec-of.ts';
import { policyOf, type LevelVersion } from './policy.ts';

const namespace = (labels: Record<string, string>, name = 'ns'): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});
const label = (mode: string) => `pod-security.kubernetes.io/${mode}`;
const plugin = (labels: Record<string, string>, pods: KubeObject[] = []) =>
  new PodSecurity(testLookup({ namespaces: [namespace(labels)], pods }));
const violations = (policy: LevelVersion, spec: Record<string, unknown>, annotations: Record<string, string> = {}) =>
  violationsText(evaluatePod(policy, checkedPod(testPod(spec, { annotations }))));

const baseline: LevelVersion = { level: 'baseline', version: 'latest' };
const restricted: LevelVersion = { level: 'restricted', version: 'latest' };
const good = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'c', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
};
const plainViolations =
  'allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), ' +
  'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), ' +
  'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), ' +
  'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")';

describe('Pod Security Standards', () => {
  it('baseline names forbidden fields', () => {
    assert.equal(violations(baseline, good), '');
    assert.equal(
      violations(baseline, {
        hostNetwork: true,
        hostPID: true,
        volumes: [{ name: 'v', hostPath: { path: '/' } }],
        containers: [
          { name: 'a', securityContext: { privileged: true, capabilities: { add: ['SYS_ADMIN'] } } },
          { name: 'b', ports: [{ hostPort: 80 }], securityContext: { privileged: true } },
        ],
      }),
      'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add), ' +
        'host namespaces (hostNetwork=true, hostPID=true), hostPath volumes (volume "v"), ' +
        'hostPort (container "b" uses hostPort 80), ' +
        'privileged (containers "a", "b" must not set securityContext.privileged=true)',
    );
    assert.equal(
      violations(baseline, {
        securityContext: {
          seLinuxOptions: { type: 'x_t', user: 'u' },
          seccompProfile: { type: 'Unconfined' },
          sysctls: [{ name: 'a.b' }, { name: 'net.ipv4.tcp_rmem' }],
          windowsOptions: { hostProcess: true },
          appArmorProfile: { type: 'Unconfined' },
        },
      }),
      'forbidden AppArmor profile (pod must not set AppArmor profile type to "Unconfined"), ' +
        'seLinuxOptions (pod set forbidden securityContext.seLinuxOptions: type "x_t"; user may not be set), ' +
        'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined"), ' +
        'forbidden sysctls (a.b), hostProcess (pod must not set securityContext.windowsOptions.hostProcess=true)',
    );
  });

  it('restricted adds checks, and replaces those that it includes', () => {
    assert.equal(violations(restricted, good), '');
    assert.equal(violations(restricted, { containers: [{ name: 'c' }] }), plainViolations);
    assert.equal(
      violations(restricted, {
        ...good,
        securityContext: { ...good.securityContext, runAsUser: 0 },
        volumes: [
          { name: 'v', hostPath: {} },
          { name: 'w', nfs: {} },
          { name: 'x', emptyDir: {} },
        ],
      }),
      'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs"), ' +
        'runAsUser=0 (pod must not set runAsUser=0)',
    );
  });

  it('applies the checks of the named version', () => {
    const probe = { containers: [{ name: 'c', livenessProbe: { httpGet: { host: 'h' } } }] };
    assert.equal(violations({ level: 'baseline', version: 33 }, probe), '');
    assert.equal(
      violations({ level: 'baseline', version: 34 }, probe),
      'probe or lifecycle host (container "c" uses probe or lifecycle host "h")',
    );
    const annotations = { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' };
    assert.equal(
      violations({ level: 'baseline', version: 18 }, {}, annotations),
      'seccompProfile (forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined")',
    );
    assert.equal(violations({ level: 'baseline', version: 19 }, {}, annotations), '');
    const windows = { ...good, os: { name: 'windows' }, containers: [{ name: 'c' }] };
    assert.equal(violations(restricted, windows), '');
    assert.equal(violations({ level: 'restricted', version: 999 }, windows), '');
  });
});

describe('policyOf', () => {
  it('reads labels, warns as it enforces by default, and uses the strictest level for invalid ones', () => {
    const { policy } = policyOf({ [label('enforce')]: 'baseline', [label('enforce-version')]: 'v1.20' });
    assert.deepEqual(policy.warn, { level: 'baseline', version: 20 });
    assert.deepEqual(policy.audit, { level: 'privileged', version: 'latest' });
    const bad = policyOf({ [label('enforce')]: 'x', [label('warn')]: 'y', [label('audit-version')]: '1.2' });
    assert.equal(bad.policy.enforce.level, 'restricted');
    assert.equal(bad.policy.warn.level, 'privileged');
    assert.deepEqual(
      bad.errors.map(({ field, message }) => `${field}: ${message}`),
      [
        'metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
        'metadata.labels[pod-security.kubernetes.io/audit-version]: Invalid value: "1.2": must be "latest" or "v1.x"',
        'metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "y": must be one of privileged, baseline, restricted',
      ],
    );
  });
});

describe('PodSecurity', () => {
  const plain = testPod({ containers: [{ name: 'c', image: 'i' }] });

  it('refuses pods and only warns about workloads', async () => {
    const enforcing = plugin({ [label('enforce')]: 'restricted' });
    await assert.rejects(async () => enforcing.validate(testAttributes({ object: plain })), {
      message: `pods "a" is forbidden: violates PodSecurity "restricted:latest": ${plainViolations}`,
    });
    const warnings: string[] = [];
    const job: KubeObject = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'j' },
      spec: { template: { spec: plain.spec } },
    };
    const warn = (text: string) => void warnings.push(text);
    await enforcing.validate(testAttributesOf({ group: 'batch', resource: 'jobs' }, job, { warn }));
    assert.deepEqual(warnings, [`would violate PodSecurity "restricted:latest": ${plainViolations}`]);
  });

  it('skips updates without a new image, and checks new ephemeral containers', async () => {
    const enforcing = plugin({ [label('enforce')]: 'restricted' });
    const update = { operation: 'UPDATE', oldObject: plain } as const;
    await enforcing.validate(testAttributes({ ...update, object: structuredClone(plain) }));
    const object = testPod({
      containers: [{ name: 'c', image: 'i' }],
      ephemeralContainers: [{ name: 'e', image: 'x' }],
    });
    await assert.rejects(async () =>
      enforcing.validate(testAttributes({ ...update, object, subresource: 'ephemeralcontainers' })),
    );
  });

  it('checks the labels of namespaces and warns of existing pods', async () => {
    const namespaces = { group: '', resource: 'namespaces' };
    const bad = namespace({ [label('enforce')]: 'x' });
    await assert.rejects(async () => plugin({}).validate(testAttributesOf(namespaces, bad)), { code: 422 });
    const warnings: string[] = [];
    const pods = ['b', 'a'].map((name) => testPod({ hostPID: true }, { name, namespace: 'ns' }));
    await plugin({}, pods).validate(
      testAttributesOf(namespaces, namespace({ [label('enforce')]: 'baseline' }), {
        operation: 'UPDATE',
        oldObject: namespace({}),
        warn: (text) => void warnings.push(text),
      }),
    );
    assert.deepEqual(warnings, [
      'existing pods in namespace "ns" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ]);
  });

  it('annotates audit events with the policy and its violations', async () => {
    const notes = async (labels: Record<string, string>, resource?: 'deployments') => {
      const seen: Record<string, string> = {};
      const annotate = (key: string, value: string) => void (seen[key] = value);
      const pod = testPod({ containers: [{ name: 'c' }] });
      const template = { ...pod, kind: 'Deployment', spec: { template: pod } };
      const attributes =
        resource === undefined
          ? testAttributes({ object: pod, annotate })
          : testAttributesOf({ group: 'apps', resource }, template, { annotate });
      await plugin(labels).validate(attributes);
      return seen;
    };
    assert.deepEqual(await notes({}), { [label('enforce-policy')]: 'privileged:latest' });
    assert.deepEqual(await notes({ [label('audit')]: 'restricted', [label('enforce')]: 'baseline' }), {
      [label('enforce-policy')]: 'baseline:latest',
      [label('audit-violations')]: `would violate PodSecurity "restricted:latest": ${plainViolations}`,
    });
    assert.deepEqual(Object.keys(await notes({ [label('audit')]: 'restricted' }, 'deployments')), [
      label('audit-violations'),
    ]);
    assert.deepEqual(await notes({ [label('warn')]: 'baseline' }, 'deployments'), {});
  });

  it('uses its defaults, and skips exemptions', async () => {
    const exemptions = { usernames: ['root'], runtimeClasses: ['vm'], namespaces: ['free'] };
    const defaults = { enforce: restricted, audit: restricted, warn: restricted };
    const namespaces = [namespace({}), namespace({}, 'free')];
    const strict = new PodSecurity(testLookup({ namespaces, pods: [] }), { defaults, exemptions });
    const notes: string[] = [];
    const annotate = (key: string, value: string) => notes.push(`${key}=${value}`);
    const create = (more: object, spec = {}) =>
      strict.validate(testAttributes({ object: testPod({ containers: [{ name: 'c' }], ...spec }), annotate, ...more }));
    await assert.rejects(async () => create({}), /violates PodSecurity "restricted:latest"/);
    notes.length = 0;
    await create({ namespace: 'free' });
    await create({ user: { name: 'root', uid: '', groups: [], extra: {} } });
    await create({}, { runtimeClassName: 'vm' });
    const exempt = notes.filter((text) => text.includes('exempt'));
    assert.deepEqual(
      exempt,
      ['namespace', 'user', 'runtimeClass'].map((reason) => `pod-security.kubernetes.io/exempt=${reason}`),
    );
  });

  it('counts evaluations by mode and policy, exemptions and errors', async () => {
    const counts = new PodSecurityCounts(36);
    const labels = { [label('enforce')]: 'baseline', [label('warn')]: 'restricted', [label('warn-version')]: 'v1.99' };
    const namespaces = [namespace(labels), namespace({ [label('enforce')]: 'none' }, 'wrong')];
    const exemptions = { usernames: ['root'] };
    const counted = new PodSecurity(testLookup({ namespaces, pods: [] }), { counts, exemptions });
    const warn = () => undefined;
    await counted.validate(testAttributes({ object: plain, warn }));
    await counted.validate(testAttributes({ object: plain, warn }));
    const bad = testPod({ containers: [{ name: 'c', securityContext: { privileged: true } }] });
    await assert.rejects(async () => counted.validate(testAttributes({ object: bad, warn })));
    await counted.validate(testAttributes({ object: bad, user: { name: 'root', uid: '', groups: [], extra: {} } }));
    await assert.rejects(async () => counted.validate(testAttributes({ object: bad, namespace: 'none' })));
    await assert.rejects(async () => counted.validate(testAttributes({ object: plain, namespace: 'wrong', warn })));
    const ofPod = { request_operation: 'create', resource: 'pod', subresource: '' };
    const decided = (decision: string, level: string, version: string, mode: string, count: number) => [
      { decision, policy_level: level, policy_version: version, mode, ...ofPod },
      count,
    ];
    assert.deepEqual(
      [...counts.of('evaluations')].filter(([, count]) => count > 0),
      [
        decided('allow', 'baseline', 'latest', 'enforce', 2),
        decided('deny', 'restricted', 'future', 'warn', 2),
        decided('deny', 'baseline', 'latest', 'enforce', 1),
        decided('deny', 'restricted', 'latest', 'enforce', 1),
      ],
    );
    assert.deepEqual(
      [...counts.of('exemptions')].map(
        ([labels, count]) => `${labels['request_operation']} ${labels['resource']} ${count}`,
      ),
      ['create pod 1', 'create controller 0', 'update pod 0', 'update controller 0'],
    );
    assert.deepEqual(
      [...counts.of('errors')],
      [
        [{ fatal: 'true', ...ofPod }, 1],
        [{ fatal: 'false', ...ofPod }, 1],
      ],
    );
  });

  it('warns that labels of an exempt namespace are ignored', async () => {
    const warnings: string[] = [];
    const exemptions = { namespaces: ['free'] };
    const lenient = new PodSecurity(testLookup(), { exemptions });
    const warn = (text: string) => warnings.push(text);
    const namespaces = { group: '', resource: 'namespaces' };
    const labelled = namespace({ [label('enforce')]: 'baseline', [label('warn')]: 'restricted' }, 'free');
    await lenient.validate(testAttributesOf(namespaces, labelled, { warn }));
    await lenient.validate(testAttributesOf(namespaces, namespace({}, 'free'), { warn }));
    assert.deepEqual(warnings, [
      'namespace "free" is exempt from Pod Security, and the policy (enforce=baseline:latest, warn=restricted:latest) will be ignored',
    ]);
  });
});
