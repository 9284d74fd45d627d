import assert from 'node:assert/strict';
import { RecentWrites } from './recent-writes.ts';
import { EncodedObject } from './stored-object.ts';
import { codec, configMap } from './store.fixture.ts';

const written = (key: string, revision: number) =>
  new EncodedObject(codec, key, revision, codec.decode(codec.encode(configMap(key)), revision));

describe('recent writes', () => {
  it('are the base of an update until something newer is observed', () => {
    const writes = new RecentWrites();
    const mine = written('a', 5);
    writes.add(mine);
    assert.equal(writes.newest('a', undefined), mine);
    assert.equal(writes.newest('a', written('a', 4)), mine);
    const shown = written('a', 6);
    assert.equal(writes.newest('a', shown), shown);
    assert.equal(writes.newest('b', undefined), undefined);
  });

  it('are removed when their watch events arrive', () => {
    const writes = new RecentWrites();
    const mine = written('a', 5);
    writes.add(mine);
    assert.equal(writes.arrived('a', 4), undefined, 'an earlier change of the key');
    assert.equal(writes.arrived('a', 5), mine);
    assert.equal(writes.newest('a', undefined), undefined);
    writes.add(mine);
    assert.equal(writes.arrived('a', 7), undefined, 'a change of somebody else');
    assert.equal(writes.newest('a', undefined), undefined);
  });

  it('are bounded', () => {
    const writes = new RecentWrites();
    for (let i = 0; i < 2_000; i++) writes.add(written(`n${String(i)}`, i + 1));
    assert.equal(writes.newest('n0', undefined), undefined);
    assert.notEqual(writes.newest('n1999', undefined), undefined);
  });
});
