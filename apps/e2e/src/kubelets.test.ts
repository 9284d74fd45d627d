import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { createCA, issueClient, issueServing } from '@apichain/serving/certificates';
import { type Chain, startChain } from './chain.ts';
import { call } from './http.ts';

const pods = '/api/v1/namespaces/default/pods';
const container = { name: 'main', image: 'main' };

/** A simulated kubelet serves logs and streams. */
describe('kubelets', () => {
  const directory = mkdtempSync(join(tmpdir(), 'apichain-kubelet-'));
  const seen: { readonly url: string; readonly client: unknown }[] = [];
  let kubelet: Server;
  let chain: Chain;

  before(async () => {
    const ca = await createCA('kubelet-ca');
    const serving = await issueServing(ca, 'node', ['127.0.0.1']);
    const client = await issueClient(ca, 'kube-apiserver');
    const file = (name: string, content: string) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const note = (request: IncomingMessage) =>
      seen.push({
        url: request.url ?? '',
        client: (request.socket as TLSSocket).getPeerCertificate().subject?.CN,
      });
    const tls = { cert: serving.certificate, key: serving.key, ca: ca.certificate, requestCert: true };
    kubelet = createServer(tls, (request, response) => {
      note(request);
      if (request.url?.includes('follow=true') === true) {
        response.write('one\n');
        setTimeout(() => response.end('two\n'), 100);
      } else response.writeHead(404).end('no such container');
    });
    kubelet.on('upgrade', (request: IncomingMessage, socket: TLSSocket) => {
      note(request);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
      socket.on('data', (chunk: Buffer) => socket.end(`you said ${chunk.toString()}`));
    });
    await new Promise<void>((resolve) => kubelet.listen(0, '127.0.0.1', resolve));
    const { port } = kubelet.address() as AddressInfo;
    chain = await startChain({
      args: [
        `--kubelet-certificate-authority=${file('ca.crt', ca.certificate)}`,
        `--kubelet-client-certificate=${file('client.crt', client.certificate)}`,
        `--kubelet-client-key=${file('client.key', client.key)}`,
        '--controllers=-*',
      ],
    });
    const send = async (method: string, path: string, object: object) => {
      const response = await call(chain, method, path, { body: JSON.stringify({ apiVersion: 'v1', ...object }) });
      assert.ok(response.status < 300, response.text);
    };
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    await send('POST', '/api/v1/nodes', { kind: 'Node', metadata: { name: 'node' } });
    await send('PUT', '/api/v1/nodes/node/status', { kind: 'Node', metadata: { name: 'node' }, status });
    const spec = { nodeName: 'node', containers: [container] };
    await send('POST', pods, { kind: 'Pod', metadata: { name: 'web' }, spec });
  });
  after(async () => {
    await chain?.stop();
    kubelet?.closeAllConnections();
    kubelet?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  it('stream the log of a container', async () => {
    const response = await call(chain, 'GET', `${pods}/web/log?follow=true&tailLines=5`);
    assert.deepEqual(
      [response.status, response.headers['content-type'], response.text],
      [200, 'text/plain', 'one\ntwo\n'],
    );
    const url = '/containerLogs/default/web/main?follow=true&tailLines=5';
    assert.deepEqual(seen.at(-1), { url, client: 'kube-apiserver' });
    const { message } = (await call(chain, 'GET', `${pods}/web/log`)).json<{ message: string }>();
    assert.equal(message, 'the server could not find the requested resource ( pods/log web)');
  });

  it('are connected with clients that run commands, through any server of the chain', async () => {
    const { hostname, port } = new URL(chain.url);
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect({ host: hostname, port: Number(port), ...chain.admin });
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        if (text === '') socket.write('hi');
        text += chunk.toString();
      });
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      const path = `${pods}/web/exec?command=ls&command=-l&stdout=1&tty=false`;
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`);
    });
    assert.match(said, /^HTTP\/1.1 101 .*\r\n\r\nyou said hi$/s);
    assert.equal(seen.at(-1)?.url, '/exec/default/web/main?command=ls&command=-l&output=1');
  });

  it('do not give access to the addresses of the server itself', async () => {
    const response = await call(chain, 'GET', '/api/v1/nodes/node/proxy/metrics');
    assert.deepEqual([response.status, response.json()['message']], [400, 'address not allowed']);
  });
});
