import assert from 'node:assert/strict';
import { Life, podOf } from '../pods/life.fixture.ts';
import { runCommand } from './command.ts';
import { containerNamed, logLines, logOptions, nextLineAt, runOf, selectLines } from './logs.ts';

const life = (annotations: Readonly<Record<string, string>> = {}, spec: object = {}) =>
  new Life(podOf(spec, annotations));

describe('a command in a simulated container', () => {
  const { pod } = life({ exec: '{"date": "today\\n"}' }).until(0);
  const container = containerNamed(pod, 'main') ?? assert.fail();
  const rows: readonly (readonly [command: readonly string[], stdout: string, exitCode: number])[] = [
    [['date'], 'today\n', 0],
    [['echo', 'a', 'b'], 'a b\n', 0],
    [['sh', '-c', 'echo "a b" c'], 'a b c\n', 0],
    [['sh', '-c', 'exit 3'], '', 3],
    [['true'], '', 0],
    [['false'], '', 1],
    [['hostname'], 'web\n', 0],
    [['env'], 'HOSTNAME=web\n', 0],
    [['cat', '/etc/passwd'], '', 1],
    [['sh', '-c', 'ls | wc -l'], 'simulated: sh -c ls | wc -l\n', 0],
    [['toString'], 'simulated: toString\n', 0],
  ];
  for (const [command, stdout, exitCode] of rows)
    it(command.join(' '), () => {
      const result = runCommand(command, container, pod);
      assert.deepEqual([result.stdout, result.exitCode], [stdout, exitCode]);
    });
});

describe('the log of a simulated container', () => {
  const now = Date.UTC(2026, 0, 1, 0, 1);
  const shown = (query: string, annotations = { log: 'one\ntwo\nthree' }) => {
    const { pod } = life(annotations).until(0);
    const container = containerNamed(pod, 'main') ?? assert.fail();
    const options = logOptions(new URLSearchParams(query), now);
    const run = runOf(pod, container, 'main', options.previous);
    return selectLines(logLines(container, run, now), run, options).join('');
  };

  it('has what the command prints, when it does', () => {
    const command = ['sh', '-c', 'echo "Hello   there"; date; sleep 30 && echo later; sleep 60; echo done'];
    const { pod } = life({}, { containers: [{ name: 'main', image: 'busybox', command }] }).until(0);
    const container = containerNamed(pod, 'main') ?? assert.fail();
    const run = runOf(pod, container, 'main', false);
    const begin = Date.UTC(2026, 0, 1);
    const first = ['Hello   there\n', 'Thu Jan  1 00:00:00 UTC 2026\n'];
    assert.deepEqual(logLines(container, run, begin), first);
    assert.equal(nextLineAt(container, run, begin), begin + 30_000);
    assert.deepEqual(logLines(container, run, now), [...first, 'later\n']);
    assert.equal(nextLineAt(container, run, now), begin + 90_000);
    assert.deepEqual(logLines(container, { ...run, isOver: true }, now), [...first, 'later\n', 'done\n']);
    assert.equal(nextLineAt(container, run, begin + 90_000), undefined);
  });

  it('has the lines that the client wants', () => {
    assert.equal(shown(''), 'one\ntwo\nthree\n');
    assert.equal(shown('tailLines=1'), 'three\n');
    assert.equal(shown('tailLines=0'), '');
    assert.equal(shown('tailLines=1&timestamps=true'), '2026-01-01T00:00:00.000000000Z three\n');
    assert.equal(shown('sinceSeconds=30'), '');
    assert.equal(shown('sinceSeconds=60&tailLines=1'), 'three\n');
    assert.equal(shown('sinceTime=2026-01-01T00:00:01Z'), '');
    assert.equal(shown('', { log: '' }), '');
  });

  const missing: readonly (readonly [
    what: string,
    annotations: Readonly<Record<string, string>>,
    previous: boolean,
    problem: string,
  ])[] = [
    ['waits', { start: 'never' }, false, 'container "main" in pod "web" is waiting to start: ContainerCreating'],
    [
      'has no image',
      { 'image-pull': 'fails' },
      false,
      `container "main" in pod "web" is waiting to start: image can't be pulled`,
    ],
    ['has not run before', {}, true, 'previous terminated container "main" in pod "web" not found'],
  ];
  for (const [what, annotations, previous, problem] of missing)
    it(`is refused in the words of a kubelet when the container ${what}`, () => {
      const { pod } = life(annotations).until(0);
      assert.throws(() => runOf(pod, containerNamed(pod, 'main'), 'main', previous), { message: problem });
    });

  it('is that of the last run while a container waits for its restart, and of the one before on request', () => {
    const { pod } = life({ 'exit-code': '1', after: '1s' }).until(2_000);
    const container = containerNamed(pod, 'main');
    assert.equal(container?.status.state?.waiting?.reason, 'CrashLoopBackOff');
    assert.equal(runOf(pod, container, 'main', false).startedAt, '2026-01-01T00:00:01Z');
    assert.equal(runOf(pod, container, 'main', true).isOver, true);
  });

  it('does not exist for a container that the pod does not have', () => {
    const { pod } = life().until(0);
    assert.throws(() => runOf(pod, containerNamed(pod, 'other'), 'other', false), {
      message: 'container "other" in pod "web" is not available',
    });
  });
});
