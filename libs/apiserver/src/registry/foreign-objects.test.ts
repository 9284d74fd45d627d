import assert from 'node:assert/strict';
import { inTurns, newUnknownError, parseJson, type KubeObject } from '@apichain/meta';
import { readStored, storedJson } from '@apichain/storage';
import { convertForeignList, isInVersion } from './foreign-objects.ts';
import { storedThing } from './stored-thing.fixture.ts';

describe('a list in another version', () => {
  const megabyte = 1024 * 1024;
  const large = () => Array.from({ length: 10 }, (_, i) => storedThing(`a${i}`, megabyte));
  const calls: string[][] = [];
  const to = (apiVersion: string, refused = '') => ({
    apiVersion,
    shape: apiVersion,
    convert: async (objects: readonly KubeObject[]) => {
      calls.push(objects.map(({ metadata }) => metadata.name ?? ''));
      if (objects.some(({ metadata }) => metadata.name === refused)) throw newUnknownError('refused');
      return objects.map((object) => ({ ...object, apiVersion }));
    },
  });
  beforeEach(() => {
    calls.length = 0;
  });

  it('is converted as a whole if it is small, so that an error is the response', async () => {
    const items = [storedThing('a', 10), storedThing('b', 10)];
    await assert.rejects(convertForeignList(items, to('v2', 'b')), { message: 'refused' });
    const list = await convertForeignList(items, to('v2'));
    assert.deepEqual(
      list.map((item) => item.parse().apiVersion),
      ['v2', 'v2'],
    );
  });

  it('is converted while it is read if it is large', async () => {
    const list = await convertForeignList(large(), to('v2', 'a8'));
    assert.deepEqual(calls, []);
    for (const item of list.slice(0, 8)) {
      const json = await inTurns(storedJson(item));
      const { apiVersion, metadata } = parseJson(json) as KubeObject;
      assert.deepEqual([apiVersion, metadata.name], ['v2', item.key]);
      assert(isInVersion(item, 'v2'));
    }
    assert.equal(calls.length, 8);
    await assert.rejects(async () => inTurns(storedJson(list[8] ?? assert.fail())), { message: 'refused' });
    assert.throws(() => list[9]?.json, /cannot be finished at once/);
  });

  it('asks once for many small objects, and keeps no more than their bytes', async () => {
    const items = Array.from({ length: 1000 }, (_, i) => storedThing(`a${i}`, 10 * 1024));
    // As if the room for shapes were exhausted.
    for (const { shapes } of items) shapes.set = () => shapes;
    for (const item of await convertForeignList(items, to('v2')))
      assert.equal((await readStored(item)).metadata.name, item.key);
    assert.equal(calls.flat().length, items.length);
    assert(calls.length <= 11, `${calls.length} calls`);
  });

  it('shares what another list has converted meanwhile', async () => {
    const items = large();
    const [one, other] = [await convertForeignList(items, to('v2')), await convertForeignList(items, to('v2'))];
    for (const [i, item] of one.entries()) {
      const [first, second] = [item, other[i] ?? assert.fail()].map(storedJson);
      assert.deepEqual([first?.next().value, second?.next().value], [undefined, undefined]);
      await first?.next().value;
      const step = second?.next();
      assert(step?.done === true && step.value.length > megabyte);
    }
    assert.equal(calls.length, items.length);
  });

  it('may itself be one that is converted when it is read', async () => {
    const list = await convertForeignList(await convertForeignList(large(), to('v2')), to('v3'));
    assert.deepEqual(calls, []);
    for (const item of list) assert.equal((await readStored(item)).apiVersion, 'v3');
    assert.equal(calls.length, 20);
    assert.equal(await convertForeignList(list, to('v3')), list);
  });
});
