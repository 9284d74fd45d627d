import assert from 'node:assert/strict';
import { dynamicValue, Timestamp } from '@apichain/cel';
import type { KubeObject } from '@apichain/meta';
import type { Logger } from '../log.ts';
import { nodeStages, podStages } from './default-stages.ts';
import { chooseStage } from './player.ts';
import { compileStage } from './compile.ts';
import { compileStages, readStages, withDefaults } from './load.ts';
import type { Scope } from './scope.ts';

const widget: KubeObject = {
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name: 'w', labels: { app: 'web' }, annotations: { 'a/b': 'c' }, finalizers: ['x', 'y'] },
  spec: { size: 3 },
  status: { phase: 'New' },
};
const now = Date.UTC(2026, 0, 1);
const scopeOf = (object: KubeObject): Scope => ({
  object,
  now,
  variables: new Map([
    ['self', dynamicValue(object)],
    ['object', dynamicValue(object)],
    ['now', new Timestamp(BigInt(now) * 1_000_000n)],
    ['node', null],
    ['kubelet', null],
  ]),
});
const scope = scopeOf(widget);

const stage = (spec: object, name = 'ready') => ({
  apiVersion: 'simulate.apichain.dev/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: { resourceRef: { apiGroup: 'example.com/v1', kind: 'Widget' }, selector: {}, ...spec },
});
const cel = (expression: string) => ({ cel: { expression } });
const expression = (text: string) => ({ matchExpressions: [cel(text)] });
const path = (key: string, operator: string, ...values: string[]) => ({
  matchExpressions: [{ key, operator, values }],
});

