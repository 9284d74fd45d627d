import assert from 'node:assert/strict';
import { type Chain, startChain } from './chain.ts';
import { call } from './http.ts';

interface StatusBody {
  kind: string;
  status: string;
  reason: string;
  message: string;
  code: number;
}

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string, more = {}) =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...more } });

describe('bad input', () => {
  let chain: Chain;
  before(async () => {
    chain = await startChain();
    const created = await call(chain, 'POST', configMaps, { body: configMap('taken') });
    assert.equal(created.status, 201);
  });
  after(() => chain?.stop());

  const yaml = { 'content-type': 'application/yaml' };
  const cases: {
    what: string;
    method?: string;
    path?: string;
    body?: string | Buffer;
    headers?: Record<string, string>;
    code: number;
    reason: string;
    message: RegExp;
  }[] = [
    {
      what: 'malformed JSON',
      body: '{"a":',
      code: 400,
      reason: 'BadRequest',
      message: /couldn't get version\/kind; json parse error/,
    },
    { what: 'malformed YAML', body: 'a: [', headers: yaml, code: 400, reason: 'BadRequest', message: /yaml|YAML/ },
    {
      what: 'another kind',
      body: '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"x"}}',
      code: 400,
      reason: 'BadRequest',
      message: /Secret/,
    },
    {
      what: 'another namespace',
      body: configMap('x', { namespace: 'other' }),
      code: 400,
      reason: 'BadRequest',
      message: /the namespace of the provided object does not match/,
    },
    {
      what: 'an unknown resource',
      method: 'GET',
      path: '/api/v1/namespaces/default/nothings',
      code: 404,
      reason: 'NotFound',
      message: /could not find the requested resource/,
    },
    {
      what: 'an oversize body',
      body: Buffer.alloc(3 * 1024 * 1024 + 1, ' '),
      code: 413,
      reason: 'RequestEntityTooLarge',
      message: /limit is 3145728/,
    },
    {
      what: 'an unknown content type',
      body: 'x',
      headers: { 'content-type': 'text/plain' },
      code: 415,
      reason: 'UnsupportedMediaType',
      message: /unknown format/,
    },
    {
      what: 'an unknown accepted type',
      method: 'GET',
      headers: { accept: 'image/png' },
      code: 406,
      reason: 'NotAcceptable',
      message: /Not Acceptable/,
    },
    {
      what: 'a bad label selector',
      method: 'GET',
      path: `${configMaps}?labelSelector=a%20in%20b`,
      code: 400,
      reason: 'BadRequest',
      message: /unable to parse requirement/,
    },
    {
      what: 'a bad field selector',
      method: 'GET',
      path: `${configMaps}?fieldSelector=spec.a%3Db`,
      code: 400,
      reason: 'BadRequest',
      message: /is not a known field selector/,
    },
    {
      what: 'the namespace of what has none',
      method: 'GET',
      path: '/api/v1/namespaces?fieldSelector=metadata.namespace%3Dx',
      code: 400,
      reason: 'BadRequest',
      message: /^field label not supported: metadata.namespace$/,
    },
    {
      what: 'a field by its name in another version',
      method: 'GET',
      path: '/apis/events.k8s.io/v1/events?fieldSelector=involvedObject.kind%3DPod',
      code: 400,
      reason: 'BadRequest',
      message: /^field label not supported: involvedObject.kind$/,
    },
    {
      what: 'a field with a blank before it',
      method: 'GET',
      path: `${configMaps}?fieldSelector=%20metadata.name%3Dx`,
      code: 400,
      reason: 'BadRequest',
      message: /^" metadata.name" is not a known field selector/,
    },
    {
      what: 'a bad resourceVersion',
      method: 'GET',
      path: `${configMaps}?resourceVersion=abc`,
      code: 400,
      reason: 'BadRequest',
      message: /[Ii]nvalid/,
    },
    {
      what: 'a duplicate create',
      body: configMap('taken'),
      code: 409,
      reason: 'AlreadyExists',
      message: /configmaps "taken" already exists/,
    },
    {
      what: 'a stale update',
      method: 'PUT',
      path: `${configMaps}/taken`,
      body: configMap('taken', { resourceVersion: '1' }),
      code: 409,
      reason: 'Conflict',
      message: /the object has been modified/,
    },
    {
      what: 'an invalid name',
      body: configMap('Bad_Name'),
      code: 422,
      reason: 'Invalid',
      message: /RFC 1123 subdomain/,
    },
    {
      what: 'no name',
      body: '{"apiVersion":"v1","kind":"ConfigMap"}',
      code: 422,
      reason: 'Invalid',
      message: /name or generateName is required/,
    },
    {
      what: 'a missing namespace',
      path: '/api/v1/namespaces/absent/configmaps',
      body: configMap('x'),
      code: 404,
      reason: 'NotFound',
      message: /namespaces "absent" not found/,
    },
    {
      what: 'an unknown field under Strict',
      path: `${configMaps}?fieldValidation=Strict`,
      body: configMap('x').replace('}}', '},"foo":1}'),
      code: 400,
      reason: 'BadRequest',
      message: /strict decoding error: unknown field "foo"/,
    },
  ];

  for (const { what, method = 'POST', path = configMaps, code, reason, message, ...options } of cases)
    it(`responds to ${what} with ${code} ${reason}`, async () => {
      const response = await call(chain, method, path, options);
      const body = response.json<StatusBody>();
      assert.deepEqual([response.status, body.code, body.reason], [code, code, reason], response.text);
      assert.match(body.message, message);
    });

  it('refuses requests without a credential, except for health and version', async () => {
    assert.equal((await call(chain, 'GET', '/readyz', { admin: false })).status, 200);
    assert.equal((await call(chain, 'GET', '/version', { admin: false })).status, 200);
    const denied = await call(chain, 'GET', '/api/v1/namespaces', { admin: false });
    assert.ok(denied.status === 401 || denied.status === 403, denied.text);
    const forged = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    const refused = await call(chain, 'GET', '/api/v1/namespaces', { admin: false, headers: forged });
    assert.equal(refused.status, denied.status);
  });

  it('wrote nothing, and the server still responds', async () => {
    const list = (await call(chain, 'GET', configMaps)).json<{ items: { metadata: { name: string } }[] }>();
    assert.deepEqual(
      list.items.map((item) => item.metadata.name).filter((name) => name !== 'kube-root-ca.crt'),
      ['taken'],
    );
  });
});
