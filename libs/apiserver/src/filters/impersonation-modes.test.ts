import assert from 'node:assert/strict';
import type { UserInfo } from '@apichain/authn';
import { resourceAttributes, type AuthorizationAttributes, type Authorizer } from '@apichain/authz';
import { impersonationModes, LastModes } from './impersonation-modes.ts';

const userOf = (name: string, rest: Partial<UserInfo> = {}): UserInfo => ({
  name,
  uid: '',
  groups: [],
  extra: {},
  ...rest,
});
const onNode = userOf('system:serviceaccount:ns:agent', {
  extra: { 'authentication.kubernetes.io/node-name': ['n1'], 'authentication.kubernetes.io/pod-name': ['p'] },
});

const request = (user: UserInfo): AuthorizationAttributes =>
  resourceAttributes({ user, verb: 'list', apiVersion: 'v1', resource: 'pods' });

const asked = ({ verb, resource, subresource, name }: AuthorizationAttributes): string =>
  [verb, resource, subresource, name].filter((part) => part !== '').join(' ');

/** The checks that a mode makes when everything except `denied` is allowed, and its result. */
async function questions(modeVerb: string, wanted: UserInfo, requestor: UserInfo, denied: readonly string[] = []) {
  const found: string[] = [];
  const authorizer: Authorizer = {
    authorize: (attributes) => {
      found.push(asked(attributes));
      return { decision: denied.includes(asked(attributes)) ? 'NoOpinion' : 'Allow', reason: '' };
    },
  };
  const mode = impersonationModes.find(({ verb }) => verb === modeVerb);
  if (mode?.applies(wanted, requestor) !== true) return ['does not apply'];
  try {
    await mode.check(authorizer, wanted, request(requestor));
    return [...found, mode.actualUser(wanted).groups.join(' ')];
  } catch (error) {
    return [...found, error instanceof Error ? error.message : ''];
  }
}

describe('impersonation modes', () => {
  const bob = userOf('bob');

  it('authorizes a service account on a node for the nodes mode', async () => {
    const verb = 'impersonate:associated-node';
    assert.deepEqual(await questions(verb, userOf('system:node:n1'), onNode), [
      'impersonate-on:associated-node:list pods',
      'impersonate:associated-node nodes *',
      'system:nodes system:authenticated',
    ]);
    assert.deepEqual(await questions(verb, userOf('system:node:n2'), onNode), ['does not apply']);
    assert.deepEqual(await questions(verb, userOf('system:node:n1'), bob), ['does not apply']);
  });

  it('accepts only valid node names', async () => {
    assert.deepEqual(await questions('impersonate:arbitrary-node', userOf('system:node:N 1'), bob), ['does not apply']);
    assert.deepEqual(await questions('impersonate:user-info', userOf('system:node:N 1'), bob), [
      'impersonate-on:user-info:list pods',
      'impersonate:user-info users system:node:N 1',
      'system:authenticated',
    ]);
  });

  it('authorizes many names with one wildcard check', async () => {
    const groups = ['a', 'b', 'c', 'd'];
    const [on, name] = ['impersonate-on:user-info:list pods', 'impersonate:user-info users x'];
    const allGroups = 'impersonate:user-info groups *';
    assert.deepEqual(await questions('impersonate:user-info', userOf('x', { groups }), bob), [
      ...[on, name, allGroups],
      'a b c d system:authenticated',
    ]);
    const refused = await questions('impersonate:user-info', userOf('x', { groups }), bob, [allGroups]);
    assert.deepEqual(refused.slice(0, 4), [on, name, allGroups, 'impersonate:user-info groups a']);
    const extra = { 'a.b/c': ['1', '2', '3', '4'] };
    assert.deepEqual(await questions('impersonate:user-info', userOf('x', { extra }), bob), [
      ...[on, name, 'impersonate:user-info userextras * *'],
      'system:authenticated',
    ]);
    assert.equal((await questions('impersonate', userOf('x', { groups }), bob)).length, 6);
  });

  it('refuses groups and extras that no constrained mode covers, after the name is allowed', async () => {
    const last = async (wanted: UserInfo) => (await questions('impersonate:user-info', wanted, bob)).slice(2);
    const may = 'User "bob" cannot impersonate:user-info resource';
    const at = 'in API group "authentication.k8s.io" at the cluster scope:';
    assert.deepEqual(await last(userOf('x', { groups: ['system:masters', ''] })), [
      `groups.authentication.k8s.io is forbidden: ${may} "groups" ${at} impersonating the empty string group is not allowed`,
    ]);
    assert.deepEqual(await last(userOf('x', { extra: { scopes: ['y'] } })), [
      `userextras.authentication.k8s.io is forbidden: ${may} "userextras" ${at} impersonating an invalid key in extra is not ` +
        'allowed: extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")',
    ]);
  });
});

describe('LastModes', () => {
  it('tries the last allowed mode first, for each user', () => {
    const last = new LastModes(impersonationModes);
    const legacy = impersonationModes.find(({ verb }) => verb === 'impersonate');
    assert.ok(legacy !== undefined);
    assert.deepEqual(last.order('bob'), impersonationModes);
    last.remember('bob', legacy);
    assert.deepEqual(
      last.order('bob').map(({ verb }) => verb),
      [legacy, ...impersonationModes.slice(0, -1)].map(({ verb }) => verb),
    );
    assert.deepEqual(last.order('alice'), impersonationModes);
  });

  it('removes users after a period without requests', () => {
    const last = new LastModes(impersonationModes);
    const [mode] = impersonationModes.slice(-1);
    assert.ok(mode !== undefined);
    for (let i = 0; i <= 10_000; i++) last.remember(`user-${i}`, mode);
    assert.deepEqual(last.order('user-0'), impersonationModes);
    assert.notDeepEqual(last.order('user-1'), impersonationModes);
  });
});
