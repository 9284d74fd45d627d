import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { Type } from '@apichain/scheme';
import { ChainTable } from '@apichain/x509/chains.fixture';
import { serverCases, serverName } from '@apichain/x509/server-chains.fixture';
import { serveWith } from '@apichain/x509/tls-server.fixture';
import { UnusableClientError, WebhookClient } from './client.ts';

const text: Type = { kind: 'string' };
const reviewType: Type = {
  kind: 'object',
  name: 'admission.k8s.io.v1.AdmissionReview',
  fields: [
    { name: 'apiVersion', type: text, omitempty: true },
    { name: 'kind', type: text, omitempty: true },
    {
      name: 'response',
      type: {
        kind: 'object',
        name: 'admission.k8s.io.v1.AdmissionResponse',
        fields: [
          { name: 'uid', type: text },
          { name: 'allowed', type: { kind: 'boolean' } },
        ],
      },
      pointer: true,
      omitempty: true,
    },
  ],
};
const statusType: Type = {
  kind: 'object',
  name: 'meta.v1.Status',
  fields: [
    { name: 'status', type: text, omitempty: true },
    { name: 'message', type: text, omitempty: true },
  ],
};
const types = ({ kind }: { kind: string }): Type | undefined =>
  kind === 'AdmissionReview' ? reviewType : kind === 'Status' ? statusType : undefined;
const resolver = {
  resolve(): never {
    throw new Error('no service is asked for');
  },
};
const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview' };
const allowed = JSON.stringify({ ...review, response: { uid: 'u', allowed: true } });

