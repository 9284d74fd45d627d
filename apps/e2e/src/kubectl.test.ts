import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type Chain, startChain, waitFor } from './chain.ts';
import { Kubectl } from './kubectl.ts';
import { everydayManifests } from './manifests.ts';
import { requireKubectl } from './requirements.ts';

describe('kubectl', () => {
  let chain: Chain;
  let kubectl: Kubectl;

  before(async function () {
    requireKubectl(this);
    chain = await startChain();
    kubectl = new Kubectl(chain);
    await kubectl.ok(['create', 'namespace', 'shop']);
    await kubectl.ok(['apply', '-n', 'shop', '-f', '-'], everydayManifests);
  });
  after(() => chain?.stop());

  const inShop = (...args: string[]) => ['-n', 'shop', ...args];
  interface Shown {
    metadata: { labels: Record<string, string>; annotations: Record<string, string> };
    data: Record<string, string>;
    spec: {
      replicas: number;
      accessModes: string[];
      volumeMode: string;
      template: { spec: { containers: { name: string }[] } };
    };
  }
  const json = async (...args: string[]) => JSON.parse(await kubectl.ok(inShop('get', '-o', 'json', ...args))) as Shown;

  it('shows versions and served resources', async () => {
    assert.match(await kubectl.ok(['version']), /Server Version: v1\.36\./);
    const resources = await kubectl.ok(['api-resources']);
    assert.match(resources, /^deployments\s+deploy\s+apps\/v1\s+true\s+Deployment$/m);
    assert.match(resources, /^apiservices\s+apiregistration\.k8s\.io\/v1\s+false\s+APIService$/m);
    assert.match(resources, /^customresourcedefinitions\s+crd,crds\s+apiextensions\.k8s\.io\/v1/m);
    const versions = (await kubectl.ok(['api-versions'])).trim().split('\n');
    assert.ok(versions.includes('resource.k8s.io/v1'));
    assert.deepEqual(
      versions.filter((version) => !/\bv\d+$/.test(version)),
      [],
    );
  });

  it('explains a type', async () => {
    const text = await kubectl.ok(['explain', 'deployment.spec']);
    assert.match(text, /GROUP:\s+apps/);
    assert.match(text, /replicas\s+<integer>\s+Number of desired pods\./);
    assert.match(text, /template\s+<PodTemplateSpec> -required-/);
    assert.match(await kubectl.ok(['explain', 'pod.spec.containers', '--recursive']), /livenessProbe/);
  });

  it('shows every applied kind in each format', async () => {
    assert.match(
      await kubectl.ok(inShop('get', 'deploy', '-o', 'wide')),
      /^web\s+0\/2\s+0\s+0\s+\S+\s+web\s+nginx:1\.27\s+app=web$/m,
    );
    assert.equal(
      (await kubectl.ok(inShop('get', 'all,ing,cm,secret,role,rolebinding,pvc', '-o', 'name'))).includes(
        'ingress.networking.k8s.io/web',
      ),
      true,
    );
    assert.equal(
      await kubectl.ok(inShop('get', 'secret', 'password', '-o', 'jsonpath={.data.password}')),
      Buffer.from('hunter2').toString('base64'),
    );
    assert.match(await kubectl.ok(inShop('get', 'svc', 'web', '-o', 'yaml')), /clusterIP: 10\.0\./);
    assert.match(await kubectl.ok(inShop('get', 'cronjobs')), /^nightly\s+0 3 \* \* \*\s+<none>\s+False\s+0\s+<none>/m);
    assert.match(await kubectl.ok(inShop('describe', 'deployment', 'web')), /Replicas:\s+2 desired/);
    const pvc = await json('pvc', 'data');
    assert.deepEqual(pvc.spec.accessModes, ['ReadWriteOnce']);
    assert.equal(pvc.spec.volumeMode, 'Filesystem');
  });

  it('applies again, diffs, edits and replaces', async () => {
    const again = await kubectl.ok(inShop('apply', '-f', '-'), everydayManifests);
    // kubectl reports a Secret with stringData as configured every time, because the server never returns that field.
    assert.doesNotMatch(again.replace('secret/password configured', ''), /configured|created/);
    const changed = everydayManifests.replace('mode: production', 'mode: test');
    const diff = await kubectl.run(inShop('diff', '-f', '-'), changed);
    assert.equal(diff.code, 1);
    assert.match(diff.stdout, /^-\s+mode: production$/m);
    assert.match(await kubectl.ok(inShop('apply', '-f', '-'), changed), /configmap\/settings configured/);
    assert.equal((await json('cm', 'settings')).data.mode, 'test');
    const replaced = await json('cm', 'settings');
    replaced.data.extra = '1';
    await kubectl.ok(inShop('replace', '-f', '-'), JSON.stringify(replaced));
    assert.equal((await json('cm', 'settings')).data.extra, '1');
  });

  it('labels, annotates, scales and patches in every way', async () => {
    await kubectl.ok(inShop('label', 'deployment', 'web', 'tier=front'));
    await kubectl.ok(inShop('annotate', 'deployment', 'web', 'note=hello'));
    await kubectl.ok(inShop('scale', 'deployment', 'web', '--replicas=3'));
    await kubectl.ok(
      inShop(
        'patch',
        'deployment',
        'web',
        '--type=json',
        '-p',
        '[{"op":"add","path":"/metadata/labels/json","value":"yes"}]',
      ),
    );
    await kubectl.ok(
      inShop('patch', 'deployment', 'web', '--type=merge', '-p', '{"metadata":{"labels":{"merge":"yes"}}}'),
    );
    await kubectl.ok(
      inShop(
        'patch',
        'deployment',
        'web',
        '-p',
        '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:1"}]}}}}',
      ),
    );
    const web = await json('deployment', 'web');
    assert.equal(web.spec.replicas, 3);
    assert.deepEqual(
      [web.metadata.labels.tier, web.metadata.annotations.note, web.metadata.labels.json, web.metadata.labels.merge],
      ['front', 'hello', 'yes', 'yes'],
    );
    assert.deepEqual(web.spec.template.spec.containers.map((container) => container.name).sort(), ['side', 'web']);
  });

  it('selects by label and field, and lists in chunks', async () => {
    for (let i = 0; i < 7; i++) await kubectl.ok(inShop('create', 'configmap', `many-${i}`, '--from-literal=a=b'));
    await kubectl.ok(inShop('label', 'cm', 'many-1', 'many-2', 'pick=me'));
    assert.equal(
      await kubectl.ok(inShop('get', 'cm', '-l', 'pick=me', '-o', 'name')),
      'configmap/many-1\nconfigmap/many-2\n',
    );
    assert.equal(
      await kubectl.ok(inShop('get', 'cm', '--field-selector', 'metadata.name=many-3', '-o', 'name')),
      'configmap/many-3\n',
    );
    const names = (await kubectl.ok(inShop('get', 'cm', '--chunk-size=2', '-o', 'name'))).trim().split('\n');
    assert.equal(names.filter((name) => name.startsWith('configmap/many-')).length, 7);
    assert.match(
      await kubectl.fails(inShop('get', 'cm', '--field-selector', 'spec.x=1')),
      /is not a known field selector/,
    );
  });

  it('watches', async () => {
    const args = [`--kubeconfig=${chain.kubeconfig}`, ...inShop('get', 'cm', '-w', '-o', 'name')];
    const watching = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let seen = '';
    watching.stdout.on('data', (chunk: Buffer) => (seen += chunk.toString('utf8')));
    await waitFor(
      () => seen.includes('configmap/settings'),
      10_000,
      () => seen,
    );
    await kubectl.ok(inShop('create', 'configmap', 'appears'));
    await waitFor(
      () => seen.includes('configmap/appears'),
      10_000,
      () => seen,
    );
    watching.kill();
  });

  it('waits', async () => {
    await kubectl.ok(inShop('wait', '--for=jsonpath={.spec.replicas}=3', 'deployment/web', '--timeout=10s'));
    const waiting = kubectl.ok(inShop('wait', '--for=delete', 'cm/appears', '--timeout=120s'));
    await kubectl.ok(inShop('delete', 'cm', 'appears'));
    await waiting;
  });

  it('dry-runs on the server, checks its permissions, and reads raw paths', async () => {
    assert.match(
      await kubectl.ok(inShop('create', 'configmap', 'ghost', '--dry-run=server')),
      /ghost created \(server dry run\)/,
    );
    assert.match(await kubectl.fails(inShop('get', 'cm', 'ghost')), /NotFound/);
    assert.equal((await kubectl.ok(inShop('auth', 'can-i', 'create', 'pods'))).trim(), 'yes');
    assert.match(await kubectl.ok(['get', '--raw', '/readyz?verbose']), /readyz check passed/);
    assert.equal(JSON.parse(await kubectl.ok(['get', '--raw', '/api/v1/namespaces/shop'])).kind, 'Namespace');
  });

  it('applies server-side with conflicts', async () => {
    const manifest = (value: string) =>
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ssa"},"data":{"a":"${value}"}}`;
    await kubectl.ok(inShop('apply', '--server-side', '--field-manager=one', '-f', '-'), manifest('1'));
    assert.match(
      await kubectl.fails(inShop('apply', '--server-side', '--field-manager=two', '-f', '-'), manifest('2')),
      /conflict with "one"/,
    );
    await kubectl.ok(
      inShop('apply', '--server-side', '--field-manager=two', '--force-conflicts', '-f', '-'),
      manifest('2'),
    );
    assert.equal((await json('cm', 'ssa')).data.a, '2');
  });

  it('deletes the applied objects', async () => {
    await kubectl.ok(inShop('delete', '--wait=false', '-f', '-'), everydayManifests);
    assert.match(await kubectl.fails(inShop('get', 'deployment', 'web')), /NotFound/);
    assert.equal(await kubectl.ok(inShop('get', 'svc,ing,secret,cronjob,role', '-o', 'name')), '');
  });
});
