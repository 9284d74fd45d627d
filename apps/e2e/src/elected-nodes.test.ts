import assert from 'node:assert/strict';
import type { Lease } from '@apichain/api/coordination/v1';
import type { Node, Pod } from '@apichain/api/core/v1';
import { RestClient, httpTransport, loadKubeconfig } from '@apichain/client';
import { startSimulation } from '@apichain/simulation';
import { type TestChain, startChain } from '@apichain/testing';
import { eventually } from './workload-objects.ts';

const pods = { group: '', version: 'v1', resource: 'pods', namespace: 'default' };
const nodes = { group: '', version: 'v1', resource: 'nodes' };
const lease = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases', namespace: 'kube-system' };

describe('several simulations of nodes', function () {
  this.timeout(480_000);
  let chain: TestChain;
  let client: RestClient;
  before(async () => {
    chain = await startChain({ flags: ['--authorization-mode=Node,RBAC'] });
    client = new RestClient(httpTransport(loadKubeconfig(chain.kubeconfigFile)));
  });
  after(async () => {
    await client.close();
    await chain.stop();
  });

  /** One that has two nodes while it holds the Lease, and what it logs. */
  function simulate() {
    const stop = new AbortController();
    const lines: string[] = [];
    const note = (line: string) => void lines.push(line);
    const simulation = startSimulation({
      connect: (userAgent) => httpTransport({ ...loadKubeconfig(chain.kubeconfigFile), userAgent }),
      signal: stop.signal,
      log: { info: note, error: note },
      nodes: 2,
      nodesElected: true,
      scheduler: 'none',
    });
    const end = async () => {
      stop.abort();
      await simulation.stopped;
    };
    return { ...simulation, lines, end };
  }
  const holder = async () => (await client.get<Lease>(lease, 'simulated-nodes')).spec?.holderIdentity;
  const runs = async (name: string) => {
    await client.create<Pod>(pods, {
      ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name } },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'a' }] },
    });
    await eventually(async () => assert.equal((await client.get<Pod>(pods, name)).status?.phase, 'Running'));
  };

  it('have one whose nodes they are, and another one when it ends', async () => {
    const first = simulate();
    await first.synced;
    const leader = await holder();
    assert.ok(leader);
    const second = simulate();
    await second.synced;
    assert.ok(second.lines.includes('another simulation has the nodes'), second.lines.join('\n'));
    assert.throws(() => second.node('node-1'), /another simulation has the nodes, and node-1 among them/);
    await runs('with-the-first');
    first.node('node-1').down();
    await first.end();
    await runs('with-the-second');
    const next = await holder();
    assert.ok(next !== undefined && next !== '' && next !== leader);
    second.node('node-1').down();
    assert.equal((await client.list<Node>(nodes)).items.length, 2);
    await second.end();
    assert.deepEqual(
      [...first.lines, ...second.lines].filter((line) => /failed|lost|not /.test(line)),
      [],
    );
  });
});
