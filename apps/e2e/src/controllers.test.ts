import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { type Chain, repository, startChain, waitFor } from './chain.ts';
import { definitionOf } from './definitions.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const widgets = JSON.stringify(definitionOf('controllers.example.com', 'Widget'));

const widget = (name: string, owner: string, finalizers: string[]) =>
  JSON.stringify({
    apiVersion: 'controllers.example.com/v1',
    kind: 'Widget',
    metadata: { name, finalizers, ...(owner === '' ? {} : { ownerReferences: [JSON.parse(owner)] }) },
  });

const claim = (name: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });

const podWithClaim = (name: string, claimName: string) =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      nodeName: 'somewhere',
      containers: [{ name: 'c', image: 'busybox' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });

const withoutFinalizers = '--type=merge -p {"metadata":{"finalizers":null}}'.split(' ');

describe('controllers', function () {
  this.timeout(480_000);
  let chain: Chain;
  let kubectl: Kubectl;

  before(async function () {
    requireKubectl(this);
    chain = await startChain();
    kubectl = new Kubectl(chain);
    await kubectl.ok(['apply', '-f', '-'], widgets);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/widgets.controllers.example.com', '--timeout=120s']);
  });
  after(() => chain?.stop());

  const eventually = (what: string, condition: () => Promise<boolean>) => waitFor(condition, 30_000, () => what);
  const names = async (namespace: string, kinds: string) =>
    (await kubectl.ok(['-n', namespace, 'get', kinds, '-o', 'name'])).split('\n').filter((name) => name !== '');
  const exists = async (namespace: string, object: string) =>
    (await kubectl.run(['-n', namespace, 'get', object])).code === 0;

  /** Creates a Deployment with two dependents. The finalizers, if any, keep the second dependent from being deleted. */
  async function family(namespace: string, name: string, finalizers: string[] = []): Promise<void> {
    await kubectl.ok(['-n', namespace, 'create', 'deployment', name, '--image=nginx']);
    const uid = await kubectl.ok(['-n', namespace, 'get', 'deployment', name, '-o', 'jsonpath={.metadata.uid}']);
    const owner = JSON.stringify({ apiVersion: 'apps/v1', kind: 'Deployment', name, uid, blockOwnerDeletion: true });
    await kubectl.ok(['-n', namespace, 'apply', '-f', '-'], widget(`${name}-free`, owner, []));
    await kubectl.ok(['-n', namespace, 'apply', '-f', '-'], widget(`${name}-held`, owner, finalizers));
  }

  it('create a ServiceAccount and the CA ConfigMap in every namespace', async () => {
    await kubectl.ok(['create', 'namespace', 'furnished']);
    for (const namespace of ['default', 'kube-system', 'furnished']) {
      await eventually(`${namespace} has a ServiceAccount`, () => exists(namespace, 'serviceaccount/default'));
      await eventually(`${namespace} has an authority`, () => exists(namespace, 'configmap/kube-root-ca.crt'));
    }
    const jsonpath = 'jsonpath={.data.ca\\.crt}';
    const published = await kubectl.ok(['-n', 'furnished', 'get', 'cm', 'kube-root-ca.crt', '-o', jsonpath]);
    assert.equal(published, chain.admin.ca);
    await kubectl.ok(['-n', 'furnished', 'delete', 'serviceaccount', 'default']);
    await kubectl.ok(['-n', 'furnished', 'delete', 'configmap', 'kube-root-ca.crt']);
    await eventually('the ServiceAccount is back', () => exists('furnished', 'serviceaccount/default'));
    await eventually('the authority is back', () => exists('furnished', 'configmap/kube-root-ca.crt'));
  });

  it('keep a terminating claim while a scheduled pod uses it', async () => {
    await kubectl.ok(['create', 'namespace', 'claims']);
    const kubectlHere = (...args: string[]) => kubectl.ok(['-n', 'claims', ...args]);
    for (const name of ['used', 'free']) await kubectl.ok(['-n', 'claims', 'apply', '-f', '-'], claim(name));
    await kubectl.ok(['-n', 'claims', 'apply', '-f', '-'], podWithClaim('holder', 'used'));
    await kubectlHere('delete', 'pvc', 'used', '--wait=false');
    // The claim `free` passes through the same queue after the claim `used`.
    await kubectlHere('delete', 'pvc', 'free', '--timeout=120s');
    assert.deepEqual(await names('claims', 'pvc'), ['persistentvolumeclaim/used']);
    await kubectlHere('delete', 'pod', 'holder', '--force', '--grace-period=0');
    await eventually('the claim is gone', async () => (await names('claims', 'pvc')).length === 0);
  });

  it('finish the deletion of a namespace after its last finalizer, and report the remaining content until then', async () => {
    await kubectl.ok(['create', 'namespace', 'doomed']);
    await kubectl.ok(['-n', 'doomed', 'create', 'deployment', 'web', '--image=nginx']);
    await kubectl.ok(['-n', 'doomed', 'apply', '-f', '-'], widget('held', '', ['example.com/held']));
    await kubectl.ok(['delete', 'namespace', 'doomed', '--wait=false']);
    const condition = async (type: string) =>
      kubectl.ok(['get', 'ns', 'doomed', '-o', `jsonpath={.status.conditions[?(@.type=="${type}")].message}`]);
    await eventually('the finalizer is reported', async () =>
      (await condition('NamespaceFinalizersRemaining')).includes('example.com/held in 1 resource instances'),
    );
    assert.equal(
      await condition('NamespaceContentRemaining'),
      'Some resources are remaining: widgets.controllers.example.com has 1 resource instances',
    );
    assert.deepEqual(await names('doomed', 'deployments,widgets'), ['widget.controllers.example.com/held']);
    await kubectl.ok(['-n', 'doomed', 'patch', 'widget', 'held', ...withoutFinalizers]);
    await kubectl.ok(['wait', '--for=delete', 'namespace/doomed', '--timeout=120s']);
  });

  it('finish a namespace with Deployments, Pods and custom resources after an operator removes their finalizers', async () => {
    await kubectl.ok(['create', 'namespace', 'full']);
    await kubectl.ok(['-n', 'full', 'create', 'deployment', 'web', '--image=nginx']);
    await kubectl.ok(['-n', 'full', 'create', 'configmap', 'settings', '--from-literal=a=b']);
    await kubectl.ok(['-n', 'full', 'run', 'pod', '--image=nginx']);
    for (const name of ['one', 'two'])
      await kubectl.ok(['-n', 'full', 'apply', '-f', '-'], widget(name, '', ['example.com/held']));
    const deletion = kubectl.ok(['delete', 'namespace', 'full', '--timeout=120s']);
    await eventually('the operator is asked', async () => {
      const times = await kubectl.ok(['-n', 'full', 'get', 'widgets', '-o', 'jsonpath={..deletionTimestamp}']);
      return times.split(' ').length === 2;
    });
    for (const name of ['one', 'two']) await kubectl.ok(['-n', 'full', 'patch', 'widget', name, ...withoutFinalizers]);
    await deletion;
    assert.equal(await exists('full', 'namespace/full'), false);
  });

  it('delete the token Secrets of a deleted ServiceAccount, and of one that never existed', async () => {
    const token = (name: string, account: string) =>
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, annotations: { 'kubernetes.io/service-account.name': account } },
        type: 'kubernetes.io/service-account-token',
      });
    await kubectl.ok(['create', 'namespace', 'tokens']);
    await kubectl.ok(['-n', 'tokens', 'create', 'serviceaccount', 'robot']);
    await kubectl.ok(['-n', 'tokens', 'apply', '-f', '-'], token('robot-token', 'robot'));
    await kubectl.run(['-n', 'tokens', 'apply', '-f', '-'], token('nobody-token', 'nobody'));
    await eventually('the token of nobody is gone', async () => !(await exists('tokens', 'secret/nobody-token')));
    const namespaceOf = 'jsonpath={.data.namespace}';
    await eventually(
      'the token of the robot is filled',
      async () =>
        (await kubectl.ok(['-n', 'tokens', 'get', 'secret', 'robot-token', '-o', namespaceOf])) ===
        Buffer.from('tokens').toString('base64'),
    );
    await kubectl.ok(['-n', 'tokens', 'delete', 'serviceaccount', 'robot']);
    await eventually('its token is gone', async () => !(await exists('tokens', 'secret/robot-token')));
  });

  it('delete custom resources with their definition, after their finalizers are removed', async () => {
    await kubectl.ok(['apply', '-f', '-'], widgets.replaceAll('widget', 'gadget').replaceAll('Widget', 'Gadget'));
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/gadgets.controllers.example.com', '--timeout=120s']);
    const gadget = (name: string, finalizers: string[]) => widget(name, '', finalizers).replace('Widget', 'Gadget');
    const many = Array.from({ length: 40 }, (_, i) => gadget(`free-${i}`, []));
    const items = [...many, gadget('held', ['example.com/held'])].join(',');
    await kubectl.ok(['create', '-f', '-'], `{"apiVersion": "v1", "kind": "List", "items": [${items}]}`);
    await kubectl.ok(['delete', 'crd', 'gadgets.controllers.example.com', '--wait=false']);
    await eventually('the free ones are gone', async () => (await names('default', 'gadgets')).length === 1);
    const refused = await kubectl.run(['apply', '-f', '-'], gadget('late', []));
    assert.match(refused.stderr, /create not allowed while custom resource definition is terminating/);
    await kubectl.ok(['patch', 'gadget', 'held', ...withoutFinalizers]);
    await kubectl.ok(['wait', '--for=delete', 'crd/gadgets.controllers.example.com', '--timeout=120s']);
  });

  describe('when an owner is deleted', () => {
    before(() => kubectl.ok(['create', 'namespace', 'owners']));

    it('in the background, its dependents are deleted after it', async () => {
      await family('owners', 'background');
      await kubectl.ok(['-n', 'owners', 'delete', 'deployment', 'background', '--cascade=background']);
      await eventually('the dependents are gone', async () => (await names('owners', 'widgets')).length === 0);
    });

    it('in the foreground, its dependents are deleted before it', async () => {
      await family('owners', 'foreground', ['example.com/held']);
      await kubectl.ok(['-n', 'owners', 'delete', 'deploy', 'foreground', '--cascade=foreground', '--wait=false']);
      await eventually('the free dependent is gone', async () => (await names('owners', 'widgets')).length === 1);
      assert.ok(await exists('owners', 'deployment/foreground'), 'the owner waits');
      await kubectl.ok(['-n', 'owners', 'patch', 'widget', 'foreground-held', ...withoutFinalizers]);
      await eventually('all are gone', async () => (await names('owners', 'widgets,deployments')).length === 0);
    });

    it('with Orphan, its dependents remain without the reference', async () => {
      await family('owners', 'orphaning');
      await kubectl.ok(['-n', 'owners', 'delete', 'deployment', 'orphaning', '--cascade=orphan']);
      const references = await kubectl.ok(['-n', 'owners', 'get', 'widgets', '-o', 'jsonpath={..ownerReferences}']);
      assert.equal(references, '');
      assert.equal((await names('owners', 'widgets')).length, 2);
    });

    it('of a custom kind, built-in dependents and their dependents are deleted, also in the foreground', async () => {
      const ownedBy = async (kind: string, apiVersion: string, name: string) => {
        const uid = await kubectl.ok(['-n', 'owners', 'get', kind, name, '-o', 'jsonpath={.metadata.uid}']);
        return [{ apiVersion, kind, name, uid, blockOwnerDeletion: true }];
      };
      const child = (kind: string, name: string, ownerReferences: object[]) =>
        kubectl.ok(
          ['-n', 'owners', 'apply', '-f', '-'],
          JSON.stringify({ apiVersion: 'v1', kind, metadata: { name, ownerReferences } }),
        );
      await kubectl.ok(['-n', 'owners', 'apply', '-f', '-'], widget('ancestor', '', []));
      await child('ConfigMap', 'parent', await ownedBy('Widget', 'controllers.example.com/v1', 'ancestor'));
      await child('Secret', 'descendant', await ownedBy('ConfigMap', 'v1', 'parent'));
      await kubectl.ok(['-n', 'owners', 'delete', 'widget', 'ancestor', '--cascade=foreground', '--timeout=120s']);
      assert.equal(await exists('owners', 'configmap/parent'), false);
      // Only the direct dependents are deleted in the foreground.
      await eventually('the last is gone', async () => !(await exists('owners', 'secret/descendant')));
    });

    it('that never existed, its dependents are deleted', async () => {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'never', uid: 'f7cdbd4d-0000-4000-8000-000000000000' };
      await kubectl.ok(['-n', 'owners', 'apply', '-f', '-'], widget('lost', JSON.stringify(owner), []));
      await eventually('it is gone', async () => !(await exists('owners', 'widget/lost')));
    });

    it('in another namespace, the dependent is deleted with an event', async () => {
      const uid = await kubectl.ok([
        '-n',
        'default',
        'get',
        'cm',
        'kube-root-ca.crt',
        '-o',
        'jsonpath={.metadata.uid}',
      ]);
      const owner = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', name: 'kube-root-ca.crt', uid });
      await kubectl.ok(['-n', 'owners', 'apply', '-f', '-'], widget('stranger', owner, []));
      await eventually('it is gone', async () => !(await exists('owners', 'widget/stranger')));
      await eventually('there is an event', async () =>
        (await kubectl.ok(['-n', 'owners', 'get', 'events'])).includes('OwnerRefInvalidNamespace'),
      );
    });
  });

  it('delete a finished Job after its ttl', async () => {
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'brief' },
      spec: {
        ttlSecondsAfterFinished: 1,
        template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'busybox' }] } },
      },
    };
    await kubectl.ok(['apply', '-f', '-'], JSON.stringify(job));
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: now, lastProbeTime: now });
    const status = {
      startTime: now,
      completionTime: now,
      succeeded: 1,
      conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
    };
    await kubectl.ok([
      'patch',
      'job',
      'brief',
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status }),
    ]);
    await eventually('the Job is gone', async () => !(await exists('default', 'job/brief')));
  });

  it('fill an aggregated ClusterRole', async () => {
    const role = (name: string, rest: object) =>
      JSON.stringify({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, ...rest });
    const selector = { matchLabels: { 'example.com/collect': 'true' } };
    await kubectl.ok(['apply', '-f', '-'], role('whole', { aggregationRule: { clusterRoleSelectors: [selector] } }));
    await kubectl.ok(['create', 'clusterrole', 'part', '--verb=get', '--resource=pods']);
    await kubectl.ok(['label', 'clusterrole', 'part', 'example.com/collect=true']);
    await eventually(
      'the rule is there',
      async () =>
        (await kubectl.ok(['get', 'clusterrole', 'whole', '-o', 'jsonpath={.rules[*].resources}'])) === '["pods"]',
    );
  });

  it('elect one of two replicas, and the other one after the first has stopped', async () => {
    const flags = ['--leader-elect-lease-duration=3s', '--leader-elect-renew-deadline=2s'];
    const replicas = [0, 1].map(() =>
      startReplica([...flags, '--leader-elect-retry-period=300ms', '--leader-elect-resource-name=two-replicas']),
    );
    const leaders = () => replicas.filter((replica) => replica.output().includes('became leader'));
    try {
      await eventually('one leads', async () => leaders().length > 0);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      assert.equal(leaders().length, 1);
      const [leader] = leaders();
      assert.equal(await leader?.stop(), 0);
      await eventually('the other leads', async () => leaders().length === 2);
    } finally {
      for (const replica of replicas) await replica.stop();
    }
  });

  it('elect the other replica when the leader is killed', async () => {
    const controllers = ['--controllers=clusterrole-aggregation', '--leader-elect-resource-name=killed-replica'];
    const times = ['--leader-elect-lease-duration=6s', '--leader-elect-renew-deadline=5s'];
    const replicas = [0, 1].map(() => startReplica([...controllers, ...times, '--leader-elect-retry-period=200ms']));
    const leaders = () => replicas.filter((replica) => replica.output().includes('became leader'));
    try {
      await eventually('one leads', async () => leaders().length === 1);
      const [killed] = leaders();
      killed?.kill();
      await eventually('the other leads', async () => leaders().length === 2);
      const survivor = replicas.find((replica) => replica !== killed);
      await eventually('it has seen everything', async () => survivor?.output().includes('in sync') === true);
      const transitions = ['-o', 'jsonpath={.spec.leaseTransitions}'];
      assert.equal(await kubectl.ok(['-n', 'kube-system', 'get', 'lease', 'killed-replica', ...transitions]), '1');
    } finally {
      for (const replica of replicas) await replica.stop();
    }
  });

  function startReplica(flags: readonly string[]): Replica {
    const main = join(repository, 'apps/controllers/src/main.ts');
    const child: ChildProcess = spawn(process.execPath, [main, `--kubeconfig=${chain.kubeconfig}`, ...flags], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
    return {
      output: () => output,
      kill: () => child.kill('SIGKILL'),
      stop: () => {
        child.kill('SIGTERM');
        return exited;
      },
    };
  }
});

interface Replica {
  output(): string;
  kill(): void;
  stop(): Promise<number | null>;
}

describe('apichain up --controllers', () => {
  it('runs the controllers with --in-process', async function () {
    this.timeout(480_000);
    requireKubectl(this);
    const chain = await startChain({ args: ['--in-process', '--memory'] });
    try {
      const kubectl = new Kubectl(chain);
      await kubectl.ok(['create', 'namespace', 'brief']);
      const account = ['-n', 'brief', 'wait', '--for=create', 'serviceaccount/default', '--timeout=120s'];
      await kubectl.ok(account);
      await kubectl.ok(['delete', 'namespace', 'brief', '--timeout=120s']);
    } finally {
      await chain.stop();
    }
  });

  it('runs no controllers with -*, and refuses an unknown name', async function () {
    this.timeout(480_000);
    const chain = await startChain({ args: ['--controllers=-*'] });
    assert.equal(chain.pids()['controllers'], undefined);
    await chain.stop();
    await assert.rejects(startChain({ args: ['--controllers=nonsense'] }), /"nonsense" is not in the list of known/);
  });
});
