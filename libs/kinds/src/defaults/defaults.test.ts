import assert from 'node:assert/strict';
import { parseGroupVersion, type GroupVersionKind, type KubeObject } from '@apichain/meta';
import { canonicalize, decodeObject } from '@apichain/scheme';
import { at, isRecord, record, text, type Plain } from '../fields.ts';
import { builtinType } from '../types.ts';
import { imageTag } from './pods.ts';
import { defaulterFor } from './index.ts';
import { recordedScenarios, type RecordedStep } from './recorded-steps.fixture.ts';

function defaulted(value: unknown): Plain {
  const { apiVersion, kind } = record(value);
  const gvk: GroupVersionKind = { ...parseGroupVersion(text(apiVersion)), kind: text(kind) };
  const type = builtinType(gvk);
  assert.ok(type, `${text(apiVersion)} ${text(kind)}`);
  const { object } = decodeObject(value, type);
  defaulterFor(gvk)?.(object as KubeObject);
  return canonicalize(object, type);
}

/** Fields that admission, strategies and allocators set, not the defaulter. */
const setElsewhere = new Set([
  'clusterIP',
  'clusterIPs',
  'ipFamilies',
  'ipFamilyPolicy',
  'nodePort',
  'healthCheckNodePort',
  'priority',
  'preemptionPolicy',
  'tolerations',
  'taints',
  'extra',
  'groups',
  'username',
]);

/** The paths at which the recorded object differs. */
function differences(actual: unknown, recorded: unknown, path: string): string[] {
  if (isRecord(actual) && isRecord(recorded)) {
    const names = new Set([...Object.keys(actual), ...Object.keys(recorded)]);
    return [...names].flatMap((name) =>
      setElsewhere.has(name) ? [] : differences(actual[name], recorded[name], `${path}.${name}`),
    );
  }
  if (Array.isArray(actual) && Array.isArray(recorded) && actual.length === recorded.length) {
    return actual.flatMap((item, i) => differences(item, recorded[i], `${path}[${i}]`));
  }
  const same = JSON.stringify(actual) === JSON.stringify(recorded) || /[<$]/.test(JSON.stringify(recorded) ?? '');
  return same ? [] : [`${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(recorded)}`];
}

function compare(step: RecordedStep): string[] {
  if (step.method !== 'POST' || step.status !== 201 || !isRecord(step.body)) return [];
  const { response } = step;
  if (response.kind !== step.body.kind || response.apiVersion !== step.body.apiVersion) return [];
  const actual = defaulted(step.body);
  const { metadata: _metadata, status: _status, ...expected } = response;
  const { metadata: _ownMetadata, status: _ownStatus, ...own } = actual;
  return differences(own, expected, '').map((difference) => `${step.name} ${difference}`);
}

const pod = (spec: Plain): Plain => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec });

