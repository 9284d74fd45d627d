import assert from 'node:assert/strict';
import { AdmissionChain, type AdmissionPlugin } from '@apichain/admission';
import { Harness, base, groupVersion } from '../installer.fixture.ts';
import type { Connecter } from '../registry/rest.ts';
import { defineWidgets } from '../registry/widgets.fixture.ts';
import { parseQuery } from '@apichain/request';
import type { Type } from '@apichain/scheme';
import { connectOptionsOf } from './connect.ts';

async function serving(more: Partial<Connecter>): Promise<Harness> {
  const { defined, storage } = defineWidgets();
  const [main] = defined.storagesOf(groupVersion);
  assert.ok(main !== undefined);
  const connecter: Connecter = {
    path: 'widgets/log',
    info: main.info,
    type: main.type,
    connectMethods: ['GET'],
    connect: async (ctx, _name, _subpath, _request, response) => {
      response.end(ctx.requestInfo.parts.join('/'));
    },
    ...more,
  };
  const harness = new Harness({ storage, defined: { ...defined, storagesOf: () => [main, connecter] } }, {});
  await harness.start();
  return harness;
}

describe('connecting subresources', () => {
  it('accept any path below their own, but need a name', async () => {
    const harness = await serving({ path: 'widgets/proxy' });
    const read = async (path: string) => {
      const { status, text } = await harness.send('GET', base + path);
      return status === 200 ? text : status;
    };
    try {
      assert.equal(await read('/a/proxy/b//c/%2Fd/'), 'widgets/a/proxy/b//c//d');
      assert.equal(await read('/a/proxy'), 'widgets/a/proxy');
      assert.equal(await read('//proxy/b'), 400);
    } finally {
      harness.stop();
    }
  });
});

describe('admission of connecting subresources', () => {
  it('sees the options of the request as the object', async () => {
    const seen: unknown[] = [];
    const { defined, storage } = defineWidgets();
    const [main] = defined.storagesOf(groupVersion);
    assert.ok(main !== undefined);
    const connecter: Connecter = {
      path: 'widgets/exec',
      info: main.info,
      type: main.type,
      connectMethods: ['GET'],
      connectOptions: { kind: 'object', fields: [{ name: 'container', type: { kind: 'string' } }] },
      connect: async (_ctx, _name, _subpath, _request, response) => {
        response.end('connected');
      },
    };
    const plugin: AdmissionPlugin = {
      name: 'Test',
      handles: new Set(['CONNECT'] as const),
      validate: ({ object }) => void seen.push(object),
    };
    const harness = new Harness(
      { storage, defined: { ...defined, storagesOf: () => [main, connecter] } },
      { admission: new AdmissionChain([plugin]) },
    );
    await harness.start();
    const { text } = await harness.send('GET', `${base}/a/exec?container=c`);
    harness.stop();
    assert.equal(text, 'connected');
    assert.deepEqual(seen, [{ kind: main.info.kind.kind, apiVersion: 'test.example.com/v1', container: 'c' }]);
  });
});

describe('subresources that are read as text', () => {
  it('are refused with 406 before the object is looked up', async () => {
    const harness = await serving({
      readsOnly: true,
      connect: async (_ctx, _name, _subpath, _request, response) => {
        response.end('text');
      },
    });
    const read = async (accept: string) => {
      const { status, text, body } = await harness.send('GET', `${base}/a/log`, undefined, { accept });
      return status === 200 ? text : `${status} ${String(body['message'])}`;
    };
    try {
      assert.equal(await read('application/json, */*'), 'text');
      assert.equal(
        await read('application/json;as=Table;v=v1;g=meta.k8s.io'),
        '406 only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      );
      assert.match(await read('text/html'), /Available representations: text\/plain, application\/json, /);
    } finally {
      harness.stop();
    }
  });
});

const text: Type = { kind: 'string' };
const exec: Type = {
  kind: 'object',
  fields: [
    { name: 'kind', type: text },
    { name: 'apiVersion', type: text },
    { name: 'stdin', type: { kind: 'boolean' } },
    { name: 'tty', type: { kind: 'boolean' } },
    { name: 'container', type: text },
    { name: 'command', type: { kind: 'array', items: text } },
    { name: 'ports', type: { kind: 'array', items: { kind: 'integer' } } },
  ],
};

describe('connectOptionsOf', () => {
  const of = (type: Type, kind: string, query: string, subpath = '') =>
    connectOptionsOf(type, { group: '', version: 'v1', kind }, parseQuery(`/x?${query}`), subpath);

  it('is the query as an object, without zero values', () => {
    assert.deepEqual(of(exec, 'PodExecOptions', 'stdin=true&tty=false&container=c&command=sh&command=-c&other=1'), {
      kind: 'PodExecOptions',
      apiVersion: 'v1',
      stdin: true,
      container: 'c',
      command: ['sh', '-c'],
    });
    assert.deepEqual(of(exec, 'PodExecOptions', ''), { kind: 'PodExecOptions', apiVersion: 'v1' });
    assert.deepEqual(of(exec, 'X', 'ports=80&ports=x&ports=443'), { kind: 'X', apiVersion: 'v1', ports: [80, 443] });
  });

  it('has the path below a proxy', () => {
    const proxy: Type = { kind: 'object', fields: [{ name: 'path', type: text }] };
    const expected = { kind: 'PodProxyOptions', apiVersion: 'v1', path: '/a/b' };
    assert.deepEqual(of(proxy, 'PodProxyOptions', 'path=/other', 'a/b'), expected);
  });
});
