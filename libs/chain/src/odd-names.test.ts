import assert from 'node:assert/strict';
import { once } from 'node:events';
import http2 from 'node:http2';
import { builtinType } from '@apichain/kinds';
import { stringifyJson, type KubeObject, type Plain } from '@apichain/meta';
import { until } from '@apichain/meta/until.fixture';
import { TestChains } from './chain.fixture.ts';
import { Client, filled, membersOf, oddLabels, oddNames, servedResources } from './odd-names.fixture.ts';

const merge = { type: 'application/merge-patch+json' };
const strategic = { type: 'application/strategic-merge-patch+json' };
const jsonPatch = { type: 'application/json-patch+json' };
const apply = { type: 'application/apply-patch+yaml' };

/** Error messages of Go with which kube-apiserver also returns 500. */
const faithful = /target\.kind: Unsupported value|unable to find api field in struct RawExtension/;

describe('names that every object has', () => {
  const chains = new TestChains();
  const prototype = () => Object.getOwnPropertyNames(Object.prototype).sort().join();
  const pristine = prototype();

  const withChain = (work: (client: Client, port: number) => Promise<void>) =>
    chains.run(['--authorization-mode=RBAC'], async (chain) => {
      const transport = chain.connect('test');
      try {
        await work(new Client(transport), chain.port);
      } finally {
        await transport.close();
      }
      assert.equal(prototype(), pristine);
    });

  it('are no more than texts wherever a request has one', async () => {
    await withChain(async (client) => {
      const failures: string[] = [];
      const probe = async (...request: Parameters<Client['send']>) => {
        const { status, text } = await client.send(...request);
        if (status === 500 && !faithful.test(text)) failures.push(`${request[0]} ${request[1]}: ${text.slice(0, 300)}`);
        assert.equal(prototype(), pristine, `${request[0]} ${request[1]}`);
      };
      const resources = await servedResources(client);
      assert.ok(resources.length > 40);
      for (const name of oddNames) {
        for (const { root, apiVersion, name: resource, kind, namespaced, verbs } of resources) {
          const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
          const type = builtinType({ group: group ?? '', version: version ?? '', kind });
          if (type === undefined) continue;
          const path = `${root}/${namespaced ? 'namespaces/default/' : ''}${resource}`;
          const metadata = { name: 'x', labels: membersOf([name], 'x'), annotations: membersOf([name], name) };
          const object = { ...(filled(type, name) as Plain), apiVersion, kind, metadata };
          if (verbs.includes('create')) {
            await probe('POST', path, object);
            await probe('POST', `${path}?fieldValidation=Strict&fieldManager=${name}`, {
              ...object,
              ...membersOf([name], 1),
            });
            await probe('POST', path, { ...object, apiVersion: name });
            await probe('POST', path, { ...object, kind: name });
          }
          if (verbs.includes('patch')) {
            await probe('PATCH', `${path}/x?fieldManager=${name}`, object, apply);
            await probe('PATCH', `${path}/x`, object, strategic);
          }
          if (verbs.includes('list'))
            for (const query of ['fieldSelector=@%3Dx', 'labelSelector=@', 'labelSelector=@+in+(x)', '@=@', 'limit=@'])
              await probe('GET', `${path}?${query.replaceAll('@', name)}`);
          await probe('GET', `${path}/${name}`);
          await probe('GET', `${path}/x/${name}`);
          await probe('DELETE', `${path}/${name}?propagationPolicy=${name}`, { kind: name, apiVersion: name });
        }
        for (const path of [
          '/',
          '/api/',
          '/apis/',
          '/apis/apps/',
          '/api/v1/',
          '/openapi/v3/',
          '/livez/',
          '/debug/pprof/',
        ])
          for (const method of ['GET', 'POST']) await probe(method, `${path}${name}`);
      }
      assert.deepEqual(failures, []);
    });
  });

  it('are kept as keys by every way to write', async () => {
    await withChain(async (client) => {
      const path = '/api/v1/namespaces/default/configmaps';
      const all = membersOf(oddNames, 'v');
      const isKept = async (name: string, data = all, annotations: Plain = membersOf(oddLabels, 'v')) => {
        const object = await client.expect<KubeObject & { data: Plain }>('GET', `${path}/${name}`);
        assert.deepEqual(Object.entries(object.data).sort(), Object.entries(data).sort(), name);
        const { metadata } = object;
        assert.deepEqual(Object.entries(metadata.annotations ?? {}).sort(), Object.entries(annotations).sort(), name);
        return object;
      };
      const configMap = (name: string, data: Plain = all) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, labels: membersOf(oddLabels, 'v'), annotations: membersOf(oddLabels, 'v') },
        data,
      });
      await client.expect('POST', path, configMap('json'));
      const { metadata } = await isKept('json');
      const fields = stringifyJson(metadata.managedFields);
      for (const name of oddNames) assert.ok(fields.includes(`"f:${name}":{}`), name);
      await client.expect('PUT', `${path}/json`, configMap('json', membersOf(['__proto__'], 'w')));
      await isKept('json', membersOf(['__proto__'], 'w'));
      const yaml = [...oddNames].map((name) => `  ${name}: v`).join('\n');
      const notes = oddLabels.map((name) => `    ${name}: v`).join('\n');
      const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: yaml\n  annotations:\n${notes}\ndata:\n${yaml}\n`;
      await client.expect('POST', path, text, { type: 'application/yaml' });
      await isKept('yaml');
      await client.expect('PATCH', `${path}/apply?fieldManager=m`, configMap('apply'), apply);
      await isKept('apply');
      await client.expect(
        'PATCH',
        `${path}/apply?fieldManager=m`,
        configMap('apply', membersOf(['__proto__'], 'w')),
        apply,
      );
      await isKept('apply', membersOf(['__proto__'], 'w'));
      for (const way of [merge, strategic]) {
        await client.expect('POST', path, configMap('patched', {}));
        await client.expect('PATCH', `${path}/patched`, { data: all }, way);
        await isKept('patched');
        const rest = membersOf(oddNames.slice(1), 'v');
        await client.expect('PATCH', `${path}/patched`, { data: membersOf(['__proto__'], null) }, way);
        await isKept('patched', rest);
        await client.expect('DELETE', `${path}/patched`);
      }
      await client.expect('POST', path, configMap('pointers', { a: 'v' }));
      const operations = oddNames.map((name) => ({ op: 'add', path: `/data/${name}`, value: 'v' }));
      await client.expect('PATCH', `${path}/pointers`, [...operations, { op: 'remove', path: '/data/a' }], jsonPatch);
      await isKept('pointers');
      for (const pointer of ['/__proto__/polluted', '/constructor/prototype/polluted', '/data/toString/x']) {
        const { status } = await client.send(
          'PATCH',
          `${path}/pointers`,
          [{ op: 'add', path: pointer, value: 'v' }],
          jsonPatch,
        );
        assert.equal(status, 422, pointer);
      }
      const refused = await client.send('POST', path, {
        ...configMap('refused'),
        metadata: { name: 'refused', labels: membersOf(['__proto__'], 'v') },
      });
      assert.equal(refused.status, 422);
    });
  });

  it('select nothing that does not have them', async () => {
    await withChain(async (client) => {
      const path = '/api/v1/namespaces/default/secrets';
      await client.expect('POST', path, { metadata: { name: 'without', labels: { a: 'b' } } });
      await client.expect('POST', path, { metadata: { name: 'with', labels: membersOf(oddLabels, 'v') } });
      const selected = async (selector: string) => {
        const list = await client.expect<{ items: KubeObject[] }>(
          'GET',
          `${path}?labelSelector=${encodeURIComponent(selector)}`,
        );
        const names = list.items.map(({ metadata: { name = '' } }) => name);
        return names.filter((name) => name.startsWith('with')).sort();
      };
      for (const name of oddLabels) {
        assert.deepEqual(await selected(name), ['with'], name);
        assert.deepEqual(await selected(`${name}=v`), ['with'], name);
        assert.deepEqual(await selected(`${name} in (v,w)`), ['with'], name);
        assert.deepEqual(await selected(`!${name}`), ['without'], name);
        assert.deepEqual(await selected(`${name}!=v`), ['without'], name);
      }
    });
  });

  it('are properties of custom resources like others', async () => {
    await withChain(async (client) => {
      const property = {
        type: 'object',
        properties: membersOf(oddNames, { type: 'string', default: 'd', maxLength: 3 }),
      };
      const rule = { rule: "has(self.constructor) && self.constructor != 'no'", message: 'not no' };
      await client.expect('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'constructor.odd.example.com' },
        spec: {
          group: 'odd.example.com',
          scope: 'Cluster',
          names: { plural: 'constructor', kind: 'Constructor' },
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: {
                openAPIV3Schema: {
                  type: 'object',
                  properties: {
                    spec: { ...property, 'x-kubernetes-validations': [rule] },
                    pruned: { type: 'object' },
                    free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    map: { type: 'object', additionalProperties: { type: 'string' } },
                  },
                },
              },
              additionalPrinterColumns: oddNames.map((name) => ({ name, type: 'string', jsonPath: `.spec.${name}` })),
            },
          ],
        },
      });
      const path = '/apis/odd.example.com/v1/constructor';
      const object = (name: string, spec: Plain) => ({
        apiVersion: 'odd.example.com/v1',
        kind: 'Constructor',
        metadata: { name },
        spec,
        free: membersOf(oddNames, { x: 1 }),
        map: membersOf(oddNames, 'v'),
        pruned: membersOf(oddNames, 'v'),
      });
      await until(async () => (await client.send('GET', path)).status === 200);
      const isWhole = async (name: string, spec: Plain) => {
        const found = await client.expect<Record<string, Plain>>('GET', `${path}/${name}`);
        const sorted = (of: Plain | undefined) => Object.entries(of ?? {}).sort();
        assert.deepEqual(sorted(found['spec']), sorted(spec), name);
        assert.deepEqual(sorted(found['free']), sorted(membersOf(oddNames, { x: 1 })), name);
        assert.deepEqual(sorted(found['map']), sorted(membersOf(oddNames, 'v')), name);
        assert.deepEqual(sorted(found['pruned']), [], name);
      };
      await client.expect('POST', path, object('given', membersOf(oddNames, 'v')));
      await isWhole('given', membersOf(oddNames, 'v'));
      await client.expect('POST', path, object('defaulted', {}));
      await isWhole('defaulted', membersOf(oddNames, 'd'));
      await client.expect(
        'PATCH',
        `${path}/applied?fieldManager=m`,
        object('applied', membersOf(oddNames, 'v')),
        apply,
      );
      await isWhole('applied', membersOf(oddNames, 'v'));
      await client.expect('PATCH', `${path}/applied`, { spec: membersOf(['__proto__'], 'w') }, merge);
      await isWhole('applied', { ...membersOf(oddNames, 'v'), ...membersOf(['__proto__'], 'w') });
      for (const name of oddNames) {
        const long = await client.send('POST', path, object('long', membersOf([name], 'long')));
        assert.equal(long.status, 422, name);
        assert.match(long.text, new RegExp(`spec\\.${name}: Too long`), name);
      }
      assert.match((await client.send('POST', path, object('no', { constructor: 'no' }))).text, /not no/);
      const headers = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
      const table = await client.expect<{ rows: { cells: unknown[] }[] }>('GET', `${path}/given`, undefined, {
        headers,
      });
      const [row] = table.rows;
      assert.deepEqual(row?.cells, ['given', 'v', 'v', 'v', 'v', 'v']);
      for (const document of ['/openapi/v2', '/openapi/v3/apis/odd.example.com/v1'])
        assert.equal((await client.send('GET', document)).status, 200);
    });
  });

  it('are users, groups and extra keys that nobody has given any right', async () => {
    await withChain(async (client) => {
      for (const name of oddNames) {
        const headers = {
          'impersonate-user': name,
          'impersonate-group': name,
          [`impersonate-extra-${name}`]: name,
        };
        const review = await client.expect<{ status: { userInfo: { username: string; extra: Plain } } }>(
          'POST',
          '/apis/authentication.k8s.io/v1/selfsubjectreviews',
          {},
          { headers },
        );
        const { userInfo } = review.status;
        assert.equal(userInfo.username, name);
        assert.deepEqual(Object.entries(userInfo.extra), [[name.toLowerCase(), [name]]]);
        const attributes = { verb: name, group: name, resource: name, subresource: name, namespace: 'default', name };
        for (const spec of [
          { resourceAttributes: attributes },
          { nonResourceAttributes: { path: `/${name}`, verb: name } },
        ]) {
          const review = await client.expect<{ status: { allowed: boolean } }>(
            'POST',
            '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
            { spec },
            { headers },
          );
          assert.equal(review.status.allowed, false);
        }
        assert.equal(
          (await client.send('GET', '/api/v1/namespaces/default/secrets', undefined, { headers })).status,
          403,
        );
      }
    });
  });

  it('are no methods', async () => {
    await withChain(async (_client, port) => {
      // An unauthenticated client cannot keep a session open, so each request opens a new session.
      const statusOf = async (method: string, path: string) => {
        const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
        try {
          const stream = session.request({ ':method': method, ':path': path });
          const [headers] = (await once(stream.end(), 'response')) as [http2.IncomingHttpHeaders];
          return headers[':status'];
        } finally {
          session.destroy();
        }
      };
      for (const name of oddNames)
        for (const path of ['/api/v1/namespaces', '/version', '/apis/example.com/v1/things'])
          assert.notEqual(await statusOf(name, path), 500, `${name} ${path}`);
    });
  });
});
