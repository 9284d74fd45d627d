import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-file.ts';

describe('the log of a chain on a full disk', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'apichain-log-file-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('loses what finds no room, says so, and goes on by itself', () => {
    const path = join(directory, 'x.log');
    const problems: string[] = [];
    let room = Infinity;
    const write = (file: number, bytes: Buffer, offset: number): number => {
      const wanted = bytes.byteLength - offset;
      if (room === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
      const taken = Math.min(wanted, room);
      room -= taken;
      return writeSync(file, bytes, offset, taken);
    };
    const log = new LogFile(path, (problem) => problems.push(problem), write);
    log.write('first\n');
    room = 3;
    log.write('second\n');
    log.write('third\n');
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /x\.log cannot be written: ENOSPC/);
    room = Infinity;
    log.write('fourth\n');
    log.close();
    log.write('after the end\n');
    const lines = readFileSync(path, 'utf8').split('\n');
    assert.equal(lines[0], 'first');
    assert.equal(lines[1], 'sec');
    assert.match(String((JSON.parse(lines[2] ?? '') as { msg: string }).msg), /2 entries were lost here: ENOSPC/);
    assert.deepEqual(lines.slice(3), ['fourth', '']);
    assert.match(problems[1] ?? '', /x\.log is written again; 2 entries were lost/);
  });
});
