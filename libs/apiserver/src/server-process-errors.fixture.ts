import { EventEmitter } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { Http2ServerRequest } from 'node:http2';
import { pino } from 'pino';
import { alwaysAllow } from '@apichain/authz';
import { Audit } from '@apichain/audit';
import type { AuditBackend } from '@apichain/audit';
import { AuditMetrics } from '@apichain/audit';
import { AuditPolicyEvaluator } from '@apichain/audit';
import { scopeOf } from '@apichain/request';
import { createTestCertificates, installEcho, startTestServer } from './server.fixture.ts';
import { surviveErrors } from '@apichain/request';

/*
 * A server in a separate process, as the programs run it, with paths that fail outside any error handler. It prints `ready URL` to standard
 * output and logs to standard error.
 */

type Place = (request: IncomingMessage, response: ServerResponse) => unknown;

const fail = (): never => {
  throw new Error('injected');
};

/** An emitter that belongs to no request, as an informer or a connection pool does. */
const elsewhere = new EventEmitter();

/** Starts a response that keeps writing, so that its events are emitted. */
function stream(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'text/plain' });
  const timer = setInterval(() => response.write('tick\n'), 5);
  response.on('close', () => clearInterval(timer));
}

/** Sends requests to another server, as a webhook call does. The connection outlives the request. */
const agent = new http.Agent({ keepAlive: true });
const backend = http.createServer((_request, response) => response.end('{}'));

const places: Readonly<Record<string, Place>> = {
  timer: () => setTimeout(fail, 1),
  interval: () => {
    const timer = setInterval(() => {
      clearInterval(timer);
      fail();
    }, 1);
  },
  immediate: () => setImmediate(fail),
  tick: () => process.nextTick(fail),
  microtask: () => queueMicrotask(fail),
  promise: () => void Promise.reject(new Error('injected')),
  'async-function': () => void (async () => fail())(),
  handler: fail,
  'request-data': (request) => request.on('data', fail),
  'request-end': (request) => request.on('end', fail).resume(),
  'request-close': (request) => request.on('close', fail).destroy(),
  'response-drain': (_request, response) => {
    response.on('drain', fail);
    response.writeHead(200);
    while (response.write(Buffer.alloc(65_536)));
  },
  'response-close': (_request, response) => response.on('close', fail).destroy(),
  'response-finish': (_request, response) => response.on('finish', fail).end(),
  'write-callback': (_request, response) => {
    response.writeHead(200);
    response.write('part', fail);
  },
  'stream-timer': (_request, response) => {
    stream(response);
    setTimeout(fail, 20);
  },
  'socket-event': (request, response) => {
    request.socket.once('close', scopeOf(request).guarded(fail));
    response.destroy();
    request.socket.destroy();
  },
  'http2-stream-event': (request, response) => {
    if (request instanceof Http2ServerRequest) request.stream.once('close', scopeOf(request).guarded(fail));
    else fail();
    response.destroy();
  },
  'http2-session-event': (request) => {
    if (!(request instanceof Http2ServerRequest)) return fail();
    request.stream.session?.once('localSettings', scopeOf(request).guarded(fail));
    request.stream.session?.settings({ enablePush: false });
  },
  'abort-listener': () => {
    const controller = new AbortController();
    controller.signal.addEventListener('abort', fail);
    setTimeout(() => controller.abort(), 1);
  },
  'shared-emitter': () => {
    elsewhere.once('change', fail);
    setImmediate(() => elsewhere.emit('change'));
  },
  'callback-of-a-call': () => {
    const address = backend.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    http.get({ port, agent, path: '/' }, (response) => response.on('data', fail));
  },
};

/** Fails at once, or later, as a backend that writes to a file or calls a webhook does. */
const failingBackend: AuditBackend = {
  name: 'failing',
  process: ([event]) => {
    if (event?.fields.stage !== 'ResponseComplete') return true;
    if (event.fields.requestURI === '/audited') return fail();
    return event.fields.requestURI === '/audited-later' ? Promise.reject(new Error('injected')) : true;
  },
  close: async () => undefined,
};

const { server, url } = await startTestServer(
  await createTestCertificates(),
  {
    authorizer: alwaysAllow,
    logger: pino({ level: 'error' }, pino.destination({ dest: 2, sync: true })),
    audit: new Audit(new AuditPolicyEvaluator({ rules: [{ level: 'Metadata' }] }), failingBackend, new AuditMetrics()),
  },
  (created) => {
    installEcho(created);
    for (const [name, place] of Object.entries(places))
      created.paths.handle(`/fail/${name}`, (_context, request, response) => void place(request, response));
    for (const path of ['/audited', '/audited-later'])
      created.paths.handle(path, (_context, _request, response) => void response.end('ok'));
    created.paths.handle('/fail-elsewhere', (context, _request, response) => {
      response.end('ok');
      // The failures below happen after the end of the request, so they are not attributed to it.
      context.signal.addEventListener('abort', () => undefined);
      setTimeout(fail, 50);
      setTimeout(() => void Promise.reject(new Error('injected')), 50);
    });
    created.paths.handle('/stream', (_context, _request, response) => stream(response));
  },
);
surviveErrors(server.config.logger);
await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
process.stdout.write(`ready ${url} ${Object.keys(places).join(',')}\n`);
