import assert from 'node:assert/strict';
import { intentionsOf } from './annotations.ts';
import { podOf } from './life.fixture.ts';

describe('the annotations of a simulated pod', () => {
  it('are for all regular containers, or for one', () => {
    const spec = { initContainers: [{ name: 'setup' }], containers: [{ name: 'main' }, { name: 'proxy' }] };
    const { ofContainer, problems } = intentionsOf(
      podOf(spec, { after: '3s', 'exit-code.main': '2', start: '100ms', 'after.setup': '1s' }),
    );
    assert.deepEqual(problems, []);
    assert.deepEqual(ofContainer('main'), { after: 3_000, start: 100, 'exit-code': 2 });
    assert.deepEqual(ofContainer('proxy'), { after: 3_000, start: 100 });
    assert.deepEqual(ofContainer('setup'), { after: 1_000, start: 100 });
  });

  const wrong: readonly (readonly [key: string, value: string, problem: string])[] = [
    ['exit-code', '256', 'it must be a whole number from 0 to 255'],
    ['after', 'soon', 'it must be a duration such as 3s: time: invalid duration "soon"'],
    ['ready', 'no', 'it must be never, or a duration such as 3s'],
    ['evict-after', '-1s', 'it must be a duration such as 3s, and not negative'],
    ['memory', 'much', 'it must be a quantity such as 250m or 64Mi'],
    ['exec', '["ls"]', 'it must be a JSON object from command lines to outputs'],
    ['exit-cod', '1', 'there is no such annotation; did you mean exit-code?'],
    ['after.other', '1s', 'the pod has no container other'],
  ];
  for (const [key, value, problem] of wrong)
    it(`have no effect when they make no sense: ${key}=${value}`, () => {
      const { ofContainer, evictAfter, problems } = intentionsOf(podOf({}, { [key]: value }));
      assert.deepEqual([ofContainer('main'), evictAfter], [{}, undefined]);
      assert.deepEqual(problems, [`annotation simulate.apichain.dev/${key}: ${problem}`]);
    });
});
