import assert from 'node:assert/strict';
import { startEmbeddedEtcd } from '@apichain/embedded-etcd';
import { TestChains } from './chain.fixture.ts';
import type { InProcessChain } from './chain.ts';

const cbor = 'application/cbor';
const path = '/api/v1/namespaces/default/configmaps';

async function ask(
  chain: InProcessChain,
  method: 'GET' | 'POST',
  target: string,
  headers: Record<string, string>,
  body = '',
) {
  const transport = chain.connect('test');
  try {
    const response = await transport.send({ method, path: target, headers, body: Buffer.from(body) });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return { status: response.status, type: response.headers['content-type'], text: Buffer.concat(chunks).toString() };
  } finally {
    await transport.close();
  }
}

describe('two chains of one process', () => {
  const chains = new TestChains();

  /** Runs `work` while both chains run. The one with the gates starts first, or last. */
  async function withBoth(
    first: readonly string[],
    last: readonly string[],
    work: (first: InProcessChain, last: InProcessChain) => Promise<void>,
  ): Promise<void> {
    const etcd = await startEmbeddedEtcd({ memory: true, inProcess: true });
    try {
      await chains.run(first, (one) => chains.run(last, (other) => work(one, other), etcd));
    } finally {
      await etcd.close();
    }
  }

  const gates = ['--feature-gates=CBORServingAndStorage=true,WatchList=false'];

  async function differ(withGates: InProcessChain, without: InProcessChain): Promise<void> {
    const read = { accept: cbor };
    const [has, lacks] = [await ask(withGates, 'GET', path, read), await ask(without, 'GET', path, read)];
    assert.deepEqual([has.status, has.type], [200, cbor]);
    assert.equal(lacks.status, 406);
    assert.doesNotMatch(lacks.text, /cbor/);
    // A body that is not CBOR: only the chain with the gate reads it at all.
    const write = { 'content-type': cbor };
    assert.equal((await ask(withGates, 'POST', path, write, 'x')).status, 400);
    assert.equal((await ask(without, 'POST', path, write, 'x')).status, 415);
    const apply = { 'content-type': 'text/plain' };
    const types = async (chain: InProcessChain) => (await ask(chain, 'POST', path, apply, 'x')).text.includes(cbor);
    assert.deepEqual([await types(withGates), await types(without)], [true, false]);
    const discovery = async (chain: InProcessChain) => (await ask(chain, 'GET', '/api/v1', read)).status;
    assert.deepEqual([await discovery(withGates), await discovery(without)], [200, 406]);
    const listing =
      '?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1';
    const initial = async (chain: InProcessChain) => (await ask(chain, 'GET', `${path}${listing}`, {})).status;
    assert.deepEqual([await initial(withGates), await initial(without)], [422, 200]);
  }

  it('have each the feature gates that it was given, whichever starts first', async () => {
    await withBoth(gates, [], differ);
    await withBoth([], gates, (without, withGates) => differ(withGates, without));
  });
});
