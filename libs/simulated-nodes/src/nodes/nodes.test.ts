import type { Node, Pod } from '@apichain/api/core/v1';
import { Informer, RestClient } from '@apichain/client';
import assert from 'node:assert/strict';
import { OnceLogger, silentLogger } from '../log.ts';
import { FakeServer } from '../stages/server.fixture.ts';
import { nodeObject } from './node-spec.ts';
import { Nodes } from './nodes.ts';

describe('the kubelets of simulated nodes', () => {
  it('begin when it is known what they report, also if the nodes are known before', async () => {
    const server = new FakeServer();
    server.put(nodeObject({ name: 'a' }, 0));
    const client = new RestClient(server);
    const all = new Informer<Node>({ client, resource: { group: '', version: 'v1', resource: 'nodes' } });
    const pods = new Informer<Pod>({
      client: new RestClient(new FakeServer()),
      resource: { group: '', version: 'v1', resource: 'pods' },
    });
    const end = new AbortController();
    const nodes = new Nodes({
      nodes: all,
      pods,
      clientOf: () => client,
      log: new OnceLogger(silentLogger),
      signal: end.signal,
      skipsOutdated: true,
    });
    await all.start().waitForSync();
    assert.equal(nodes.get('a'), undefined);
    const facts = { version: 'v1.36.0', address: '10.0.0.1', port: 10_250 };
    nodes.start(facts);
    assert.deepEqual(nodes.names(), ['a']);
    assert.equal(nodes.facts, facts);
    end.abort();
    await Promise.all([all.stop(), pods.stop()]);
  });
});
