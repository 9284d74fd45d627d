import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { judge } from './finding.ts';
import { generate } from './generate.ts';
import { UsageError } from '../command/command.ts';
import { parseOptions } from './options.ts';
import { reproducer } from './reproducer.ts';
import { targetOf } from './request.ts';
import { run, type RunOptions, type RunReport } from './run.ts';
import { Target } from './target.ts';

type Handler = (request: http.IncomingMessage, body: Buffer, response: http.ServerResponse) => void;

const status = (response: http.ServerResponse, code: number, message = '') => {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ kind: 'Status', message }));
};

describe('fuzz', () => {
  let server: http.Server | undefined;
  afterEach(() => {
    server?.closeAllConnections();
    server?.close();
  });

  async function fuzz(handler: Handler, options: Partial<RunOptions> = {}, timeout = 10_000): Promise<RunReport> {
    const toy = http.createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => handler(request, Buffer.concat(chunks), response));
    });
    server = toy;
    toy.listen(0, '127.0.0.1');
    await once(toy, 'listening');
    const url = `http://127.0.0.1:${(toy.address() as AddressInfo).port}`;
    const target = new Target({ url, timeout, connections: 4 });
    const report = await run(target, {
      seed: 7,
      requests: 300,
      seconds: 30,
      connections: 4,
      namespace: 'ns',
      minimize: true,
      ...options,
    });
    target.close();
    return report;
  }

  it('generates the same requests from the same seed, and others from another', () => {
    const text = (seed: number) =>
      Array.from({ length: 200 }, (_, i) => {
        const request = generate(seed, i, { namespace: 'ns' });
        return [request.method, targetOf(request), request.headers, request.body?.toString('latin1')];
      });
    assert.deepEqual(text(1), text(1));
    assert.notDeepEqual(text(1), text(2));
  });

  it('sends valid HTTP requests, and accepts a server that responds', async () => {
    const report = await fuzz((_request, _body, response) => status(response, 400));
    assert.equal(report.sent, 300);
    assert.deepEqual(report.findings, []);
    assert.equal(report.statuses.get(400), 300);
  });

  it('finds a failure caused by a body, and reduces the body', async () => {
    const report = await fuzz((_request, body, response) => {
      if (body.includes('__proto__')) status(response, 500, 'boom 17');
      else status(response, 200);
    });
    assert.equal(report.findings.length, 1);
    const [finding] = report.findings;
    assert.equal(finding?.key, '500 boom #');
    const body = finding.request.body?.toString() ?? '';
    assert.ok(body.includes('__proto__') && body.length < 30, body);
    assert.match(reproducer('http://x', finding.request), /base64 -d \| curl .* --data-binary @- 'http:\/\/x\//);
  });

  it('finds reset connections and requests without a response', async () => {
    const keysOf = async (handler: Handler, timeout?: number) => {
      const report = await fuzz(handler, { requests: 20, minimize: false }, timeout);
      return report.findings.map(({ key }) => key);
    };
    assert.deepEqual(
      await keysOf((request, _body, response) => {
        if (request.method === 'PUT') request.socket.destroy();
        else status(response, 200);
      }),
      ['reset'],
    );
    assert.deepEqual(
      await keysOf((request, _body, response) => {
        if (request.method !== 'PUT') status(response, 200);
      }, 1_000),
      ['timeout'],
    );
  });

  it('sends one request of a run again', async () => {
    const paths: string[] = [];
    const report = await fuzz(
      (request, _body, response) => {
        paths.push(request.url ?? '');
        status(response, 200);
      },
      { only: 5 },
    );
    assert.equal(report.sent, 1);
    assert.ok(paths.includes(targetOf(generate(7, 5, { namespace: 'ns' }))));
  });

  it('accepts documented responses', () => {
    const judged = (code: number, message: string) =>
      judge({ kind: 'response', status: code, body: JSON.stringify({ message }) });
    assert.equal(judged(503, 'later'), undefined);
    assert.equal(judged(504, 'late'), undefined);
    assert.equal(judged(500, 'unknown patch type: bogus in map: map[$patch:bogus]'), undefined);
    assert.equal(judged(500, 'Maximum call stack size exceeded')?.key, '500 Maximum call stack size exceeded');
    assert.equal(judged(502, 'x')?.what, '502: x');
  });

  it('reads its options', () => {
    assert.throws(() => parseOptions([]), UsageError);
    assert.throws(() => parseOptions(['--url', 'http://x', '--seed', 'y']), UsageError);
    const { run: options, target } = parseOptions(['--url', 'http://x/', '--seed', '5', '--requests', '9']);
    assert.deepEqual([options.seed, options.requests, options.namespace, target.url], [5, 9, 'fuzz-5', 'http://x']);
    const directory = mkdtempSync(join(tmpdir(), 'fuzz-options-'));
    const kubeconfig = join(directory, 'kubeconfig');
    writeFileSync(
      kubeconfig,
      'clusters: [{name: c, cluster: {server: "https://a:1", certificate-authority-data: eA==}}]\n' +
        'users: [{name: u, user: {token: t}}]\ncontexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n',
    );
    const { url, ca, token } = parseOptions(['--kubeconfig', kubeconfig]).target;
    assert.deepEqual({ url, ca, token }, { url: 'https://a:1', ca: 'x', token: 't' });
    rmSync(directory, { recursive: true });
  });
});
