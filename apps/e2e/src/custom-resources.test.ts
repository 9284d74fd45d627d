import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Chain, startChain } from './chain.ts';
import { Kubectl } from './kubectl.ts';
import { requireKubectl, requireShared } from './requirements.ts';

describe('custom resources', () => {
  let chain: Chain;
  let kubectl: Kubectl;
  let crds: string;

  before(async function () {
    requireKubectl(this);
    crds = join(requireShared(this), 'testdata/crds');
    chain = await startChain();
    kubectl = new Kubectl(chain);
  });
  after(() => chain?.stop());

  it('are served from the creation of the CronTab CRD to its deletion', async () => {
    const manifest = readdirSync(join(crds, 'crontab')).map((file) => join(crds, 'crontab', file));
    const crd = manifest.find((file) => readFileSync(file, 'utf8').includes('kind: CustomResourceDefinition')) ?? '';
    await kubectl.ok(['apply', '-f', crd]);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/crontabs.stable.example.com', '--timeout=10s']);
    const cronTab = (name: string, spec: string) =>
      `apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: ${name}}
spec: ${spec}
`;
    await kubectl.ok(
      ['apply', '-f', '-'],
      cronTab('nightly', '{cronSpec: "0 3 * * *", image: "backup:1", replicas: 3}'),
    );
    const table = await kubectl.ok(['get', 'ct']);
    assert.match(table, /^NAME\s+SPEC\s+REPLICAS/m);
    assert.match(table, /^nightly\s+0 3 \* \* \*\s+3/m);
    assert.match(
      await kubectl.fails(
        ['apply', '--validate=false', '-f', '-'],
        cronTab('bad', '{cronSpec: "nonsense", image: "x", replicas: 3}'),
      ),
      /spec\.cronSpec.*should match/,
    );
    assert.match(
      await kubectl.fails(
        ['apply', '--validate=false', '-f', '-'],
        cronTab('bad', '{cronSpec: "0 3 * * *", image: "x", replicas: 11}'),
      ),
      /spec\.replicas/,
    );
    assert.match(
      await kubectl.fails(['create', '-f', '-'], cronTab('bad', '{image: "x", replicas: 1}')),
      /spec\.cronSpec: Required value/,
    );
    await kubectl.ok(['scale', 'ct/nightly', '--replicas=5']);
    assert.equal(await kubectl.ok(['get', 'ct', 'nightly', '-o', 'jsonpath={.spec.replicas}']), '5');
    assert.match(await kubectl.ok(['explain', 'crontab.spec']), /cronSpec\s+<string>/);
    await kubectl.ok(['delete', 'crd', 'crontabs.stable.example.com', '--timeout=120s']);
    assert.match(
      await kubectl.fails(['get', 'crontabs.stable.example.com']),
      /the server doesn't have a resource type/,
    );
    await kubectl.ok(['apply', '-f', crd]);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd/crontabs.stable.example.com', '--timeout=10s']);
    assert.equal(await kubectl.ok(['get', 'ct', '-o', 'name']), '');
  });

  it('are served for every real CRD', async function () {
    this.timeout(480_000);
    const files = readdirSync(crds, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.ya?ml$/.test(file) && !/(^|\/)(valid|invalid)\//.test(file),
    );
    const definitions = files
      .map((file) => join(crds, file))
      .filter((file) => /^kind: CustomResourceDefinition$/m.test(readFileSync(file, 'utf8')));
    assert.ok(definitions.length >= 20, `only ${definitions.length} CRDs found`);
    await kubectl.ok(['apply', '--server-side', ...definitions.flatMap((file) => ['-f', file])]);
    await kubectl.ok(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=120s']);
    assert.match(await kubectl.ok(['api-resources', '--api-group=gateway.networking.k8s.io']), /^httproutes\s/m);
    assert.match(await kubectl.ok(['explain', 'prometheus.spec.replicas']), /replicas/);
  });
});
