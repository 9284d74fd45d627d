import assert from 'node:assert/strict';
import { startChain, type TestChain } from '@apichain/testing';
import { Target } from '../target.ts';
import type { Place } from './fields.ts';
import { labelOfPlace, largestStored, lifeOf, storedCollections } from './object-life.ts';
import { withJson } from './stall-case.ts';

/*
 * The processor time of requests for stored objects must not be quadratic in the length of their lists and maps. Times of the whole process are compared,
 * of one run, the best of several attempts. With four times the items, linear work with overhead may take up to ten times as long, and quadratic
 * work takes sixteen times. Only requests with a long duration count.
 */
const mostItems = 5_000;
const factor = 4;
const mostGrowth = 10;
const countsFromMs = 100;
const attempts = 6;
const namespace = 'life';

type Times = ReadonlyMap<string, number>;

const least = (a: Times, b: Times): Times =>
  new Map([...a].map(([name, time]) => [name, Math.min(time, b.get(name) ?? time)]));

describe('a stored object with a long list or map', () => {
  let chain: TestChain;
  let target: Target;

  before(async () => {
    chain = await startChain();
    const { url, admin } = chain;
    target = new Target({ url, ca: admin.ca, cert: admin.cert, key: admin.key, timeout: 90_000, connections: 1 });
    await target.send(withJson('POST', '/api/v1/namespaces', { metadata: { name: namespace } }));
  });
  after(async () => {
    target.close();
    await chain.stop();
  });

  async function timesOf(place: Place, size: number): Promise<Times> {
    const times = new Map<string, number>();
    for (const { name, request } of lifeOf(place, size, namespace)) {
      const began = process.cpuUsage();
      const outcome = await target.send(request);
      const { user, system } = process.cpuUsage(began);
      assert(outcome.kind === 'response', name);
      // Reading and refusing an object is the same for all places, and other tests look at it.
      if (name === 'create' && outcome.status !== 201) break;
      times.set(name, (user + system) / 1_000);
    }
    return times;
  }

  /** The requests whose time grows too fast. A further attempt is made only while there are suspects. */
  async function tooFast(place: Place): Promise<string[]> {
    const large = largestStored(place, mostItems);
    const small = Math.ceil(large / factor);
    let few = await timesOf(place, small);
    if (few.size === 0) return [];
    let many = await timesOf(place, large);
    const suspects = () =>
      [...many].filter(([name, time]) => time > countsFromMs && time > mostGrowth * Math.max(5, few.get(name) ?? 0));
    for (let i = 1; i < attempts && suspects().length > 0; i++) {
      few = least(few, await timesOf(place, small));
      many = least(many, await timesOf(place, large));
    }
    return suspects().map(([name, time]) => `${name}: ${few.get(name) ?? 0} -> ${time} ms for ${small} -> ${large}`);
  }

  for (const place of storedCollections())
    it(`is handled in linear time: ${labelOfPlace(place)}`, async () => assert.deepEqual(await tooFast(place), []));
});
