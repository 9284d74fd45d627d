import assert from 'node:assert/strict';
import { builtinGroupVersions } from '@apichain/kinds';
import { areas, inText, substitute, valueAt, type Step } from './scenario.ts';
import { allScenarios } from './scenarios/index.ts';
import { sampleKinds } from './scenarios/samples/index.ts';
import { UsageError } from '../command/command.ts';
import { parseOptions } from './options.ts';

/** The kinds that are served by default and stored, so that they can be created and read. */
const storedKinds = (): string[] =>
  builtinGroupVersions
    .filter(({ enabledByDefault }) => enabledByDefault)
    .flatMap(({ group, version, resources }) =>
      resources
        .filter(({ verbs }) => verbs.includes('create') && verbs.includes('get'))
        .map(({ info }) => `${group === '' ? version : `${group}/${version}`} ${info.plural}`),
    );

const stepsOf = (steps: readonly Step[]): Step[] =>
  steps.flatMap((step) => [step, ...stepsOf(step.watch?.during ?? [])]);

describe('the scenarios', () => {
  it('have unique names, as have the steps of each', () => {
    const names = allScenarios.map(({ name }) => name);
    assert.deepEqual(names, [...new Set(names)]);
    for (const scenario of allScenarios) {
      const steps = stepsOf(scenario.steps).map(({ name }) => name);
      const twice = steps.filter((name, index) => steps.indexOf(name) !== index);
      assert.deepEqual(twice, [], scenario.name);
    }
  });

  it('cover every area', () => {
    for (const area of areas)
      assert.ok(
        allScenarios.some((scenario) => scenario.area === area),
        area,
      );
  });

  it('use only variables of the run and of previous steps', () => {
    for (const scenario of allScenarios) {
      const steps = stepsOf(scenario.steps);
      const saved = steps.flatMap(({ save = {} }) => Object.keys(save));
      const used = [...JSON.stringify(steps).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? '');
      const known = new Set(['run', 'ns', 'webhook', 'webhookCa', ...saved]);
      const unknown = used.filter((name) => !known.has(name));
      assert.deepEqual(unknown, [], scenario.name);
    }
  });

  it('have a sample of every built-in kind that is on by default', () => {
    const sampled = new Set(sampleKinds.map(({ apiVersion, resource }) => `${apiVersion} ${resource}`));
    assert.deepEqual(
      storedKinds().filter((kind) => !sampled.has(kind)),
      ['apiextensions.k8s.io/v1 customresourcedefinitions'],
    );
  });
});

describe('variables', () => {
  it('are replaced in texts, members and bodies, alone with their type', () => {
    const variables = { n: 5, name: 'a' };
    const body = { '{{name}}': '{{n}}', list: ['{{name}}-{{n}}'] };
    assert.deepEqual(substitute(body, variables), { a: 5, list: ['a-5'] });
    assert.equal(inText('/x/{{name}}', variables), '/x/a');
    assert.throws(() => inText('{{none}}', variables), /no step saves \{\{none\}\}/);
  });

  it('are read from paths in responses', () => {
    const body = { items: [{ metadata: { name: 'a' } }] };
    assert.equal(valueAt(body, 'items.0.metadata.name'), 'a');
    assert.equal(valueAt(body, ''), body);
    assert.equal(valueAt(body, 'items.1.metadata'), undefined);
  });
});

describe('the options', () => {
  it('require a reference, and have defaults', () => {
    assert.throws(() => parseOptions([]), UsageError);
    const options = parseOptions(['--reference', 'https://127.0.0.1:1', '--token', 't', '--insecure']);
    assert.deepEqual(options.reference, {
      name: 'reference',
      running: { url: 'https://127.0.0.1:1', token: 't', insecureSkipTlsVerify: true },
    });
    assert.deepEqual(
      options.chains.map(({ name }) => name),
      ['services', 'in-process'],
    );
    assert.deepEqual(options.areas, areas);
  });

  it('refuse unknown options', () => {
    const reference = ['--reference', 'https://127.0.0.1:1'];
    for (const wrong of [
      ['--areas', 'poems'],
      ['--chain', 'neither'],
      ['--scenarios', '('],
      ['--show', 'all'],
      ['--nonsense'],
    ])
      assert.throws(() => parseOptions([...reference, ...wrong]), UsageError, wrong.join(' '));
  });
});
