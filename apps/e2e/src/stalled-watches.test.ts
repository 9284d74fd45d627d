import assert from 'node:assert/strict';
import { connect, type TLSSocket } from 'node:tls';
import { type Chain, startChain } from './chain.ts';
import { CollectedHeaps, inspectable } from './collected-heap.ts';
import { call } from './http.ts';
import { openSession } from './http2.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const objects = 40;
const bytesOfObject = 1_000_000;
const watchesAtOnce = 12;
/** The bytes that all of these watches together may make a process refer to. The initial state of one of them has 40 MB, and there are four of each start. */
const margin = 100e6;

const representations: Readonly<Record<string, { readonly query?: string; readonly accept: string }>> = {
  JSON: { accept: 'application/json' },
  'indented JSON': { query: '&pretty=true', accept: 'application/json' },
  protobuf: { accept: 'application/vnd.kubernetes.protobuf;stream=watch' },
  Table: { query: '&includeObject=Object', accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
  metadata: { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' },
};
/** The ways in which a watch may ask for its initial state. */
const starts = [
  '&resourceVersion=0',
  '',
  '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
] as const;
const forms: Readonly<Record<string, readonly string[]>> = { 'three services': [], 'one process': ['--in-process'] };

/** Requests a watch over HTTP/1.1. Resolves when the first event has begun to arrive; nothing more is read until the socket is resumed. */
function openStalled(chain: Chain, path: string, accept: string): Promise<TLSSocket> {
  const { port, hostname } = new URL(chain.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), ...chain.admin, ALPNProtocols: ['http/1.1'] });
    let text = '';
    socket.on('error', reject);
    const read = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const body = text.indexOf('\r\n\r\n');
      if (body < 0 || text.length < body + 16) return;
      socket.off('data', read);
      socket.pause();
      if (text.startsWith('HTTP/1.1 200 ')) resolve(socket);
      else reject(new Error(text));
    };
    socket.on('data', read);
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\n\r\n`);
  });
}

for (const [form, args] of Object.entries(forms))
  describe(`watches with their initial state whose clients do not read, in ${form}`, function () {
    this.timeout(480_000);
    let chain: Chain;
    let heaps: CollectedHeaps | undefined;

    before(async () => {
      chain = await startChain({ args, env: inspectable });
      heaps = await CollectedHeaps.open(chain);
      const data = { v: 'x'.repeat(bytesOfObject) };
      for (let i = 0; i < objects; i++) {
        const body = JSON.stringify({ metadata: { name: `large-${i}` }, data });
        const { status, text } = await call(chain, 'POST', configMaps, { body });
        assert.equal(status, 201, text);
      }
    });
    after(async () => {
      heaps?.close();
      await chain?.stop();
    });

    /** How much more the parts refer to while what `open` opened is open, in bytes. */
    const growth = async (open: () => Promise<{ destroy(): unknown }[]>): Promise<[string, number][]> => {
      // The cache is filled, and representations that are kept are made, before the measurement.
      for (const opened of await open()) opened.destroy();
      const before = await heaps?.used();
      const opened = await open();
      const during = await heaps?.used();
      for (const each of opened) each.destroy();
      return [...(during ?? [])].map(([part, bytes]) => [part, bytes - (before?.get(part) ?? 0)]);
    };
    const hold = (grown: readonly [string, number][]) => {
      for (const [part, bytes] of grown)
        assert.ok(bytes < margin, `${part} refers to ${Math.round(bytes / 1e6)} MB more`);
    };

    for (const [name, { query = '', accept }] of Object.entries(representations))
      it(`take bounded memory as ${name}, however they start`, async () => {
        const path = (watch: number) => `${configMaps}?watch=1${starts[watch % starts.length] ?? ''}${query}`;
        const open = () =>
          Promise.all(Array.from({ length: watchesAtOnce }, (_, watch) => openStalled(chain, path(watch), accept)));
        hold(await growth(open));
      });

    it('take bounded memory over HTTP/2', async () => {
      const open = async () => {
        const session = openSession(chain, chain.admin);
        const watches = Array.from({ length: watchesAtOnce }, async () => {
          const stream = session.request({ ':path': `${configMaps}?watch=1&resourceVersion=0` });
          await new Promise((resolve, reject) => stream.once('data', resolve).once('error', reject));
          stream.pause();
        });
        await Promise.all(watches);
        return [session];
      };
      hold(await growth(open));
    });

    it('send all of it to a client that reads again', async () => {
      const path = `${configMaps}?watch=1&resourceVersion=0&timeoutSeconds=600`;
      const socket = await openStalled(chain, path, 'application/json');
      let events = 0;
      let rest = '';
      for await (const chunk of socket as AsyncIterable<Buffer>) {
        rest = rest.slice(-64) + chunk.toString('latin1');
        const seen = rest.split('"name":"large-');
        events += seen.length - 1;
        rest = seen.at(-1) ?? '';
        if (events === objects - 1) break;
      }
      assert.equal(events, objects - 1);
    });
  });
