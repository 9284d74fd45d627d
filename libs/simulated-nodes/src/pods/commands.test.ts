import assert from 'node:assert/strict';
import { commandLifetime } from './commands.ts';

describe('the lifetime of a container by its command', () => {
  const rows: readonly (readonly [command: readonly string[], lifetime: readonly [number, number] | undefined])[] = [
    [[], undefined],
    [['nginx', '-g', 'daemon off;'], undefined],
    [
      ['sleep', '30'],
      [30_000, 0],
    ],
    [
      ['sleep', '1.5m'],
      [90_000, 0],
    ],
    [
      ['sleep', 'infinity'],
      [Infinity, 0],
    ],
    [['sleep', 'long'], undefined],
    [['true'], [0, 0]],
    [['false'], [0, 1]],
    [
      ['sh', '-c', 'exit 3'],
      [0, 3],
    ],
    [
      ['/bin/sh', '-c', 'echo hello; sleep 2 && exit 1; sleep 9'],
      [2_000, 1],
    ],
    [
      ['/bin/bash', '-c', 'sleep 1\nfalse'],
      [1_000, 1],
    ],
    [['sh', '-c', 'exit $(( $RANDOM / 16384 ))'], undefined],
    [['sh', '-c', 'while true; do sleep 1; done'], undefined],
    [['sh'], undefined],
  ];
  for (const [command, lifetime] of rows)
    it(JSON.stringify(command), () => {
      const [runMs, exitCode] = lifetime ?? [];
      const expected = lifetime === undefined ? undefined : { runMs, exitCode };
      const known = ({ command, args }: { command: string[]; args?: string[] }) => {
        const { output: _, ...rest } = commandLifetime({ command, ...(args && { args }) }) ?? {};
        return 'runMs' in rest ? rest : undefined;
      };
      assert.deepEqual(known({ command: [...command] }), expected);
      assert.deepEqual(known({ command: command.slice(0, 1), args: command.slice(1) }), expected);
    });

  for (const image of ['pause', 'registry.k8s.io/pause:3.10.2', 'registry.k8s.io/pause@sha256:00'])
    it(`${image} runs for ever`, () =>
      assert.deepEqual(commandLifetime({ name: 'c', image }), { runMs: Infinity, exitCode: 0, output: [] }));

  it('another command of the pause image counts', () =>
    assert.deepEqual(commandLifetime({ name: 'c', image: 'pause', command: ['false'] }), {
      ...{ runMs: 0, exitCode: 1, output: [] },
    }));

  it('images with a similar name do not wait', () => {
    for (const image of ['busybox', 'example.com/pauses', 'pause/web:1'])
      assert.equal(commandLifetime({ name: 'c', image }), undefined);
  });
});
