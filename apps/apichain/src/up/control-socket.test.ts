import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlSocket, requestReset } from './control-socket.ts';

describe('ControlSocket', () => {
  let folder: string;
  let path: string;
  let control: ControlSocket;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'control-'));
    path = join(folder, 'up.sock');
    control = new ControlSocket(path);
    await control.listen();
  });
  afterEach(() => {
    control.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const refused = (message: RegExp) =>
    assert.rejects(requestReset(path), (error: Error) => error.name === 'StartupError' && message.test(error.message));

  it('takes one reset at a time, and hands back what it says', async () => {
    await refused(/^the chain is starting, stopping or being reset: try again$/);
    const next = control.nextReset();
    const printed = requestReset(path);
    const request = await next;
    await refused(/being reset/);
    request.done(['reset to the seed', 'manifests: 1 created']);
    assert.deepEqual(await printed, ['reset to the seed', 'manifests: 1 created']);
    const failing = control.nextReset();
    const failed = refused(/^the etcd is not its own$/);
    (await failing).fail('the etcd is not its own');
    await failed;
    void control.nextReset();
    control.stopWaiting();
    await refused(/stopping/);
  });

  it('goes on after a command that it does not know, or that is interrupted', async () => {
    const next = control.nextReset();
    const unknown = connect(path);
    unknown.write('stop');
    let text = '';
    for await (const chunk of unknown) text += String(chunk);
    assert.deepEqual(JSON.parse(text), { error: 'the only command is reset' });
    const interrupted = connect(path);
    interrupted.write('reset');
    const request = await next;
    interrupted.destroy();
    request.done([]);
    const again = control.nextReset();
    const printed = requestReset(path);
    (await again).done([]);
    assert.deepEqual(await printed, []);
  });

  it('is missed in one line', async () => {
    control.close();
    await refused(/^no chain takes commands at .*up\.sock$/);
  });
});
