import assert from 'node:assert/strict';
import { merge, takeTheirs } from './merge.ts';

const base = `metadata:
  labels:
    app: web
  resourceVersion: "1"
spec:
  replicas: 3
  paused: false
  containers:
  - name: web
    image: web:1
  - name: side
    image: side:1
  args: [a, b]
`;
const replaced = (...pairs: readonly (readonly [string, string])[]) =>
  pairs.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), from);
    return text.replace(from, to);
  }, base);

describe('the merge of a draft', () => {
  it('has what both sides have changed', () => {
    const yours = replaced(['replicas: 3', 'replicas: 5'], ['    app: web', '    app: web # mine\n    team: a']);
    const theirs = replaced(['"1"', '"2"'], ['web:1', 'web:2'], ['    app: web', '    app: web\n    tier: b']);
    const { text, conflicts } = merge(base, yours, theirs);
    assert.deepEqual(conflicts, []);
    for (const line of ['replicas: 5', 'image: web:2', 'app: web # mine', 'team: a', 'tier: b', 'resourceVersion: "2"'])
      assert.ok(text.includes(line), `${line}\n${text}`);
  });

  it('removes what they have removed, and keeps what you have', () => {
    const yours = replaced(['  paused: false\n', '']);
    const theirs = replaced(['  - name: side\n    image: side:1\n', ''], ['  labels:\n    app: web\n', '']);
    const { text, conflicts } = merge(base, yours, theirs);
    assert.deepEqual(conflicts, []);
    for (const gone of ['side', 'paused', 'labels']) assert.ok(!text.includes(gone), `${gone}\n${text}`);
  });

  it('is the same when both have changed the same', () => {
    const both = replaced(['replicas: 3', 'replicas: 4']);
    assert.deepEqual(merge(base, both, both), { text: both, conflicts: [] });
  });

  it('merges lists of objects by their names', () => {
    const yours = replaced(['  - name: web\n', '  - name: first\n    image: first:1\n  - name: web\n']);
    const theirs = replaced(['side:1', 'side:2'], ['  args', '  - name: last\n    image: last:1\n  args']);
    const { text, conflicts } = merge(base, yours, theirs);
    assert.deepEqual(conflicts, []);
    assert.deepEqual(text.match(/(?<=image: ).*/g), ['first:1', 'web:1', 'side:2', 'last:1']);
  });

  it('reports a field that both have changed, and takes theirs on demand', () => {
    const yours = replaced(['replicas: 3', 'replicas: 5'], ['[a, b]', '[a]'], ['web:1', 'web:mine']);
    const theirs = replaced(['replicas: 3', 'replicas: 7'], ['[a, b]', '[b]'], ['web:1', 'web:theirs']);
    const { text, conflicts } = merge(base, yours, theirs);
    assert.deepEqual(
      conflicts.map(({ field, yours: mine, theirs: other }) => [field, mine, other]),
      [
        ['spec.replicas', '5', '7'],
        ['spec.containers[0].image', 'web:mine', 'web:theirs'],
        ['spec.args', '["a"]', '["b"]'],
      ],
    );
    assert.ok(text.includes('replicas: 5'));
    const taken = takeTheirs(text, conflicts.slice(0, 1));
    assert.ok(taken.includes('replicas: 7') && taken.includes('web:mine'), taken);
  });

  it('reports items that one side has removed and the other changed', () => {
    const yours = replaced(['  - name: side\n    image: side:1\n', ''], ['web:1', 'web:2']);
    const theirs = replaced(['side:1', 'side:2'], ['  - name: web\n    image: web:1\n', '']);
    const { text, conflicts } = merge(base, yours, theirs);
    assert.deepEqual(
      conflicts.map(({ field, yours: mine, theirs: other }) => [field, mine, other]),
      [
        ['spec.containers[0]', '{"name":"web","image":"web:2"}', ''],
        ['spec.containers[name=side]', '', '{"name":"side","image":"side:2"}'],
      ],
    );
    const taken = takeTheirs(text, conflicts);
    assert.deepEqual(taken.match(/(?<=image: ).*/g), ['side:2']);
  });

  it('refuses a draft that is not YAML', () => {
    assert.throws(() => merge(base, 'a: [', base), /not valid YAML/);
  });
});