async function body(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('the webhook client', () => {
  let server: Server;
  let client: WebhookClient;
  let handler: RequestListener;
  let asked: { method: string; path: string; body: string }[];

  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      void body(request).then((sent) => {
        asked.push({ method: request.method ?? '', path: request.url ?? '', body: sent });
        handler(request, response);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = new WebhookClient({ resolver, types });
  });
  afterEach(() => {
    client.close();
    server.close();
  });

  // Configurations allow https URLs only; the tests use plain HTTP so that they need no certificates.
  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const post = (timeoutMs = 3000) => client.post({ url: url() }, review, { timeoutMs, tellTimeout: false });
  const postAnswered = (status: number, contentType: string, sent: string | Buffer) => {
    handler = (_request, response) => {
      response.writeHead(status, contentType === '' ? {} : { 'Content-Type': contentType });
      response.end(sent);
    };
    return post();
  };

  it('sends no request when caBundle cannot be parsed', async () => {
    const resolved: string[] = [];
    const other = new WebhookClient({
      types,
      resolver: {
        resolve(_namespace, name) {
          resolved.push(name);
          throw new Error(`service "${name}" not found`);
        },
      },
    });
    const service = { namespace: 'n', name: 's' };
    const call = (clientConfig: object) => other.post(clientConfig, {}, { timeoutMs: 1000, tellTimeout: true });
    await assert.rejects(call({ service, caBundle: Buffer.from('abc').toString('base64') }), (error) => {
      assert.ok(error instanceof UnusableClientError);
      assert.equal(error.message, 'unable to load root certificates: unable to parse bytes as PEM block');
      return true;
    });
    assert.deepEqual(resolved, []);
    await assert.rejects(
      call({ service }),
      /^Error: Post "https:\/\/s\.n\.svc:443\/\?timeout=1s": service "s" not found$/,
    );
    other.close();
  });

  it('verifies the chain and the alternative names of the server', async () => {
    const table = new ChainTable('server', serverName, serverCases);
    const service = { namespace: 'zone', name: 'server' };
    const problemWith = async (name: string, clientConfig: (port: number) => object): Promise<string> => {
      const chain = table.chains.find(({ row }) => row.name === name);
      assert.ok(chain, name);
      const { port, close } = await serveWith(chain);
      const other = new WebhookClient({ types, resolver: { resolve: () => ({ host: '127.0.0.1', port }) } });
      try {
        const caBundle = Buffer.from(table.bundle).toString('base64');
        const call = other.post({ ...clientConfig(port), caBundle }, review, { timeoutMs: 10_000, tellTimeout: false });
        return await call.then(
          () => '',
          (error: unknown) => String(error).replace(/^.*?failed to verify certificate: /, ''),
        );
      } finally {
        other.close();
        close();
      }
    };
    const byAddress = (port: number) => ({ url: `https://127.0.0.1:${port}/` });
    const byService = () => ({ service });
    assert.equal(await problemWith('an address', byAddress), '');
    assert.equal(
      await problemWith('an address without an alternative name for it', byAddress),
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    );
    assert.equal(
      await problemWith('a common name without alternative names', byService),
      'x509: certificate relies on legacy Common Name field, use SANs instead',
    );
    assert.equal(
      await problemWith('another name', byService),
      `x509: certificate is valid for other.svc, not ${serverName}`,
    );
    assert.equal(
      await problemWith('an expired intermediate', byService),
      'x509: certificate has expired or is not yet valid',
    );
    assert.equal(await problemWith('self-signed', byService), 'x509: certificate signed by unknown authority');
  });

  it('reads JSON and YAML with any content type', async () => {
    const yaml = 'apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: u, allowed: true}\n';
    for (const [type, sent] of [
      ['application/json', allowed],
      ['application/octet-stream', allowed],
      ['', yaml],
      ['application/json', yaml],
      ['text/plain', '{"response":{"uid":"u","allowed":true,"unknown":1}}'],
    ] as const)
      assert.deepEqual((await postAnswered(200, type, sent)).response, { uid: 'u', allowed: true });
    assert.equal((await postAnswered(200, '', 'null')).response ?? undefined, undefined);
  });

  it('reports a response that is not a review as Go does', async () => {
    const cases: readonly (readonly [string, string])[] = [
      [
        '{"response":{"allowed":"yes"}}',
        'json: cannot unmarshal string into Go struct field AdmissionResponse.response.allowed of type bool',
      ],
      [
        '{"kind":5}',
        "couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string",
      ],
      ['{"apiVersion":"a/b/c"}', 'unexpected GroupVersion string: a/b/c'],
      ['{"apiVersion":', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
      ['a: b: c', 'yaml: mapping values are not allowed in this context'],
      [
        '{"kind":"Other","apiVersion":"x/v1"}',
        'no kind "Other" is registered for version "x/v1" in scheme "pkg/util/webhook/client.go:71"',
      ],
      ['{"kind":"Status"}', 'converting (v1.Status) to (v1.AdmissionReview): unknown conversion'],
      ['', '0-length response with status code: 200 and content type: application/json'],
    ];
    for (const [sent, message] of cases) await assert.rejects(postAnswered(200, '', sent), { message }, sent);
    await assert.rejects(postAnswered(200, '/', allowed), { message: 'Internal error occurred: mime: no media type' });
  });

  it('reports other status codes as client-go does', async () => {
    const cases: readonly (readonly [number, string, string, string])[] = [
      [207, 'text/plain', 'x', 'the server responded with the status code 207 but did not return more information'],
      [403, 'text/plain', ' no \n', 'no'],
      [403, 'application/json', 'no', 'unknown'],
      [406, 'application/json', 'no', 'the server was unable to respond with a content type that the client supports'],
      [500, '', 'oh', 'an error on the server ("oh") has prevented the request from succeeding'],
      [404, 'application/json', '{"kind":"Status","status":"Failure","message":"gone"}', 'gone'],
      [
        404,
        'application/json',
        '{"kind":"Status","status":"Success","message":"gone"}',
        'the server could not find the requested resource',
      ],
    ];
    for (const [status, type, sent, message] of cases)
      await assert.rejects(postAnswered(status, type, sent), { message }, `${status} ${sent}`);
  });

  it('retries after Retry-After, within the timeout', async () => {
    handler = (_request, response) => {
      if (asked.length === 3) response.end(allowed);
      else response.writeHead(asked.length === 1 ? 429 : 503, { 'Retry-After': '0' }).end();
    };
    await post();
    assert.equal(asked.length, 3);
    asked = [];
    handler = (_request, response) => response.writeHead(429, { 'Retry-After': '1' }).end();
    await assert.rejects(post(300), { message: `Post "${url()}": context deadline exceeded` });
    assert.equal(asked.length, 1);
    asked = [];
    handler = (_request, response) => response.writeHead(429, { 'Retry-After': '0' }).end();
    await assert.rejects(post(), /too many requests/);
    assert.equal(asked.length, 11);
  });

  it('follows redirects, and repeats the review when they keep the method', async () => {
    handler = (request, response) => {
      if (request.url === '/there') response.end(allowed);
      else response.writeHead(307, { Location: '/there' }).end();
    };
    await post();
    assert.deepEqual(asked[1], { method: 'POST', path: '/there', body: JSON.stringify(review) });
    handler = (request, response) => {
      if (request.url === '/there') response.end(allowed);
      else response.writeHead(302, { Location: '/there' }).end();
    };
    await post();
    assert.deepEqual(asked[3], { method: 'GET', path: '/there', body: '' });
    const to = (location: string): RequestListener => {
      return (_request, response) => response.writeHead(307, { Location: location }).end();
    };
    handler = to('ftp://x/y');
    await assert.rejects(post(), { message: 'Post "ftp://x/y": unsupported protocol scheme "ftp"' });
    handler = to('/hook');
    await assert.rejects(post(), { message: 'Post "/hook": stopped after 10 redirects' });
    handler = to('a b:c');
    await assert.rejects(post(), /failed to parse Location header "a b:c": parse "a b:c": first path segment/);
  });

  it('sends credentials to the webhook, not to the targets of redirects', async () => {
    const targets: string[] = [];
    const users = (target: string) => {
      targets.push(target);
      return { authorization: 'Bearer t' };
    };
    const known = new WebhookClient({ resolver, types, users });
    const told: unknown[] = [];
    const { port } = server.address() as AddressInfo;
    handler = ({ headers, url: path }, response) => {
      told.push(headers.authorization);
      if (path === '/hook') response.writeHead(307, { Location: '/there' }).end();
      else if (path === '/there') response.writeHead(307, { Location: `http://localhost:${port}/elsewhere` }).end();
      else response.end(allowed);
    };
    await known.post({ url: url() }, review, { timeoutMs: 3000, tellTimeout: false });
    known.close();
    assert.deepEqual(told, ['Bearer t', 'Bearer t', undefined]);
    assert.deepEqual(targets, [`127.0.0.1:${port}`]);
    told.length = 0;
    await post();
    assert.deepEqual(told, [undefined, undefined, undefined]);
  });

  it('reports a truncated response', async () => {
    const prefix = 'unexpected error when reading response body. Please retry. Original error: ';
    handler = (_request, response) => {
      response.writeHead(200, { 'Content-Length': '100' }).write('{');
      setTimeout(() => response.socket?.destroy(), 20);
    };
    await assert.rejects(post(), { message: `${prefix}unexpected EOF` });
    handler = (_request, response) => void response.writeHead(200).write('{');
    await assert.rejects(post(100), { message: `${prefix}context deadline exceeded` });
  });
});
