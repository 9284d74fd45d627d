import assert from 'node:assert/strict';
import { AdmissionChain, type AdmissionAttributes } from '@apichain/admission';
import type { Type } from '@apichain/scheme';
import { typedCodec } from './registry/typed-codec.ts';
import { defineWidgets, widgetCodec } from './registry/widgets.fixture.ts';
import { base, groupVersion, Harness, widget, type HarnessOptions } from './installer.fixture.ts';

describe('a group-version over HTTP', () => {
  let harness: Harness;
  const use = async (options: HarnessOptions = { custom: true }, widgets = defineWidgets()) => {
    harness = await new Harness(widgets, options).start();
    return harness;
  };
  afterEach(() => harness.stop());

  it('creates, gets and lists with the bytes of the store', async () => {
    const server = await use();
    const made = await server.send('POST', base, widget('a', { spec: { color: 'red' } }));
    assert.equal(made.status, 201);
    const got = await server.send('GET', `${base}/a`);
    assert.equal(got.text, made.text);
    assert.ok(got.text.endsWith('}\n'));
    const list = await server.send('GET', base);
    assert.deepEqual(list.body['items'], [got.body]);
    assert.deepEqual(list.body['kind'], 'WidgetList');
    const pretty = await server.send('GET', `${base}/a?pretty=true`);
    assert.ok(pretty.text.startsWith('{\n  "kind": "Widget"'));
  });

  it('records field managers of creates, patches and applies', async () => {
    const server = await use();
    await server.send('POST', `${base}?fieldManager=one`, widget('a', { spec: { color: 'red' } }));
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = await server.send(
      'PATCH',
      `${base}/a?fieldManager=two&force=true`,
      widget('a', { spec: { size: 1 } }),
      apply,
    );
    const managed = applied.body['metadata'] as { managedFields: { manager: string; operation: string }[] };
    assert.deepEqual(managed.managedFields.map(({ manager, operation }) => `${manager} ${operation}`).sort(), [
      'one Update',
      'two Apply',
    ]);
    const created = await server.send('PATCH', `${base}/b?fieldManager=two`, widget('b'), apply);
    assert.equal(created.status, 201);
  });

  it('refuses invalid bodies with the messages of Kubernetes', async () => {
    const server = await use();
    const message = async (body: unknown, headers: Record<string, string> = {}, query = '') =>
      (await server.send('POST', base + query, body, headers)).body['message'];
    assert.equal(
      await message('{'),
      "the object provided is unrecognized (must be of type Widget): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    );
    assert.equal(
      await message('{}'),
      "the object provided is unrecognized (must be of type Widget): Object 'Kind' is missing in '{}' ({})",
    );
    assert.equal(
      await message({ ...widget('a'), apiVersion: 'test.example.com/v2' }),
      'the API version in the data (test.example.com/v2) does not match the expected API version (test.example.com/v1)',
    );
    assert.equal(
      await message('{}', { 'content-type': 'text/plain' }),
      'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
    );
    assert.equal(
      await message({ ...widget('a'), bogus: 1 }, {}, '?fieldValidation=Strict'),
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "bogus"',
    );
    const twice =
      '{"apiVersion":"test.example.com/v1","kind":"Widget","metadata":{"name":"a","labels":{"x":"1","x":"2"}},"spec":{},"spec":{}}';
    assert.equal(
      await message(twice, {}, '?fieldValidation=Strict'),
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: duplicate field "metadata.labels.x", duplicate field "spec"',
    );
    const doubled = await server.send('POST', `${base}?dryRun=All`, twice);
    assert.match(String(doubled.headers['warning']), /299 - "duplicate field \\"metadata.labels.x\\""/);
    assert.equal(
      await message('{"apiVersion":"test.example.com/v1","kind":"Widget","spec":{"x":1e400}}'),
      'Widget in version "v1" cannot be handled as a Widget: json: cannot unmarshal number 1e400 into Go value of type float64',
    );
    const yaml = { 'content-type': 'application/yaml' };
    const infinite = 'apiVersion: test.example.com/v1\nkind: Widget\nspec: {x: .inf}\n';
    assert.equal((await server.send('POST', base, infinite, yaml)).status, 400);
    const warned = await server.send('POST', base, { ...widget('a'), bogus: 1 });
    assert.equal(warned.headers['warning'], '299 - "unknown field \\"bogus\\""');
    const large = await server.send('POST', base, 'x'.repeat(3 * 1024 * 1024 + 1));
    assert.equal(large.body['message'], 'Request entity too large: limit is 3145728');
  });

  it('checks options of every verb', async () => {
    const server = await use();
    const dryRun = await server.send('POST', `${base}?dryRun=all`, widget('a'));
    assert.equal(
      dryRun.body['message'],
      'CreateOptions.meta.k8s.io "" is invalid: dryRun: Unsupported value: ["all"]: supported values: "All"',
    );
    const limit = await server.send('GET', `${base}?limit=abc`);
    assert.equal(limit.body['message'], 'strconv.ParseInt: parsing "abc": invalid syntax');
    const policy = await server.send('DELETE', `${base}/a`, { propagationPolicy: 'Bogus' });
    assert.equal(policy.status, 422);
    const match = await server.send('GET', `${base}?resourceVersionMatch=Exact`);
    assert.match(String(match.body['message']), /resourceVersionMatch is forbidden unless resourceVersion is provided/);
  });

  it('selects by label and field', async () => {
    const server = await use();
    await server.send('POST', base, widget('a', { spec: { color: 'red' } }));
    await server.send('POST', base, { ...widget('b'), metadata: { name: 'b', labels: { x: 'y' } } });
    const names = async (query: string) =>
      ((await server.send('GET', `${base}?${query}`)).body['items'] as { metadata: { name: string } }[]).map(
        ({ metadata }) => metadata.name,
      );
    assert.deepEqual(await names('fieldSelector=spec.color%3Dred'), ['a']);
    assert.deepEqual(await names('labelSelector=x%3Dy'), ['b']);
    const unknown = await server.send('GET', `${base}?fieldSelector=spec.size%3D1`);
    assert.equal(unknown.body['message'], 'field label not supported: spec.size');
  });

  it('shows Tables and metadata only', async () => {
    const server = await use();
    await server.send('POST', base, widget('a', { spec: { color: 'red' } }));
    const table = await server.send('GET', `${base}?includeObject=None`, undefined, {
      accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
    });
    assert.deepEqual(table.body['rows'], [{ cells: ['a'], object: null }]);
    const partial = await server.send('GET', `${base}/a`, undefined, {
      accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
    });
    assert.deepEqual(Object.keys(partial.body), ['kind', 'apiVersion', 'metadata']);
    const wrong = await server.send('GET', `${base}/a`, undefined, {
      accept: 'application/json;as=Bogus;g=meta.k8s.io;v=v1',
    });
    assert.equal(wrong.status, 406);
  });

  it('patches with every type and retries until the write fits', async () => {
    const server = await use();
    await server.send('POST', base, widget('a', { spec: { count: 0 } }));
    const patch = (type: string, body: unknown, path = `${base}/a`) =>
      server.send('PATCH', path, body, { 'content-type': `application/${type}` });
    assert.equal((await patch('merge-patch+json', { spec: { color: 'red' } })).status, 200);
    assert.equal((await patch('json-patch+json', [{ op: 'add', path: '/spec/size', value: 2 }])).status, 200);
    assert.equal((await patch('json-patch+json', [{ op: 'test', path: '/spec/size', value: 3 }])).status, 422);
    assert.equal((await patch('strategic-merge-patch+json', {})).status, 415);
    assert.equal((await patch('MERGE-PATCH+JSON', {})).status, 415);
    assert.equal((await patch('merge-patch+json', {}, `${base}/none`)).status, 404);
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, i) => patch('merge-patch+json', { spec: { [`k${i}`]: i } })),
    );
    assert.ok(responses.every(({ status }) => status === 200));
    const { spec } = (await server.send('GET', `${base}/a`)).body as { spec: object };
    assert.equal(Object.keys(spec).length, 67);
  });

  it('returns an error when a representation cannot hold the object', async () => {
    const server = await use();
    const made = await server.send('POST', base, widget('a', { spec: { color: '\u007f' } }), {
      accept: 'application/yaml',
    });
    assert.equal(made.status, 500);
    assert.match(made.text, /^message: 'yaml: control characters are not allowed'$/m);
    assert.equal((await server.send('GET', `${base}/a`)).status, 200);
  });

  it('shows no version in the Table of a dry run', async () => {
    const server = await use();
    const accept = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    const table = await server.send('POST', `${base}?dryRun=All`, widget('a'), accept);
    assert.deepEqual(table.body['metadata'], {});
  });

  it('creates nothing for an apply to a subresource of an absent object', async () => {
    const server = await use();
    const applied = await server.send('PATCH', `${base}/none/status?fieldManager=m`, widget('none'), {
      'content-type': 'application/apply-patch+yaml',
    });
    assert.equal(applied.status, 404);
    assert.equal(applied.body['message'], 'widgets.test.example.com "none" not found');
  });

  it('reports an applied value that matches the schema but not the type', async () => {
    const kind = { ...groupVersion, kind: 'Widget' };
    const spec: Type = { kind: 'object', name: 'test.v1.Spec', fields: [{ name: 'size', type: { kind: 'quantity' } }] };
    const metadata: Type = { kind: 'object', name: 'meta.v1.ObjectMeta', fields: [] };
    const type: Type = {
      kind: 'object',
      name: 'test.v1.Widget',
      fields: [
        { name: 'metadata', type: metadata },
        { name: 'spec', type: spec },
      ],
    };
    const server = await use({}, defineWidgets({}, {}, typedCodec({ kind, type })));
    const applied = await server.send('PATCH', `${base}/a?fieldManager=m`, widget('a', { spec: { size: 'x' } }), {
      'content-type': 'application/apply-patch+yaml',
    });
    assert.equal(applied.status, 500);
    assert.equal(
      applied.body['message'],
      "failed to convert new object (/a; test.example.com/v1, Kind=Widget) to proper version: unable to convert unstructured object to test.example.com/v1, Kind=Widget: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  });

  it('refuses numbers outside the range of floats in every patch', async () => {
    const server = await use();
    await server.send('POST', base, widget('a'));
    const statusOf = async (type: string, body: string) => {
      const { status, body: sent } = await server.send('PATCH', `${base}/a?fieldManager=m`, body, {
        'content-type': type,
      });
      return `${status} ${String(sent['message'])}`;
    };
    assert.equal(
      await statusOf('application/merge-patch+json', '{"spec":1e400}'),
      '400 error decoding patch: json: cannot unmarshal number 1e400 into Go value of type float64',
    );
    assert.equal(
      await statusOf('application/json-patch+json', '[{"op":"add","path":"/spec","value":1e400}]'),
      '400 error decoding patch: json: cannot unmarshal number 1e400 into Go struct field jsonPatchOp.value of type float64',
    );
    assert.equal(
      await statusOf('application/apply-patch+yaml', 'spec: .inf\n'),
      '400 error decoding YAML: error converting YAML to JSON: json: unsupported value: +Inf',
    );
  });

  it('serves the status subresource', async () => {
    const server = await use();
    await server.send('POST', base, widget('a', { spec: { color: 'red' } }));
    const merge = { 'content-type': 'application/merge-patch+json' };
    const body = { spec: { color: 'blue' }, status: { ready: true } };
    const { body: written } = await server.send('PATCH', `${base}/a/status`, body, merge);
    assert.deepEqual(written['spec'], { color: 'red' });
    assert.deepEqual(written['status'], { ready: true });
  });

  it('deletes collections', async () => {
    const server = await use();
    for (const name of ['a', 'b']) await server.send('POST', base, widget(name));
    const { body } = await server.send('DELETE', base);
    assert.equal((body['items'] as unknown[]).length, 2);
    assert.deepEqual((await server.send('GET', base)).body['items'], []);
  });

  it('compresses large responses for clients that accept gzip', async () => {
    const server = await use();
    await server.send('POST', base, widget('a', { spec: { text: 'x'.repeat(200_000) } }));
    const { headers, body } = await server.send('GET', `${base}/a`, undefined, { 'accept-encoding': 'gzip' });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers['vary'], 'Accept-Encoding');
    assert.equal(body['kind'], 'Widget');
    const weighted = await server.send('GET', `${base}/a`, undefined, { 'accept-encoding': 'gzip;q=1' });
    assert.equal(weighted.headers['content-encoding'], undefined);
  });

  it('answers unknown paths and methods as the router of custom resources does', async () => {
    const server = await use();
    const none = await server.send('GET', '/apis/test.example.com/v1/namespaces/ns/nothing');
    assert.equal(none.text, '404 page not found\n');
    const method = await server.send('POST', `${base}/a/status`, {});
    assert.equal(method.body['message'], 'create is not supported on resources of kind "widgets.test.example.com"');
    const subresource = await server.send('GET', `${base}/a/bogus`);
    assert.equal(subresource.body['message'], 'widgets.test.example.com "a" not found');
    const name = await server.send('GET', `${base}/a%25b`);
    assert.equal(name.body['message'], `Name parameter invalid: "a%b": may not contain '%'`);
  });

  it('answers 404 and 405 for custom resources by verb, not by path', async () => {
    const server = await use();
    await server.send('POST', base, widget('a'));
    const other = await server.send('POST', `${base}/a`, widget('b'));
    assert.equal(other.status, 201);
    assert.equal((await server.send('GET', `${base}/a/status/more`)).status, 200);
    assert.equal((await server.send('GET', `${base}/a//`)).status, 200);
    const unnamed = await server.send('PUT', base, widget('a'));
    assert.equal(unnamed.body['message'], 'name must be provided');
    const method = await server.send('OPTIONS', base);
    assert.equal(method.body['message'], ' is not supported on resources of kind "widgets.test.example.com"');
    const head = await server.open('HEAD', `${base}/a`);
    assert.equal(head.statusCode, 200);
    const [root = ''] = base.split('/namespaces/');
    const watched = await server.send('GET', `${root}/watch/widgets/a?timeoutSeconds=1`);
    assert.equal(watched.status, 200);
    const watchOf = (rest: string) => server.send('GET', base.replace('v1/', 'v1/watch/') + rest);
    assert.equal((await watchOf('/a%3Db?timeoutSeconds=1')).status, 200);
    const unknown = await watchOf('/a?fieldSelector=spec.size%3D1');
    assert.equal(unknown.body['message'], 'field label not supported: spec.size');
    const part = await watchOf('/a/status');
    assert.equal(part.body['message'], 'watch is not supported on resources of kind "widgets.test.example.com"');
    assert.equal((await server.send('DELETE', `${root}/widgets`)).text, '404 page not found\n');
  });

  it('answers unknown paths and methods of built-in kinds as their router does', async () => {
    const server = await use({}, defineWidgets({}, {}, { ...widgetCodec, custom: false }));
    const none = await server.send('GET', '/apis/test.example.com/v1/namespaces/ns/nothing');
    assert.equal(none.body['message'], 'the server could not find the requested resource');
    const method = await server.send('POST', `${base}/a`, {});
    assert.equal(method.body['message'], 'the server does not allow this method on the requested resource');
    const across = await server.send('DELETE', '/apis/test.example.com/v1/widgets');
    assert.equal(across.status, 405);
    const accept = await server.send('GET', base, undefined, { accept: 'text/plain' });
    assert.match(
      String(accept.body['message']),
      /^406: Not Acceptable\n\nAvailable representations: application\/json,/,
    );
    const type = await server.send('PATCH', `${base}/a`, '{}', { 'content-type': 'text/plain' });
    assert.equal(type.body['message'], '415: Unsupported Media Type');
    const several = await server.send('PATCH', `${base}/a`, '{}', {
      'content-type': 'application/json-patch+json, application/merge-patch+json',
    });
    assert.equal(several.status, 415);
    assert.match(String(several.body['message']), /^the body of the request was in an unknown format/);
  });

  it('reads empty path segments as empty names', async () => {
    const server = await use({}, defineWidgets({}, {}, { ...widgetCodec, custom: false }));
    await server.send('POST', base, widget('a'));
    const message = async (method: string, path: string) => (await server.send(method, path)).body['message'];
    const unnamed = base.replace('/ns/', '//');
    const all = await server.send('GET', unnamed);
    assert.equal((all.body['items'] as unknown[]).length, 1);
    assert.equal(await message('GET', `${unnamed}/a`), 'Namespace parameter required.');
    assert.equal(await message('GET', `${base}//status`), 'name must be provided');
    assert.equal((await server.send('POST', `${base}//status`, {})).status, 405);
    assert.equal((await server.send('GET', `${base}/a//status`)).status, 404);
    assert.equal((await server.send('GET', base.replace('/widgets', '//widgets'))).status, 404);
  });

  it('applies mutating and validating admission', async () => {
    const seen: AdmissionAttributes[] = [];
    const admission = new AdmissionChain([
      {
        name: 'Test',
        handles: new Set(['CREATE', 'DELETE'] as const),
        admit: ({ object }) => {
          if (object !== undefined) object['admitted'] = true;
        },
        validate: (attributes) => void seen.push(attributes),
      },
    ]);
    const server = await use({ custom: true, admission });
    assert.equal((await server.send('POST', base, widget('a'))).body['admitted'], true);
    await server.send('DELETE', `${base}/a`);
    assert.deepEqual(
      seen.map(({ operation, name, namespace }) => [operation, name, namespace]),
      [
        ['CREATE', 'a', 'ns'],
        ['DELETE', 'a', 'ns'],
      ],
    );
    assert.equal(seen[1]?.oldObject?.metadata.name, 'a');
  });

  it('requires the right to create for an apply that creates', async () => {
    const server = await use({
      custom: true,
      authorizer: { authorize: () => ({ decision: 'Deny', reason: 'not you' }) },
    });
    const response = await server.send('PATCH', `${base}/a?fieldManager=m`, widget('a'), {
      'content-type': 'application/apply-patch+yaml',
    });
    assert.equal(response.status, 403);
    assert.match(String(response.body['message']), /cannot create resource/);
  });
});
