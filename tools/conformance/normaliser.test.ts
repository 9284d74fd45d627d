import assert from 'node:assert/strict';
import { Normaliser } from './normaliser.ts';

const now = Date.parse('2026-05-04T12:00:00Z');
const first = '11111111-2222-4333-8444-555555555555';
const second = '66666666-7777-4888-9999-aaaaaaaaaaaa';
const normaliser = (ownText = '', replacements: [string, string][] = []) =>
  new Normaliser({ ownText, replacements, now });
const object = (fields: object) => ({ metadata: { name: 'a', uid: first, ...fields } });

describe('Normaliser', () => {
  it('makes responses equal that differ only in generated values', () => {
    const response = (uid: string, version: string, time: string, ip: string, port: number) => [
      {
        metadata: { name: 'a', uid, resourceVersion: version, creationTimestamp: time },
        spec: { clusterIP: ip, clusterIPs: [ip], ports: [{ port: 80, nodePort: port }] },
      },
      { rows: [{ cells: ['a', ip, `80:${port}/TCP`, '12s'] }], metadata: { resourceVersion: version } },
      { message: `uid ${uid}, ResourceVersion in object meta: ${version}`, details: { uid } },
    ];
    const one = normaliser();
    const other = normaliser();
    const shown = (n: Normaliser, responses: object[]) =>
      responses.map((value, step) => n.normalise(value, `step ${step}`));
    const left = shown(one, response(first, '17', '2026-05-04T11:59:59Z', '10.0.0.5', 30123));
    const right = shown(other, response(second, '9000', '2026-05-04T12:00:01Z', '10.0.9.9', 31999));
    assert.deepEqual(left, right);
    assert.doesNotMatch(JSON.stringify(left), /17|30123|10\.0|11111111|2026/);
  });

  it('shows which uids and resource versions are the same and which are not', () => {
    const n = normaliser();
    const created = n.normalise(object({ resourceVersion: '5' }), 'create');
    assert.deepEqual(n.normalise(object({ resourceVersion: '5' }), 'get'), created);
    assert.notDeepEqual(n.normalise(object({ resourceVersion: '6' }), 'get again'), created);
    assert.notDeepEqual(n.normalise(object({ resourceVersion: '5', uid: second }), 'get another'), created);
  });

  it('keeps values of the scenario', () => {
    const n = normaliser(`{"uid":"${first}","nodePort":30123,"clusterIP":"10.0.0.5","when":"2026-05-04T12:00:00Z"}`);
    const value = { uid: first, nodePort: 30123, clusterIP: '10.0.0.5', when: '2026-05-04T12:00:00Z' };
    assert.deepEqual(n.normalise(value, 'step'), value);
  });

  it('keeps times that are far from the run, and distinguishes seconds from fractions', () => {
    const n = normaliser();
    const times = { old: '2020-01-02T03:04:05Z', now: '2026-05-04T12:00:09Z', exact: '2026-05-04T12:00:09.000001Z' };
    assert.deepEqual(n.normalise(times, 'step'), { old: times.old, now: '<time>', exact: '<microtime>' });
  });

  it('keeps the order of the resource versions of objects, not of lists', () => {
    const n = normaliser();
    n.normalise(object({ resourceVersion: '10' }), 'create');
    n.normalise({ metadata: { resourceVersion: '11' }, items: [] }, 'list');
    n.normalise(object({ resourceVersion: '9' }), 'older');
    assert.deepEqual(n.versionOrder(), ['<rv older metadata.resourceVersion>', '<rv create metadata.resourceVersion>']);
  });

  it('knows generated names wherever they appear later', () => {
    const n = normaliser();
    const created = n.normalise({ metadata: { generateName: 'made-', name: 'made-x7k2p' } }, 'create');
    assert.deepEqual(created, { metadata: { generateName: 'made-', name: 'made-<generated create metadata>' } });
    assert.equal(n.text('/api/v1/namespaces/made-x7k2p', 'get'), '/api/v1/namespaces/made-<generated create metadata>');
  });

  it('replaces values of the run and of the build, and omits addresses of clients', () => {
    const n = normaliser('', [['qwrtzp', '<run>']]);
    const version = { gitVersion: 'v1.36.2', major: '1', minor: '36' };
    assert.deepEqual(n.normalise(version, 'version'), { gitVersion: '<build>', major: '1', minor: '36' });
    assert.deepEqual(n.normalise({ serverAddressByClientCIDRs: [], name: 'x-qwrtzp' }, 'groups'), { name: 'x-<run>' });
  });

  it('hides the name of the administrator, not of other users', () => {
    const n = new Normaliser({ ownText: '', replacements: [], administrator: 'root', now });
    const user = (username: string) => ({ username, groups: ['g'], uid: 'u', extra: {} });
    assert.deepEqual(n.normalise({ userInfo: user('root') }, 'step'), { userInfo: { username: '<administrator>' } });
    assert.deepEqual(n.normalise({ userInfo: user('other') }, 'step'), { userInfo: user('other') });
  });

  it('sorts managed fields, whose order depends on the second of the write', () => {
    const entries = [
      { manager: 'b', operation: 'Update' },
      { manager: 'a', operation: 'Update' },
    ];
    const n = normaliser();
    const sorted = n.normalise({ managedFields: entries }, 'step');
    assert.deepEqual(sorted, n.normalise({ managedFields: [...entries].reverse() }, 'step'));
  });

  it('hides the versions in messages', () => {
    const n = normaliser();
    const message = 'Too large resource version: 999, current: 41';
    assert.deepEqual(n.normalise({ message }, 'get'), { message: 'Too large resource version: <rv>, current: <rv>' });
    const escaped = { message: 'patch: "{\\"resourceVersion\\":\\"41\\"}", the ResourceVersion in record (41)' };
    assert.doesNotMatch(JSON.stringify(n.normalise(escaped, 'patch')), /41/);
    // Another number may equal a version by chance.
    n.normalise(object({ resourceVersion: '253' }), 'create');
    const other = { message: 'must be no more than 253 characters' };
    assert.deepEqual(n.normalise(other, 'step'), other);
  });
});
