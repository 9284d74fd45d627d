import assert from 'node:assert/strict';
import { alwaysAllow } from '@apichain/authz';
import { internalContext } from '@apichain/apiserver';
import type { Storage } from '@apichain/storage';
import { CreateOnlyStorage } from '@apichain/kinds';
import { createBuiltinApi } from './builtin.ts';

const untouched = new Proxy({} as Storage, {
  get: (_target, name) => () => {
    throw new Error(`storage.${String(name)} was called`);
  },
});
const api = createBuiltinApi({
  openStorage: () => untouched,
  reportFailure: assert.ifError,
  authorizer: alwaysAllow,
});
const asked = { user: 'u', resourceAttributes: { namespace: 'n', verb: 'get', resource: 'pods' } };
const target = { kind: 'Node', name: 'n1' };

/** Group, path and request body. */
const posts: readonly (readonly [string, string, object])[] = [
  ['', 'pods/binding', { target }],
  ['', 'bindings', { target }],
  ['', 'pods/eviction', {}],
  ['authorization.k8s.io', 'subjectaccessreviews', { spec: asked }],
  ['authorization.k8s.io', 'selfsubjectaccessreviews', { spec: asked }],
  ['authorization.k8s.io', 'localsubjectaccessreviews', { spec: asked }],
  ['authorization.k8s.io', 'selfsubjectrulesreviews', { spec: { namespace: 'n' } }],
  ['authentication.k8s.io', 'selfsubjectreviews', {}],
  ['authentication.k8s.io', 'tokenreviews', { spec: { token: 't' } }],
];

describe('create-only resources', () => {
  for (const [group, path, body] of posts) {
    it(`run validating admission for ${path} before they act`, async () => {
      const storage = api.groups
        .find((each) => each.group === group)
        ?.storages.get('v1')
        ?.find((each) => each.path === path);
      assert.ok(storage instanceof CreateOnlyStorage);
      const { signal } = new AbortController();
      const resource = { group, version: 'v1', resource: path };
      const ctx = internalContext(resource, { namespace: 'n', name: 'x', verb: 'create', signal });
      const metadata = group === '' ? { name: 'x' } : path.startsWith('local') ? { namespace: 'n' } : {};
      const seen: unknown[] = [];
      const options = {
        dryRun: false,
        fieldManager: 't',
        fieldValidation: 'Ignore',
        validateCreate: (object: unknown) => {
          seen.push(object);
          return Promise.reject(new Error('refused'));
        },
      } as const;
      const posted = { apiVersion: 'v1', kind: 'K', metadata, ...body };
      await assert.rejects(storage.create(ctx, 'x', posted, options), /^Error: refused$/);
      assert.deepEqual(seen, [posted]);
    });
  }
});
