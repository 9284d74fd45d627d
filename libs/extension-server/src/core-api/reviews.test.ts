import assert from 'node:assert/strict';
import { parseFlags } from '@apichain/apiserver-options';
import { pathAttributes } from '@apichain/authz';
import { createLogger } from '@apichain/request';
import { FollowedFiles } from '@apichain/serving';
import { Registry } from 'prom-client';
import { TestApiServer } from '../server.fixture.ts';
import { delegatedAuthentication } from './authentication.ts';
import { delegatedAuthorization } from './authorization.ts';
import { delegationFlags } from './flags.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { ScriptedCore, statusOf } from './scripted-core.fixture.ts';

const asked = pathAttributes({ name: 'jane', uid: '', groups: [], extra: {} }, 'get', '/a');

describe('metrics of reviews by the core API', () => {
  const logger = createLogger('test', 0, { write: () => undefined });
  const flags = parseFlags(delegationFlags, ['--authentication-skip-lookup']);
  let core: ScriptedCore;
  let metrics: Registry;
  beforeEach(() => {
    core = new ScriptedCore();
    metrics = new Registry();
  });

  const observers = () => ({ errors: new RepeatedErrors(logger), metrics });
  /** The lines of a metric without buckets. */
  const linesOf = async (name: string): Promise<string[]> =>
    (await metrics.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

  it('count TokenReviews by status code, and hits of the cache', async () => {
    const { authentication } = await delegatedAuthentication(flags, new FollowedFiles(), core, logger, observers());
    const { tokens } = authentication;
    const responses = [
      statusOf(400, 'no'),
      { code: 201, body: { status: { authenticated: true, user: { username: 'a' } } } },
    ];
    core.answer = () => responses.shift();
    const authenticate = async () => tokens?.authenticateToken('t');
    await assert.rejects(authenticate, /no/);
    const both = [authenticate(), authenticate()];
    assert.match(await metrics.metrics(), /authentication_token_cache_active_fetch_count\{status="in_flight"\} 1\n/);
    assert.match(await metrics.metrics(), /authentication_token_cache_active_fetch_count\{status="blocked"\} 2\n/);
    await Promise.all(both);
    for (let i = 0; i < 3; i++) await authenticate();
    const total = 'apiserver_delegated_authn_request_total';
    assert.deepEqual(await linesOf(total), [`${total}{code="400"} 1`, `${total}{code="201"} 1`]);
    const durations = 'apiserver_delegated_authn_request_duration_seconds_count';
    assert.deepEqual(await linesOf(durations), [`${durations}{code="400"} 1`, `${durations}{code="201"} 1`]);
    const cache = 'authentication_token_cache';
    assert.deepEqual(await linesOf(`${cache}_request_total`), [
      `${cache}_request_total{status="miss"} 3`,
      `${cache}_request_total{status="hit"} 3`,
    ]);
    assert.deepEqual(await linesOf(`${cache}_fetch_total`), [
      `${cache}_fetch_total{status="error"} 1`,
      `${cache}_fetch_total{status="ok"} 1`,
    ]);
    assert.deepEqual(await linesOf(`${cache}_active_fetch_count`), [
      `${cache}_active_fetch_count{status="in_flight"} 0`,
      `${cache}_active_fetch_count{status="blocked"} 0`,
    ]);
  });

  it('count SubjectAccessReviews, also those without a response', async () => {
    const { authorizer } = delegatedAuthorization(flags, core, observers());
    const authorize = async () => (await authorizer.authorize(asked)).decision;
    core.failure = new Error('connect ECONNREFUSED');
    assert.equal(await authorize(), 'NoOpinion');
    core.failure = undefined;
    core.answer = () => ({ code: 201, body: { status: { allowed: true } } });
    assert.deepEqual([await authorize(), await authorize()], ['Allow', 'Allow']);
    const total = 'apiserver_delegated_authz_request_total';
    assert.deepEqual(await linesOf(total), [`${total}{code="<error>"} 1`, `${total}{code="201"} 1`]);
  });

  describe('of a server', () => {
    const server = new TestApiServer({ resources: [] });

    it('are in /metrics', async () => {
      const text = await server.text('/metrics');
      for (const name of [
        'apiserver_delegated_authn_request_total',
        'apiserver_delegated_authz_request_duration_seconds',
        'authentication_token_cache_request_total',
      ])
        assert.match(text, new RegExp(`^# TYPE ${name} `, 'm'));
    });
  });
});
