import assert from 'node:assert/strict';
import { parseUpOptions } from './options.ts';

describe('parseUpOptions', () => {
  it('takes switches without a value', () => {
    const { inProcess, memory, serviceFlags } = parseUpOptions(['--in-process', '--memory', '--v', '4']);
    assert.deepEqual({ inProcess, memory, serviceFlags }, { inProcess: true, memory: true, serviceFlags: ['--v=4'] });
    assert.equal(parseUpOptions(['--in-process=false']).inProcess, false);
  });

  it('refuses what does not go together', () => {
    assert.throws(() => parseUpOptions(['--memory']), /--memory needs --in-process/);
    assert.throws(() => parseUpOptions(['--in-process=maybe']), /--in-process: "maybe" is not true or false/);
    assert.throws(
      () => parseUpOptions(['--in-process', '--memory', '--etcd-servers=http://127.0.0.1:1']),
      /--memory and --etcd-servers exclude each other/,
    );
  });
});
