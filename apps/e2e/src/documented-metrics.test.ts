import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, startChain, type Chain } from './chain.ts';
import { call } from './http.ts';

/** A query of the page: the names of its series, and the labels that each must have. */
interface Query {
  readonly text: string;
  readonly names: readonly string[];
  readonly labels: readonly string[];
}

const words = (text: string): string[] => text.match(/[a-z][a-z0-9_]*/g) ?? [];

function parseQuery(text: string): Query {
  const plain = text.replace(/"[^"]*"/g, '').replace(/\[\w+\]/g, '');
  const by = [...plain.matchAll(/ by \(([^)]*)\)/g)].map(([, labels = '']) => labels);
  const matched = [...plain.matchAll(/\{([^}]*)\}/g)].map(([, labels = '']) => labels);
  const rest = plain.replace(/ by \([^)]*\)/g, '').replace(/\{[^}]*\}/g, '');
  const names = [...rest.matchAll(/[a-z][a-z0-9]*_[a-z0-9_]+(?![a-z0-9_]*\()/g)].map(([name]) => name);
  return { text, names, labels: [...new Set(words([...by, ...matched].join(' ')))] };
}

/** The queries below a heading of the page, up to another text. */
function queriesBetween(page: string, start: string, end: string): Query[] {
  const [, after = ''] = page.split(start);
  const [section = ''] = after.split(end);
  return [...section.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, text = '']) => parseQuery(text));
}

/** The label sets of each series of an exposition, by name. */
function seriesOf(exposition: string): Map<string, string[][]> {
  const series = new Map<string, string[][]>();
  for (const line of exposition.split('\n')) {
    const [, name, labels = ''] = /^([a-z][a-z0-9_]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (name === undefined) continue;
    const names = [...labels.matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)].map(([, label = '']) => label);
    series.set(name, [...(series.get(name) ?? []), names]);
  }
  return series;
}

/** Does once what the first tables of the page count. */
async function use(chain: Chain): Promise<void> {
  const json = { 'content-type': 'application/json' };
  const send = (method: string, path: string, body?: object, admin = true) =>
    call(chain, method, path, {
      admin,
      headers: body === undefined ? {} : json,
      ...(body && { body: JSON.stringify(body) }),
    });
  const expect = async (status: number, ...request: Parameters<typeof send>) => {
    const response = await send(...request);
    assert.equal(response.status, status, response.text);
  };
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  const webhook = (name: string, failurePolicy: 'Ignore' | 'Fail') => ({
    name: `${name}.example.com`,
    // Nobody listens there.
    clientConfig: { url: 'https://127.0.0.1:1' },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: [name] }],
    failurePolicy,
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  });
  await expect(201, 'POST', webhooks, {
    metadata: { name: 'hooks' },
    webhooks: [webhook('configmaps', 'Ignore'), webhook('secrets', 'Fail')],
  });
  await expect(500, 'POST', '/api/v1/namespaces/default/secrets', { metadata: { name: 'refused' } });
  await expect(201, 'POST', configMaps, { metadata: { name: 'a' } });
  await expect(200, 'GET', configMaps);
  await expect(200, 'GET', '/api/v1/componentstatuses');
  await expect(403, 'GET', configMaps, undefined, false);
  await expect(200, 'GET', '/version', undefined, false);
  const list = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
  await expect(200, 'GET', `${configMaps}?watch=true&timeoutSeconds=1&${list}`);
}

describe('the queries of the page about metrics', () => {
  const page = readFileSync(join(repository, 'docs/metrics.md'), 'utf8');
  const notYet = 'These have no series until';
  let chain: Chain;
  let exposition: string;

  before(async function () {
    this.timeout(60_000);
    chain = await startChain({ args: ['--in-process', '--memory'] });
    await use(chain);
    // A watch that is open while the metrics are read.
    const watch = call(chain, 'GET', '/api/v1/namespaces?watch=true&timeoutSeconds=2');
    exposition = (await call(chain, 'GET', '/metrics')).text;
    await watch;
  });
  after(() => chain.stop());

  it('find their series, with the labels that they name', () => {
    const series = seriesOf(exposition);
    const queries = queriesBetween(page, '## Queries of dashboards', notYet);
    assert.ok(queries.length > 60, `${queries.length} queries`);
    const unanswered = queries.flatMap(({ text, names, labels }) => {
      assert.ok(names.length > 0, text);
      return names
        .filter((name) => {
          const wanted = labels.filter((label) => label !== 'le' || name.endsWith('_bucket'));
          return series.get(name)?.some((has) => wanted.every((label) => has.includes(label))) !== true;
        })
        .map((name) => `${name} in ${text}`);
    });
    assert.deepEqual(unanswered, []);
  });

  it('find the metrics of what has not happened yet', () => {
    const queries = queriesBetween(page, notYet, '## Without an answer');
    assert.equal(queries.length, 9);
    for (const { names } of queries)
      for (const name of names) assert.match(exposition, new RegExp(`^# TYPE ${name} `, 'm'));
  });

  it('find the metrics of the process', () => {
    const [, section = ''] = page.split('## Each service');
    const [table = ''] = section.split('## Queries of dashboards');
    const names = new Set(table.match(/(?:process|nodejs)_[a-z0-9_]+[a-z]\b/g));
    assert.ok(names.size > 10, [...names].join());
    for (const name of names) assert.match(exposition, new RegExp(`^# TYPE ${name} `, 'm'));
  });

  it('that have no answer are not answered, and what they name instead is', () => {
    const [, section = ''] = page.split('## Without an answer');
    for (const [, missing = '', instead = ''] of section.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)) {
      for (const [, name = ''] of missing.matchAll(/`([^`*]+)\*?`/g))
        assert.doesNotMatch(exposition, new RegExp(`^# TYPE ${name}`, 'm'));
      for (const [, name = ''] of instead.matchAll(/`([a-z_]+)\*?`/g))
        assert.match(exposition, new RegExp(`^# TYPE ${name}`, 'm'));
    }
  });
});
