import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExecCredentials } from './exec-credentials.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import { httpTransport } from './transport.ts';

const apiVersion = 'client.authentication.k8s.io/v1';

describe('credentials of a command', () => {
  let directory: string;
  let server: Server;
  let seen: (string | undefined)[];
  /** The tokens that the server accepts; all, if there are none. */
  let accepted: string[];
  const path = (name: string) => join(directory, name);

  beforeEach((done) => {
    directory = mkdtempSync(join(tmpdir(), 'apichain-exec-'));
    seen = [];
    accepted = [];
    server = createServer((request, response) => {
      const { authorization } = request.headers;
      seen.push(authorization);
      response.statusCode = accepted.length === 0 || accepted.includes(authorization ?? '') ? 200 : 401;
      response.end('{}');
    });
    server.listen(0, '127.0.0.1', done);
  });
  afterEach(() => {
    server.close();
    rmSync(directory, { recursive: true });
  });

  /** A kubeconfig whose user runs a program of this text. Each run leaves a line with its KUBERNETES_EXEC_INFO in `runs`. */
  function kubeconfig(program: string, exec: object = {}) {
    const lines = ['#!/bin/sh', `echo "$KUBERNETES_EXEC_INFO" >>'${path('runs')}'`, program];
    writeFileSync(path('login'), lines.join('\n'));
    chmodSync(path('login'), 0o755);
    const { port } = server.address() as AddressInfo;
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
      users: [{ name: 'u', user: { exec: { apiVersion, command: './login', interactiveMode: 'Never', ...exec } } }],
    };
    writeFileSync(path('kubeconfig'), JSON.stringify(config));
    return loadKubeconfig(path('kubeconfig'));
  }
  const prints = (status: object, kind = 'ExecCredential', version = apiVersion) =>
    `cat <<'END'\n${JSON.stringify({ kind, apiVersion: version, status })}\nEND`;
  const runs = () => readFileSync(path('runs'), 'utf8').trimEnd().split('\n');
  async function ask(program: string, exec: object = {}, times = 1): Promise<number[]> {
    const transport = httpTransport(kubeconfig(program, exec));
    const get = async () => {
      const { status, body } = await transport.send({ method: 'GET', path: '/api' });
      await body.dump();
      return status;
    };
    try {
      return await Promise.all(Array.from({ length: times }, get));
    } finally {
      await transport.close();
    }
  }

  it('are a token, for which requests of the same time wait together', async () => {
    await ask(prints({ token: 'secret' }), {}, 3);
    assert.deepEqual(seen, ['Bearer secret', 'Bearer secret', 'Bearer secret']);
    assert.deepEqual(
      runs().map((line) => JSON.parse(line) as unknown),
      [{ kind: 'ExecCredential', apiVersion, spec: { interactive: false } }],
    );
  });

  it('may depend on arguments, variables and the cluster', async () => {
    const program = `printf '{"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{"token":"%s-%s"}}' "$1" "$NAME"`;
    await ask(program, { args: ['a b'], env: [{ name: 'NAME', value: '$HOME' }], provideClusterInfo: true });
    assert.deepEqual(seen, ['Bearer a b-$HOME']);
    assert.match(runs()[0] ?? '', /"cluster":\{"server":"http:\/\/127\.0\.0\.1:\d+"\}/);
  });

  it('are asked for again when they have expired, and not before', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const { exec } = kubeconfig(prints({ token: 'a', expirationTimestamp: '2026-01-01T01:00:00Z' }));
    assert.ok(exec !== undefined);
    const credentials = new ExecCredentials(exec, () => now);
    assert.equal((await credentials.current()).token, 'a');
    now += 3_599_000;
    await credentials.current();
    assert.equal(runs().length, 1);
    now += 1_000;
    await credentials.current();
    assert.equal(runs().length, 2);
  });

  it('are asked for again when the server has refused them', async () => {
    accepted = ['Bearer 2'];
    const program = `printf '{"kind":"ExecCredential","apiVersion":"${apiVersion}","status":{"token":"%d"}}' $(wc -l <'${path('runs')}')`;
    const transport = httpTransport(kubeconfig(program));
    const get = async () => {
      const { status, body } = await transport.send({ method: 'GET', path: '/api' });
      await body.dump();
      return status;
    };
    assert.deepEqual([await get(), await get(), await get()], [401, 200, 200]);
    assert.equal(runs().length, 2);
    await transport.close();
  });

  for (const [what, program, exec, message] of [
    [
      'is not there',
      '',
      { command: './missing', installHint: 'Install it.' },
      /missing: the program is not found\nInstall it\.$/,
    ],
    ['fails', 'echo secret; echo "not logged in" >&2; exit 3', {}, /login: it failed with 3: not logged in$/],
    ['prints no JSON', 'echo secret', {}, /login: it printed no JSON$/],
    ['prints another object', prints({ token: 'a' }, 'Secret'), {}, /it printed no ExecCredential$/],
    ['prints another version', prints({ token: 'a' }, 'ExecCredential', 'v2'), {}, /v1, and printed "v2"$/],
    ['prints no credentials', prints({}), {}, /neither a token nor a certificate$/],
    ['prints half a pair', prints({ clientKeyData: 'secret' }), {}, /a certificate or a key, not both$/],
    [
      'prints a wrong time',
      prints({ token: 'a', expirationTimestamp: 'soon' }),
      {},
      /expirationTimestamp that is no time$/,
    ],
  ] as const)
    it(`are none when the command ${what}, and the error has no secrets`, async () => {
      await assert.rejects(ask(program, exec), (error: Error) => {
        assert.match(error.message, /^getting credentials: exec: \//);
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      });
    });

  it('need a command that can be run', () => {
    const refused = (exec: object, message: RegExp) => assert.throws(() => kubeconfig('', exec), message);
    refused({ command: '' }, /the exec plugin of the current context's user has no command$/);
    refused({ apiVersion: 'client.authentication.k8s.io/v1alpha1' }, /v1alpha1", which is not client.* or client/);
    refused({ interactiveMode: 'Always' }, /needs a terminal \(interactiveMode: Always\), which is not supported$/);
    refused({ interactiveMode: null }, /has no interactiveMode$/);
  });
});