describe('defaults of built-in kinds', () => {
  it('fills what the original server fills in on create', async function () {
    const steps = (await recordedScenarios(this, 'kinds-defaults')).flat();
    const found = steps.flatMap(compare);
    // The labels and the selector of a Job are set by its strategy.
    assert.deepEqual(
      found.filter((difference) => !difference.includes('batch.kubernetes.io')),
      [],
    );
    assert.ok(steps.length > 50);
  });

  it('copies limits to missing requests in pods but not in templates', () => {
    const containers = [{ name: 'c', image: 'i', resources: { limits: { cpu: '1' } } }];
    assert.deepEqual(at(defaulted(pod({ containers })), 'spec', 'containers', '0'), undefined);
    const [inPod] = record(defaulted(pod({ containers })).spec).containers as Plain[];
    assert.deepEqual(inPod?.resources, { limits: { cpu: '1' }, requests: { cpu: '1' } });
    const template = {
      apiVersion: 'v1',
      kind: 'PodTemplate',
      metadata: { name: 't' },
      template: { spec: { containers } },
    };
    const [inTemplate] = at(defaulted(template), 'template', 'spec', 'containers') as Plain[];
    assert.deepEqual(inTemplate?.resources, { limits: { cpu: '1' } });
  });

  it('sums container resources for pod-level resources', () => {
    const containers = ['a', 'b'].map((name) => ({
      name,
      image: 'i',
      resources: { requests: { cpu: '100m' }, limits: { 'hugepages-2Mi': '2Mi' } },
    }));
    const spec = record(defaulted(pod({ containers, resources: { limits: { cpu: '1' } } })).spec);
    assert.deepEqual(spec.resources, {
      limits: { cpu: '1', 'hugepages-2Mi': '4Mi' },
      requests: { cpu: '200m', 'hugepages-2Mi': '4Mi' },
    });
  });

  it('rounds resource amounts up to a thousandth', () => {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '100u', memory: '0.0005' } } }];
    const [container] = record(defaulted(pod({ containers })).spec).containers as Plain[];
    assert.deepEqual(at(container, 'resources', 'requests'), { cpu: '1m', memory: '1m' });
  });

  it('applies the side effects of internal conversion', () => {
    const secret = defaulted({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {},
      data: { a: 'eA==' },
      stringData: { b: 'y' },
    });
    assert.deepEqual(secret.data, { a: 'eA==', b: 'eQ==' });
    assert.equal(secret.stringData, undefined);
    const spec = record(
      defaulted(pod({ containers: [], serviceAccount: 'sa', terminationGracePeriodSeconds: -5 })).spec,
    );
    assert.equal(spec.serviceAccountName, 'sa');
    assert.equal(spec.terminationGracePeriodSeconds, 1);
    const node = defaulted({ apiVersion: 'v1', kind: 'Node', metadata: {}, spec: { podCIDR: '10.0.0.0/24' } });
    assert.deepEqual(at(node, 'spec', 'podCIDRs'), ['10.0.0.0/24']);
  });

  it('defaults rules that are embedded in others', () => {
    const webhooks = [
      { name: 'a.b.c', rules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }] },
    ];
    const configuration = defaulted({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: {},
      webhooks,
    });
    const [webhook] = configuration.webhooks as Plain[];
    assert.equal((webhook?.rules as Plain[])[0]?.scope, '*');
    assert.equal(webhook?.timeoutSeconds, 10);
  });

  it('gives the same result a second time', () => {
    const once = defaulted(pod({ containers: [{ name: 'c', image: 'i' }], volumes: [{ name: 'v' }] }));
    assert.deepEqual(defaulted(once), once);
  });

  it('changes nothing for kinds without defaults', () => {
    assert.equal(defaulterFor({ group: 'policy', version: 'v1', kind: 'PodDisruptionBudget' }), undefined);
    assert.equal(defaulterFor({ group: 'x', version: 'v1', kind: 'Y' }), undefined);
  });

  it('sets no limits without limits', () => {
    const range = { apiVersion: 'v1', kind: 'LimitRange', spec: { limits: [{ type: 'Container' }] } } as unknown;
    defaulterFor({ group: '', version: 'v1', kind: 'LimitRange' })?.(range as KubeObject);
    assert.deepEqual(record(range).spec, { limits: [{ type: 'Container' }] });
  });
});

describe('image references', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const tags: readonly (readonly [string, string | undefined])[] = [
    ['nginx', 'latest'],
    ['nginx:1.2', '1.2'],
    ['localhost:5000/a/b', 'latest'],
    ['localhost:5000/a/b:latest', 'latest'],
    [`registry.example.com/a@${digest}`, ''],
    [`a:1@${digest}`, '1'],
    ['Upper/case', 'latest'],
    ['UPPER', undefined],
    ['', undefined],
    ['a b', undefined],
    ['a'.repeat(64), undefined],
  ];
  for (const [image, tag] of tags) {
    it(`reads ${image.slice(0, 40) || 'an empty text'}`, () => assert.equal(imageTag(image), tag));
  }
  it('leaves an empty list of scaling policies for validation to refuse', () => {
    const scaled = (scaleUp: Plain) => {
      const spec = { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' }, behavior: { scaleUp } };
      const object = defaulted({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata: {}, spec });
      return at(object, 'spec', 'behavior', 'scaleUp', 'policies');
    };
    assert.deepEqual(scaled({ policies: [] }), []);
    assert.equal((scaled({}) as unknown[]).length, 2);
  });
});
