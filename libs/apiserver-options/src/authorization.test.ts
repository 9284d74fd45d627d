import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathAttributes } from '@apichain/authz';
import { FollowedFiles } from '@apichain/serving';
import { serviceFlags } from './all-flags.ts';
import { authorizationOf } from './authorization.ts';
import { parseFlags } from './parse-flags.ts';

describe('the authorizers of --authorization-mode', () => {
  const folder = mkdtempSync(join(tmpdir(), 'apichain-test-'));
  after(() => rmSync(folder, { recursive: true }));
  const policies = join(folder, 'policies.jsonl');
  const spec = { user: 'alice', namespace: '*', resource: '*', apiGroup: '*', nonResourcePath: '*' };
  writeFileSync(
    policies,
    JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec }),
  );
  const decide = async (name: string, path: string, alwaysAllowPaths?: readonly string[]): Promise<string> => {
    const flags = parseFlags(serviceFlags(), ['--authorization-mode=ABAC', `--authorization-policy-file=${policies}`]);
    const stores = () => {
      throw new Error('ABAC reads no objects');
    };
    const sources = { stores, ...(alwaysAllowPaths === undefined ? {} : { alwaysAllowPaths }) };
    const { authorizer } = authorizationOf(flags, new FollowedFiles(), sources);
    const user = { name, uid: '', groups: ['system:authenticated'], extra: {} };
    const { decision } = await authorizer.authorize(pathAttributes(user, 'get', path));
    return decision;
  };

  it('open no path to users without a right to it: without RBAC there is no role for public information', async () => {
    for (const path of ['/healthz', '/livez', '/readyz', '/version']) {
      assert.equal(await decide('bob', path), 'NoOpinion', path);
      assert.equal(await decide('alice', path), 'Allow', path);
    }
  });

  it('open the paths that the server always allows', async () => {
    assert.equal(await decide('bob', '/healthz', ['/healthz']), 'Allow');
    assert.equal(await decide('bob', '/version', ['/healthz']), 'NoOpinion');
  });
});