describe('stages', () => {
  const selectors: readonly (readonly [selector: object, matches: boolean])[] = [
    [{}, true],
    [{ matchLabels: { app: 'web' }, matchAnnotations: { 'a/b': 'c' } }, true],
    [{ matchLabels: { app: 'other' } }, false],
    [expression('self.spec.size > 2 && object.status.phase == "New"'), true],
    [expression('self.spec.colour == "red"'), false],
    [expression('has(self.metadata.deletionTimestamp)'), false],
    [path('.status.phase', 'In', 'New', 'Old'), true],
    [path('.status.phase', 'NotIn', 'New'), false],
    [path('.spec.size', 'In', '3'), true],
    [path('.metadata.deletionTimestamp', 'DoesNotExist'), true],
    [path('.metadata.annotations["a/b"]', 'Exists'), true],
    [path('.metadata.finalizers.[]', 'In', 'y'), true],
  ];
  for (const [selector, matches] of selectors)
    it(`select objects: ${JSON.stringify(selector)}`, () => {
      assert.equal(compileStage(stage({ selector })).matches(scope), matches);
    });

  it('without a selector select nothing', () => {
    assert.equal(compileStage(stage({ selector: null })).matches(scope), false);
  });

  const delays: readonly (readonly [delay: object, least: number, most: number])[] = [
    [{ durationMilliseconds: 500 }, 500, 500],
    [{ durationMilliseconds: 500, jitterDurationMilliseconds: 900 }, 500, 900],
    [{ durationMilliseconds: 500, jitterDurationMilliseconds: 100 }, 100, 100],
    [{ durationFrom: cel('"2s"') }, 2_000, 2_000],
    [{ durationFrom: cel('duration("1m")') }, 60_000, 60_000],
    [{ durationFrom: cel('self.spec.size * 1000') }, 3_000, 3_000],
    [{ durationFrom: cel('now + duration("5s")') }, 5_000, 5_000],
  ];
  for (const [delay, least, most] of delays)
    it(`wait: ${JSON.stringify(delay)}`, () => {
      const { due } = compileStage(stage({ delay })).due(scope, now);
      assert.ok(due - now >= least && due - now <= most, `${due - now}`);
    });

  it('are chosen by weight', () => {
    const weighted = [0, 1, 0].map((weight, index) => compileStage(stage({ weight }, `s${index}`)));
    assert.equal(chooseStage(weighted, scope)?.name, 's1');
    const equal = ['a', 'b'].map((name) => compileStage(stage({}, name)));
    const chosen = new Set(Array.from({ length: 100 }, () => chooseStage(equal, scope)?.name));
    assert.deepEqual([...chosen].sort(), ['a', 'b']);
    const byExpression = compileStage(stage({ weightFrom: cel('self.spec.size') }));
    assert.equal(byExpression.weight(scope), 3);
  });

  it('have values by expressions', () => {
    const compiled = compileStage(
      stage({
        next: {
          event: { reason: 'Grown', messageFrom: cel('"size " + string(self.spec.size)') },
          patches: [{ subresource: 'status', root: 'status', cel: { expression: '{"phase": "Ready", "since": now}' } }],
        },
        steps: [{ finalizers: { add: [{ value: 'z' }], empty: true } }, { delete: true }],
      }),
    );
    const done = compiled.actions.map((action) => {
      if (action.does === 'events') return action.events(scope);
      return action.does === 'patch' ? action.patch(scope) : action;
    });
    assert.deepEqual(done, [
      [{ type: 'Normal', reason: 'Grown', message: 'size 3' }],
      {
        type: undefined,
        subresource: 'status',
        username: undefined,
        body: { status: { phase: 'Ready', since: '2026-01-01T00:00:00Z' } },
      },
      { does: 'finalizers', add: ['z'], remove: [], empty: true },
      { does: 'delete' },
    ]);
  });

  const wrong: readonly (readonly [spec: object, problem: string | RegExp])[] = [
    [{ resourceRef: { apiGroup: 'v1' } }, 'spec.resourceRef.kind: is required'],
    [{ wait: 3 }, 'spec.wait: unknown field'],
    [{ delai: {} }, 'spec.delai: unknown field; did you mean delay?'],
    [{ delay: { durationMilliseconds: '3s' } }, 'spec.delay.durationMilliseconds: must be a number, and not negative'],
    [{ delay: { durationMilliseconds: -1 } }, 'spec.delay.durationMilliseconds: must be a number, and not negative'],
    [
      { selector: expression('self.status.phase = "New"') },
      /^spec\.selector\.matchExpressions\[0\]\.cel\.expression: compilation failed: .*Syntax error/,
    ],
    [
      { selector: expression('1 + 1') },
      'spec.selector.matchExpressions[0].cel.expression: must evaluate to bool but got int',
    ],
    [
      { selector: { matchExpressions: [{ key: '.status.conditions.[] | select(.type == "Ready")' }] } },
      /^spec\.selector\.matchExpressions\[0\]\.key: .* is not a path such as \.status\.phase; give an expression by `cel`$/,
    ],
    [
      { selector: path('.status.phase', 'In') },
      'spec.selector.matchExpressions[0].values: must be given with the operator In',
    ],
    [
      { next: { patches: [{ root: 'status', template: '{{ Now }}' }] } },
      'spec.next.patches[0].template: Go templates and jq are not supported; give the value by `cel`',
    ],
    [
      { next: { statusTemplate: 'phase: Running' } },
      /^spec\.next\.statusTemplate: Go templates and jq are not supported/,
    ],
    [{ next: { event: { type: 'Bad', reason: 'A' } } }, 'spec.next.event.type: must be one of Normal, Warning'],
    [{ steps: [{}] }, 'spec.steps[0]: must have exactly one of event, eventsFrom, finalizers, delete, patch'],
  ];
  for (const [spec, problem] of wrong)
    it(`say where they are wrong: ${JSON.stringify(spec)}`, () => {
      assert.throws(
        () => compileStage(stage(spec)),
        ({ message }: Error) => {
          if (typeof problem === 'string') assert.equal(message, problem);
          else assert.match(message, problem);
          assert.ok(!message.includes('\n'), message);
          return true;
        },
      );
    });

  it('that do not compile are left out with one line each', () => {
    const lines: string[] = [];
    const log: Logger = { info: () => undefined, error: (line) => void lines.push(line) };
    const given = [stage({}), stage({ delay: 3 }, 'broken'), stage({}), 'nonsense'];
    const compiled = compileStages(given, log);
    assert.deepEqual(
      compiled.map(({ name }) => name),
      ['ready'],
    );
    assert.deepEqual(lines, [
      'stage broken: spec.delay: must be an object',
      'stage ready: metadata.name: another stage has this name',
      'stage 4: must be an object',
    ]);
  });

  it('of the same name take the place of default ones', () => {
    const log: Logger = { info: () => undefined, error: (line) => assert.fail(line) };
    const mine = { ...stage({ resourceRef: { kind: 'Pod' } }), metadata: { name: 'pod-start' } };
    const compiled = withDefaults(compileStages([mine], log), [...podStages, ...nodeStages]);
    assert.equal(compiled.length, podStages.length + nodeStages.length);
    assert.equal(compiled.filter(({ name }) => name === 'pod-start').length, 1);
  });

  it('are read from YAML documents and lists', () => {
    const document = (name: string) => `kind: Stage\nmetadata: {name: ${name}}\n`;
    const list = 'kind: List\nitems: [{kind: Stage, metadata: {name: c}}]\n';
    const read = readStages([document('a'), document('b'), '', list].join('---\n'), 'stages.yaml');
    assert.deepEqual(
      read.map((value) => (value as { metadata: { name: string } }).metadata.name),
      ['a', 'b', 'c'],
    );
    assert.throws(() => readStages('a: 1\n---\n{', 'stages.yaml'), /^Error: stages\.yaml: document 2: /);
  });
});
