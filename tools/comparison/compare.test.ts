import assert from 'node:assert/strict';
import { changedLines } from './compare.ts';
import { Recording } from './recording.ts';

describe('the comparison of texts', () => {
  it('shows lines that one text has more often than the other', () => {
    const text = ['same', 'twice', 'twice', 'thrice', 'thrice', 'thrice', 'only'].join('\n');
    const other = ['twice', 'same', 'thrice', 'else'].join('\n');
    assert.equal(changedLines(['a', text], ['b', other]), 'a: twice\na: 2 times thrice\na: only\nb: else');
    assert.equal(changedLines(['a', 'same'], ['b', undefined]), 'a: same\nb: nothing');
    assert.equal(changedLines(['a', '1\n2'], ['b', '2\n1']), 'the same lines in another order');
  });

  it('leaves out what servers choose', () => {
    const record = new Recording();
    record.text('object', 'uid: 01234567-89ab-cdef-0123-456789abcdef at 2026-01-01T00:00:00Z, resourceVersion: "17"');
    record.text('table', 'NAME   AGE\nweb    2m5s\n');
    record.text('log', 'E0101 10:00:00.000000   17 memcache.go:287] dial 127.0.0.1:6443\n');
    assert.deepEqual(
      [...record.texts.values()],
      [...['uid: UID at TIME, resourceVersion: "VERSION"', 'NAME AGE\nweb AGE', 'memcache.go] dial HOST:PORT']],
    );
    assert.throws(() => record.text('log', ''), /the step log occurs twice/);
  });
});
