import type { Node, Pod } from '@apichain/api/core/v1';
import { Informer, RestClient } from '@apichain/client';
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { OnceLogger, silentLogger } from '../log.ts';
import { FakeServer } from '../stages/server.fixture.ts';
import { nodeObject } from './node-spec.ts';
import { Nodes } from './nodes.ts';
import { downAnnotation } from './kubelet.ts';

describe('the kubelets of simulated nodes', () => {
  const facts = { version: 'v1.36.0', address: '10.0.0.1', port: 10_250 };
  let server: FakeServer;
  let all: Informer<Node>;
  let pods: Informer<Pod>;
  let nodes: Nodes;
  let lines: string[];
  let end: AbortController;

  beforeEach(() => {
    server = new FakeServer();
    const client = new RestClient(server);
    all = new Informer<Node>({ client, resource: { group: '', version: 'v1', resource: 'nodes' } });
    pods = new Informer<Pod>({
      client: new RestClient(new FakeServer()),
      resource: { group: '', version: 'v1', resource: 'pods' },
    });
    end = new AbortController();
    lines = [];
    const log = new OnceLogger({ ...silentLogger, error: (line) => lines.push(line) });
    nodes = new Nodes({ nodes: all, pods, clientOf: () => client, log, signal: end.signal, skipsOutdated: true });
  });
  afterEach(async () => {
    end.abort();
    await Promise.all([all.stop(), pods.stop()]);
  });

  const annotated = (value?: string): Node =>
    nodeObject({ name: 'a', ...(value === undefined ? {} : { annotations: { [downAnnotation]: value } }) }, 0);
  /** Changes the node, and resolves when its kubelet knows. The watch may begin after the list. */
  const change = async (node: Node): Promise<void> => {
    const said = node.metadata.annotations?.[downAnnotation];
    while (nodes.get('a')?.node.metadata.annotations?.[downAnnotation] !== said) {
      server.put(node);
      await setImmediate();
    }
  };

  it('begin when it is known what they report, also if the nodes are known before', async () => {
    server.put(annotated());
    await all.start().waitForSync();
    assert.equal(nodes.get('a'), undefined);
    nodes.start(facts);
    assert.deepEqual(nodes.names(), ['a']);
    assert.equal(nodes.facts, facts);
  });

  it('stop as long as their Node says so', async () => {
    const begun: string[] = [];
    nodes.onUp = (name) => begun.push(name);
    server.put(annotated('true'));
    nodes.start(facts);
    await all.waitForSync();
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { nodeName: 'a' } };
    const isUp = () => [nodes.leaseHolder('a'), nodes.podActors(() => nodes.clientOf('a')).of(pod)].every(Boolean);
    assert.equal(isUp(), false);
    const before = begun.length;
    await change(annotated());
    assert.equal(isUp(), true);
    assert.deepEqual(begun.slice(before), ['a']);
    // One that the program has stopped stays so, whatever its Node says.
    nodes.control('a').down();
    await change(annotated('false'));
    assert.equal(isUp(), false);
    nodes.control('a').up();
    assert.equal(isUp(), true);
  });

  it('tell of a value that says nothing, and go on', async () => {
    server.put(annotated());
    nodes.start(facts);
    await all.waitForSync();
    await change(annotated('yes'));
    assert.notEqual(nodes.leaseHolder('a'), undefined);
    assert.deepEqual(lines, [`node a: annotation ${downAnnotation}: it must be true or false`]);
  });
});
