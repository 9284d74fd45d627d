import assert from 'node:assert/strict';
import { parseQuery } from '@apichain/request';
import type { Type } from '@apichain/scheme';
import { connectOptionsOf } from './connect-options.ts';

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
