import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, startChain, waitFor } from './chain.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl } from './requirements.ts';

const forms = { 'three services': [], 'one process': ['--in-process', '--memory'] };

for (const [form, args] of Object.entries(forms))
  describe(`apichain up --simulate, in ${form}`, function () {
    this.timeout(480_000);
    let chain: Chain;
    let kubectl: Kubectl;
    before(async function () {
      requireKubectl(this);
      chain = await startChain({ args: [...args, '--simulate=2'] });
      kubectl = new Kubectl(chain);
    });
    after(() => chain?.stop());

    it('is ready with its nodes', async () => {
      assert.match(await kubectl.ok(['get', 'nodes', '-o', 'name']), /^node\/node-1\nnode\/node-2\n$/);
    });

    it('runs a Deployment from its creation to its deletion', async () => {
      await kubectl.ok(['create', 'deployment', 'web', '--image=nginx', '--replicas=2']);
      await kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=120s']);
      assert.match(await kubectl.ok(['get', 'deployment', 'web']), /^web +2\/2 +2 +2 /m);
      const [pod = ''] = (await kubectl.ok(['get', 'pods', '-o', 'name'])).split('\n');
      assert.match(await kubectl.ok(['logs', pod]), /nginx/);
      assert.equal(`pod/${(await kubectl.ok(['exec', pod, '--', 'hostname'])).trim()}`, pod);
      await kubectl.ok(['scale', 'deployment/web', '--replicas=3']);
      await kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=120s']);
      await kubectl.ok(['set', 'image', 'deployment/web', 'nginx=nginx:2']);
      await kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=120s']);
      await kubectl.ok(['rollout', 'undo', 'deployment/web']);
      await kubectl.ok(['rollout', 'status', 'deployment/web', '--timeout=120s']);
      await kubectl.ok(['delete', 'deployment', 'web']);
      await kubectl.ok(['wait', '--for=delete', 'pod', '--all', '--timeout=120s']);
    });

    it('has the nodes that were asked for, with their usage', async () => {
      const nodes = await kubectl.ok(['get', 'nodes', '-l', 'simulate.apichain.dev/simulated=true', '-o', 'name']);
      assert.deepEqual(nodes.trim().split('\n'), ['node/node-1', 'node/node-2']);
      const usage = async () => (await kubectl.run(['top', 'nodes'])).stdout;
      await waitFor(
        async () => /^node-2 +\d+m/m.test(await usage()),
        30_000,
        () => 'there is no usage',
      );
    });

    it('gives a claim without a class a volume as soon as a pod needs it', async () => {
      const claim = { claimName: 'data' };
      const pod = {
        containers: [{ name: 'main', image: 'nginx' }],
        volumes: [{ name: 'data', persistentVolumeClaim: claim }],
      };
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
      for (const object of [
        { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec },
        { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'with-data' }, spec: pod },
      ])
        await kubectl.ok(['create', '-f', '-'], JSON.stringify(object));
      await kubectl.ok(['wait', '--for=condition=Ready', 'pod/with-data', '--timeout=120s']);
      assert.match(await kubectl.ok(['get', 'pvc', 'data']), /^data +Bound +pvc-\S+ +1Gi +RWO +standard /m);
    });

    it('completes Jobs', async () => {
      await kubectl.ok(['create', 'job', 'once', '--image=worker']);
      await kubectl.ok(['wait', '--for=condition=complete', 'job/once', '--timeout=120s']);
    });
  });

describe('apichain up --simulate', function () {
  this.timeout(480_000);

  it('goes on without a stage that does not compile, and says where it is wrong', async function () {
    requireKubectl(this);
    const wrong = {
      ...{ apiVersion: 'simulate.apichain.dev/v1alpha1', kind: 'Stage', metadata: { name: 'wrong' } },
      spec: { resourceRef: { kind: 'Pod' }, delay: { durationFrom: { cel: { expression: 'self.(' } } } },
    };
    const folder = process.env['TMPDIR'] ?? '/tmp';
    const file = join(folder, `apichain-stages-${process.pid}.yaml`);
    writeFileSync(file, JSON.stringify(wrong));
    const chain = await startChain({ args: ['--in-process', '--memory', '--simulate=1', `--stages=${file}`] });
    try {
      const kubectl = new Kubectl(chain);
      await kubectl.ok(['run', 'web', '--image=nginx']);
      await kubectl.ok(['wait', '--for=condition=Ready', 'pod/web', '--timeout=120s']);
      assert.match(chain.log('apichain'), /stage wrong: .*spec\.delay\.durationFrom/);
    } finally {
      await chain.stop();
    }
  });
});
