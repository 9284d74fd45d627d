import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { activityFrom } from '../up/chain.ts';
import { parseUpOptions } from '../up/options.ts';
import { showsStatus, statusText } from '../up/shown-status.ts';
import { colored, isColored, shown } from './color.ts';
import { withProgress } from './progress.ts';
import { StatusLine } from './status-line.ts';

describe('what is printed to a terminal', () => {
  it('has colors only where they are wanted', () => {
    assert.equal(isColored({ isTTY: true }, {}), true);
    assert.equal(isColored({ isTTY: true }, { NO_COLOR: '' }), true);
    assert.equal(isColored({ isTTY: true }, { NO_COLOR: '1' }), false);
    assert.equal(isColored({ isTTY: true }, { TERM: 'dumb' }), false);
    assert.equal(isColored({}, {}), false);
    assert.equal(isColored({}, { FORCE_COLOR: '1' }), true);
    assert.equal(isColored({ isTTY: true }, { FORCE_COLOR: '0' }), false);
    assert.equal(shown('ready', 'success', {}, {}), 'ready');
    assert.match(shown('ready', 'success', { isTTY: true }, {}), /^\u001b\[32mready/);
    const painted = (['success', 'warning', 'failure', 'aside', 'name'] as const).map((each) => colored('x', each));
    assert.deepEqual(
      painted,
      [32, 33, 31, 90].map((code) => `\u001b[${code}mx\u001b[39m`).concat('\u001b[1mx\u001b[22m'),
    );
  });

  it('scrolls above the status line, which is cut to the width of the terminal', () => {
    const texts: string[] = [];
    const terminal = Object.assign(new EventEmitter(), { columns: 10, write: (text: string) => texts.push(text) });
    const line = new StatusLine(terminal, (text) => `<${text}>`);
    const written = () => texts.splice(0).map((text) => text.replaceAll('\r\u001b[K', '|'));
    line.above(() => texts.push('before\n'));
    line.show('1 object');
    line.show('1 object');
    assert.deepEqual(written(), ['before\n', '|<1 object>']);
    line.above(() => texts.push('log\n'));
    assert.deepEqual(written(), ['|', 'log\n', '|<1 object>']);
    line.show('12345 objects');
    terminal.columns = 0;
    terminal.emit('resize');
    assert.deepEqual(written(), ['|<12345 obj>', '|<12345 objects>']);
    line.close();
    line.above(() => texts.push('after\n'));
    terminal.emit('resize');
    assert.deepEqual(written(), ['|', 'after\n']);
  });

  it('shows where the chain is, and what is known of its activity', () => {
    const at = { bindAddress: '::1', securePort: 6443 };
    assert.equal(statusText(at, undefined, undefined), 'https://[::1]:6443  console off');
    const activity = activityFrom([
      { requests: 40, objects: { pods: 2, namespaces: 4 } },
      { requests: 2, objects: { namespaces: 4, 'widgets.example.com': 1 } },
    ]);
    assert.deepEqual(activity, { requests: 42, objects: 7 });
    const text = (rate: number) => statusText({ ...at, consolePort: 6480 }, activity, rate);
    assert.equal(text(0.04), 'https://[::1]:6443  console http://127.0.0.1:6480  7 objects  0.0 req/s');
    assert.match(text(9.96), / 10 req\/s$/);
    assert.match(text(-3), /7 objects$/);
  });

  it('has no status line in CI, on a terminal without positions, and among audit events', () => {
    const shows = (environment: NodeJS.ProcessEnv, ...args: string[]) => showsStatus(parseUpOptions(args), environment);
    assert.ok(shows({}) && shows({ CI: 'false', NO_COLOR: '1' }));
    assert.ok(!shows({ CI: 'true' }) && !shows({ TERM: 'dumb' }));
    assert.ok(!shows({}, '--status-line=false') && !shows({}, '--audit-log-path=-'));
  });

  it('tells what takes long, and nothing about the rest', async () => {
    const printed = (isTTY: boolean) => {
      const texts: string[] = [];
      return { texts, isTTY, write: (text: string) => texts.push(text) };
    };
    const times = { quietMs: 20, stepMs: 20, lineMs: 150 };
    const [quick, terminal, file] = [printed(true), printed(true), printed(false)];
    assert.equal(await withProgress(() => 'counting', Promise.resolve(1), quick), 1);
    await Promise.all([terminal, file].map((output) => withProgress(() => 'restoring', sleep(250), output, times)));
    assert.deepEqual(quick.texts, []);
    assert.deepEqual(terminal.texts.slice(0, 1), ['\r\u001b[Krestoring ... 0 s']);
    assert.equal(terminal.texts.at(-1), '\r\u001b[K');
    assert.deepEqual(file.texts, ['apichain: restoring ... 0 s\n']);
    const failing = printed(false);
    await assert.rejects(
      withProgress(() => 'x', Promise.reject(new Error('no')), failing),
      /^Error: no$/,
    );
    assert.deepEqual(failing.texts, []);
  });
});
