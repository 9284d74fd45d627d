import assert from 'node:assert/strict';
import { formatGroupVersion } from '@apichain/meta';
import { growingFields, type Place } from './fields.ts';
import { grown, type Growth } from './field-cases.ts';
import { shapesOf } from './shapes.ts';
import { WritePath } from './write-path.fixture.ts';

/*
 * The processing time of a list of a built-in kind must not be quadratic in its length. The test compares processor times of the thread, the best of
 * several runs. With four times the items, linear work with overhead may take up to twelve times as long, and quadratic work takes sixteen
 * times. Only steps with a long duration count.
 */
const items = 4_000;
const factor = 4;
const mostGrowth = 12;
const countsFromMs = 60;
const attempts = 12;

const places = new Map(
  growingFields()
    .flat()
    .map((place): [string, Place] => [`${place.resource.info.plural} ${place.path.join('.')}`, place]),
);

function growthOf(name: string, shapeName: string): Growth {
  const place = places.get(name);
  assert.ok(place, `no field ${name}`);
  const shape = shapesOf(place.type).find((candidate) => candidate.name === shapeName);
  assert.ok(shape, `no shape ${shapeName}`);
  return { place, shape };
}

type Times = Map<string, number>;

async function timesOf(growths: readonly [Growth, ...Growth[]], size: number): Promise<Times> {
  const { resource } = growths[0].place;
  const value: unknown = JSON.parse(JSON.stringify(grown(resource, growths, size)));
  const times: Times = new Map();
  await new WritePath(resource).run(value, async (name, work) => {
    const began = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(began);
    times.set(name, (user + system) / 1_000);
  });
  return times;
}

const least = (a: Times, b: Times): Times =>
  new Map([...a].map(([name, time]) => [name, Math.min(time, b.get(name) ?? time)]));

/** The steps that grow too fast. A further attempt is made only while there are suspects. */
async function tooFast(growths: readonly [Growth, ...Growth[]]): Promise<string[]> {
  let small = await timesOf(growths, items);
  let large = await timesOf(growths, items * factor);
  const suspects = () =>
    [...large].filter(([name, time]) => time > countsFromMs && time > mostGrowth * Math.max(1, small.get(name) ?? 0));
  for (let i = 1; i < attempts && suspects().length > 0; i++) {
    small = least(small, await timesOf(growths, items));
    large = least(large, await timesOf(growths, items * factor));
  }
  return suspects().map(([name, time]) => `${name}: ${small.get(name) ?? 0} -> ${time} ms`);
}

describe('the write path of built-in kinds', () => {
  const lists: readonly (readonly [field: string, shape: string, ...others: string[]])[] = [
    ['pods spec.tolerations', 'distinct items'],
    ['pods spec.topologySpreadConstraints', 'distinct items'],
    ['pods spec.containers', 'distinct items'],
    ['pods spec.volumes', 'distinct items'],
    ['pods spec.volumes.*.configMap.items', 'distinct items'],
    ['pods spec.volumes.*.projected.sources.*.secret.items', 'equal items'],
    ['pods spec.containers.*.ports', 'equal items'],
    ['pods spec.containers.*.ports', 'distinct items'],
    ['pods spec.containers.*.env', 'distinct items'],
    ['pods spec.readinessGates', 'distinct items', 'pods status.conditions'],
    ['pods status.containerStatuses', 'distinct items', 'pods spec.containers'],
    ['configmaps metadata.ownerReferences', 'distinct items'],
    ['configmaps metadata.finalizers', 'items of wrong texts'],
    ['configmaps metadata.labels', 'distinct items'],
    ['services spec.ports', 'distinct items'],
    ['services spec.externalIPs', 'distinct items'],
    ['csinodes spec.drivers', 'distinct items'],
    ['storageclasses allowedTopologies', 'equal items'],
    ['storageclasses allowedTopologies.*.matchLabelExpressions.*.values', 'distinct items'],
    ['certificatesigningrequests status.conditions', 'distinct items'],
    ['certificatesigningrequests spec.usages', 'equal items'],
    ['mutatingadmissionpolicies spec.matchConstraints.resourceRules.*.resourceNames', 'distinct items'],
    ['mutatingadmissionpolicies spec.variables', 'distinct items'],
    ['limitranges spec.limits.*.max', 'distinct items'],
    ['nodes spec.taints', 'distinct items'],
    ['networkpolicies spec.ingress', 'distinct items'],
    ['ingresses spec.rules', 'distinct items'],
  ];
  for (const [field, shape, ...others] of lists) {
    it(`is linear in ${[field, ...others].join(' and ')}, ${shape}`, async () => {
      const growths: [Growth, ...Growth[]] = [growthOf(field, shape), ...others.map((other) => growthOf(other, shape))];
      assert.deepEqual(await tooFast(growths), [], formatGroupVersion(growths[0].place.resource.info.kind));
    });
  }

  it('finds fields in the table of types', () => {
    assert.ok(places.size > 1_000, String(places.size));
  });
});
