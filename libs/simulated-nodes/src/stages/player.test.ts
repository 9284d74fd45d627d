import assert from 'node:assert/strict';
import { Informer, RestClient } from '@apichain/client';
import { type KubeObject, withClock } from '@apichain/meta';
import { compileStage } from './compile.ts';
import { StagePlayer } from './player.ts';
import { FakeServer, ManualClock } from './server.fixture.ts';

const resource = { group: 'example.com', version: 'v1', resource: 'widgets' };
const widget = (name: string, more: object = {}): KubeObject => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name, uid: name },
  ...more,
});
const stage = (name: string, condition: string, spec: object) => ({
  kind: 'Stage',
  metadata: { name },
  spec: {
    resourceRef: { apiGroup: 'example.com/v1', kind: 'Widget' },
    selector: { matchExpressions: [{ cel: { expression: condition } }] },
    ...spec,
  },
});
const phase = (expression: string) => ({
  steps: [{ patch: { subresource: 'status', root: 'status', cel: { expression } } }],
});
const isNew = '!has(self.status)';

describe('a player of stages', () => {
  let stop: AbortController;
  let running: Promise<unknown>;
  let server: FakeServer;
  let clock: ManualClock;
  let log: string[];
  beforeEach(() => {
    stop = new AbortController();
    server = new FakeServer();
    clock = new ManualClock();
    log = [];
  });
  afterEach(async () => {
    stop.abort();
    await running;
  });

  const play = (...stages: object[]) =>
    withClock(clock, () => {
      const client = new RestClient(server);
      const informer = new Informer({ client, resource, onError: (error) => log.push(String(error)) });
      const line = (message: string, fields?: object) => log.push(`${message} ${JSON.stringify(fields ?? {})}`);
      const player = new StagePlayer({
        resource,
        informer,
        stages: stages.map((value) => compileStage(value)),
        actors: {
          of: ({ metadata }) =>
            metadata.name === 'alien'
              ? undefined
              : {
                  client,
                  record: ({ metadata: { name } }, { reason }) => log.push(`event ${reason} about ${name ?? ''}`),
                  variables: () => ({}),
                },
          as: () => client,
        },
        log: { info: line, error: line },
        signal: stop.signal,
        workers: 4,
      });
      informer.start();
      const ended = new Promise((resolve) => stop.signal.addEventListener('abort', resolve, { once: true }));
      running = Promise.all([player.run(), ended.then(() => informer.stop())]);
      return player;
    });
  const bodies = async (count: number) =>
    (await server.wrote(count)).map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`);

  it('waits for the delay, then writes', async () => {
    server.put(widget('a'));
    play(stage('ready', isNew, { delay: { durationMilliseconds: 2_000 }, ...phase('{"phase": "Ready", "at": now}') }));
    assert.equal(await clock.nextDelay(), 2_000);
    assert.equal(server.writes.length, 0);
    clock.advance(2_000);
    assert.deepEqual(await bodies(1), [
      'PATCH /apis/example.com/v1/widgets/a/status {"status":{"phase":"Ready","at":"2026-01-01T00:00:02Z"},"metadata":{"uid":"a"}}',
    ]);
  });

  it('counts a delay from the moment at which the stage has selected the object, whatever else changes', async () => {
    server.put(widget('a'));
    play(stage('ready', isNew, { delay: { durationMilliseconds: 2_000 }, ...phase('{"phase": "Ready"}') }));
    await clock.nextDelay();
    clock.advance(1_500);
    server.put(widget('a', { metadata: { name: 'a', uid: 'a', labels: { changed: 'yes' } } }));
    assert.equal(await clock.nextDelay(), 500);
    clock.advance(500);
    await server.wrote(1);
  });

  it('drops a stage that does not select the object any more', async () => {
    server.put(widget('a'));
    const late = stage('late', isNew, { delay: { durationMilliseconds: 1_000 }, ...phase('{"phase": "Late"}') });
    play(late, stage('other', 'self.status.phase == "Mine"', phase('{"phase": "Seen"}')));
    await clock.nextDelay();
    server.put(widget('a', { status: { phase: 'Mine' } }));
    assert.match((await bodies(1))[0] ?? '', /"Seen"/);
    clock.advance(5_000);
    server.put(widget('b'));
    await clock.nextDelay();
    assert.equal(server.writes.length, 1);
  });

  it('takes steps in order, and goes on with the response when the next stage is immediate', async () => {
    server.put(widget('a'));
    const first = {
      immediateNextStage: true,
      steps: [
        { event: { reason: 'Begun' } },
        { finalizers: { add: [{ value: 'example.com/x' }] } },
        { patch: { subresource: 'status', root: 'status', cel: { expression: '{"phase": "One"}' } } },
      ],
    };
    play(stage('one', isNew, first), stage('two', 'self.status.phase == "One"', { next: { delete: true } }));
    const writes = await server.wrote(3);
    assert.deepEqual(
      writes.map(({ method }) => method),
      ['PATCH', 'PATCH', 'DELETE'],
    );
    assert.deepEqual(log, ['event Begun about a']);
    assert.deepEqual((writes[0]?.body as { metadata: object }).metadata, {
      finalizers: ['example.com/x'],
      resourceVersion: '1',
    });
  });

  it('leaves objects alone that are not simulated', async () => {
    server.put(widget('alien'));
    server.put(widget('a'));
    play(stage('ready', isNew, phase('{"phase": "Ready"}')));
    await server.wrote(1);
    server.put(widget('b'));
    assert.deepEqual(
      (await server.wrote(2)).map(({ path }) => path.split('/')[5]),
      ['a', 'b'],
    );
  });

  it('tells once what the server refuses, and goes on with other objects', async () => {
    server.refuse = (name) => (name === 'c' ? undefined : 'invalid');
    play(stage('ready', isNew, phase('{"phase": "Ready"}')));
    server.put(widget('a'));
    await server.wrote(1);
    server.put(widget('b'));
    await server.wrote(2);
    server.put(widget('c'));
    await server.wrote(3);
    assert.equal(log.length, 2, log.join('\n'));
    assert.match(log[0] ?? '', /^stage ready: Widget\.example\.com "a" is invalid/);
  });

  it('tells once which expression fails for what is in the object', async () => {
    play(
      stage('bad', isNew, phase('{"size": self.spec.size + 1}')),
      stage('good', 'has(self.good)', phase('{"ok": 1}')),
    );
    server.put(widget('a'));
    server.put(widget('b'));
    server.put(widget('c', { good: true, status: {} }));
    await server.wrote(1);
    assert.deepEqual(log, ['stage bad: spec.steps[0].patch.cel.expression: no such key: spec {}']);
  });

  it('does not repeat a patch that changes nothing', async () => {
    play(stage('same', 'has(self.status)', phase('{"phase": "Ready"}')));
    server.put(widget('a', { status: { phase: 'Ready' } }));
    await server.wrote(1);
    server.put(widget('b', { status: { phase: 'Ready' } }));
    await server.wrote(2);
    assert.deepEqual(
      server.writes.map(({ path }) => path.split('/')[5]),
      ['a', 'b'],
    );
  });

  it('slows down a stage that selects its own result without a delay', async () => {
    server.put(widget('a', { status: { count: 0 } }));
    const counting = { immediateNextStage: true, ...phase('{"count": self.status.count + 1}') };
    play(stage('counting', 'has(self.status.count)', counting));
    assert.equal(await clock.nextDelay(), 1_000);
    assert.equal(server.writes.length, 100);
    assert.match(log[0] ?? '', /^stage counting: reached again and again without a delay/);
    clock.advance(1_000);
    await server.wrote(101);
  });

  it('continues with the newest object after a conflict', async () => {
    server.refuse = () => 'conflict';
    server.put(widget('a'));
    play(stage('ready', isNew, phase('{"phase": "Ready"}')));
    await server.wrote(1);
    server.refuse = () => undefined;
    server.put(widget('a', { metadata: { name: 'a', uid: 'a', labels: { changed: 'yes' } } }));
    await server.wrote(2);
    assert.deepEqual(log, []);
  });
});
