import assert from 'node:assert/strict';
import { pemBlocks } from './pem.ts';

const blocks = (text: string) =>
  [...pemBlocks(text)].map(({ type, hasHeaders, bytes }) => `${type}${hasHeaders ? '+' : ''}=${bytes.toString()}`);
const block = (type: string, text: string, headers = '') =>
  `-----BEGIN ${type}-----\n${headers}${Buffer.from(text).toString('base64')}\n-----END ${type}-----\n`;

describe('pemBlocks', () => {
  it('finds blocks among other lines', () => {
    assert.deepEqual(blocks(`words\n${block('A', 'one')}more\n${block('B C', 'two', 'Key: value\n\n')}`), [
      'A=one',
      'B C+=two',
    ]);
    assert.deepEqual(blocks(block('A', 'one').replaceAll('\n', ' \t\r\n')), ['A=one']);
    assert.deepEqual(blocks('-----BEGIN A-----\n-----END A-----'), ['A=']);
    assert.deepEqual(blocks('-----BEGIN A-----\nb2\n 5l\n-----END A-----'), ['A=one']);
  });

  it('skips malformed blocks', () => {
    const good = block('A', 'one');
    for (const bad of [
      'x-----BEGIN A-----\nb25l\n-----END A-----\n',
      '-----BEGIN A----\nb25l\n-----END A-----\n',
      '-----BEGIN A-----\nb25\n-----END A-----\n',
      '-----BEGIN A-----\nb25l-----END A-----\n',
      '-----BEGIN A-----\nb25l\n-----END B-----\n',
      '-----BEGIN A-----\nb25l\n-----END A-----x\n',
      '-----BEGIN A-----\nb2!l\n-----END A-----\n',
    ])
      assert.deepEqual(blocks(bad + good), ['A=one'], bad);
    for (const none of ['', '-----BEGIN A-----', '-----BEGIN A-----\n', '-----BEGIN A-----\nb25l\n', good.slice(1)])
      assert.deepEqual(blocks(none), [], none);
  });

  it('takes linear time for hostile text', () => {
    const started = process.cpuUsage();
    const begin = '-----BEGIN A-----\n';
    for (const unit of ['\r', ' ', '\n', 'a: b\n', begin, `${begin}a: b\n`, `${begin}-----END B-----\n`, 'A'])
      for (const last of ['', '!\n-----END A-----\n', '\n-----END A-----x'])
        blocks(begin + unit.repeat(1_000_000 / unit.length) + last);
    assert.ok(process.cpuUsage(started).user < 10_000_000);
  });
});
