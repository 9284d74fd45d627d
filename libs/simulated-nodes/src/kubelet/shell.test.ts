import assert from 'node:assert/strict';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Life, podOf } from '../pods/life.fixture.ts';
import { containerNamed } from './logs.ts';
import { attach, type CommandStreams, execute } from './remote-command.ts';
import type { LogSource } from './log-stream.ts';

/** The streams of a client that types this. */
function client(typed: string | Readable) {
  const [stdin, stdout, stderr, status] = [new PassThrough(), new PassThrough(), new PassThrough(), new PassThrough()];
  if (typeof typed === 'string') stdin.end(typed);
  const streams: CommandStreams = { stdin: typeof typed === 'string' ? stdin : typed, stdout, stderr, status };
  const outcome = async () =>
    JSON.parse(await text(status)) as { status: string; details?: { causes: { message: string }[] } };
  return {
    streams,
    shown: async () => ({
      stdout: await text(stdout),
      stderr: await text(stderr),
      exitCode: Number((await outcome()).details?.causes[0]?.message ?? 0),
    }),
  };
}

const running = (container: object = {}, annotations: Readonly<Record<string, string>> = {}) => {
  const containers = [{ name: 'main', image: 'busybox', ...container }];
  const { pod } = new Life(podOf({ containers }, annotations)).until(0);
  return { pod, container: containerNamed(pod, 'main') ?? assert.fail() };
};

async function executed(words: readonly string[], typed: string, tty: boolean) {
  const { streams, shown } = client(typed);
  const [, result] = await Promise.all([
    execute(words, { ...running({}, { exec: '{"date": "today\\n"}' }), streams, tty }),
    shown(),
  ]);
  return result;
}

describe('a shell in a simulated container', () => {
  it('runs the lines of its input', async () => {
    assert.deepEqual(await executed(['sh'], 'echo a\ndate\n\nfalse', false), {
      stdout: 'a\ntoday\n',
      stderr: '',
      exitCode: 1,
    });
    assert.deepEqual(await executed(['bash'], 'echo a\nexit 3\necho b\n', false), {
      stdout: 'a\n',
      stderr: '',
      exitCode: 3,
    });
    assert.equal((await executed(['sh'], 'ls | wc', false)).stdout, 'simulated: ls | wc\n');
  });

  it('shows at a terminal what is typed, takes characters back, and ends with exit', async () => {
    const { stdout, exitCode } = await executed(['/bin/sh'], 'ecx\u007fho\u001b[A a\rexit 4\rmore', true);
    assert.equal(stdout, '# ecx\b \bho a\r\na\r\n# exit 4\r\n');
    assert.equal(exitCode, 4);
  });

  it('ends with Ctrl-D, and forgets a line with Ctrl-C', async () => {
    const { stdout, exitCode } = await executed(['sh'], 'false\u0003\u0004', true);
    assert.equal(stdout, '# false^C\r\n# exit\r\n');
    assert.equal(exitCode, 130);
  });
});

describe('a command at a terminal', () => {
  it('ends with Ctrl-D and Ctrl-C when it reads', async () => {
    assert.equal((await executed(['cat'], 'a\r\u0004b\r', true)).stdout, 'a\r\na\r\n');
    assert.deepEqual(await executed(['cat'], 'a\r\u0003b\r', true), {
      stdout: 'a\r\na\r\n^C\r\n',
      stderr: '',
      exitCode: 130,
    });
    assert.equal((await executed(['cat'], 'a\nb', false)).stdout, 'a\nb');
  });

  it('tells how it has ended after all that it prints', async () => {
    const { streams } = client('');
    const told: string[] = [];
    const slow = (name: string) =>
      new Writable({
        write: (chunk: Buffer, _encoding, done) => setImmediate(() => done(void told.push(name, String(chunk)))),
      });
    const words = ['echo', 'a'];
    await execute(words, {
      ...running(),
      streams: { ...streams, stdout: slow('stdout'), status: slow('status') },
      tty: false,
    });
    while (told.length < 4) await new Promise(setImmediate);
    assert.deepEqual(told.slice(0, 3), ['stdout', 'a\n', 'status']);
  });

  it('says that there are no files', async () => {
    const { stderr, exitCode } = await executed(['tar', 'xmf', '-'], '', false);
    assert.deepEqual([stderr, exitCode], ['tar: the container main is simulated and has no files\n', 1]);
  });
});

describe('attach', () => {
  const noSource = {} as LogSource;

  it('talks with a container that runs a shell, which exits with the session', async () => {
    for (const container of [
      { stdin: true, tty: true },
      { stdin: true, command: ['sh'] },
    ]) {
      const { streams, shown } = client('echo a\rexit 5\r');
      const exits: number[] = [];
      const attached = attach(noSource, { ...running(container), streams, tty: true }, (code) => exits.push(code));
      const [, { exitCode }] = await Promise.all([attached, shown()]);
      // The exit code is in the status of the pod.
      assert.deepEqual([exits, exitCode], [[5], 0]);
    }
  });

  it('leaves a shell that goes on when the connection ends, unless it reads only once', async () => {
    for (const [stdinOnce, expected] of [
      [false, []],
      [true, [0]],
    ] as const) {
      const { streams, shown } = client('echo a\r');
      const exits: number[] = [];
      const command = { ...running({ stdin: true, tty: true, stdinOnce }), streams, tty: true };
      await Promise.all([attach(noSource, command, (code) => exits.push(code)), shown()]);
      assert.deepEqual(exits, expected);
    }
  });
});
