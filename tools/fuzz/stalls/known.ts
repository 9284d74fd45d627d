import { growingFields } from './fields.ts';
import { fieldCase, type Growth } from './field-cases.ts';
import { namespace } from './measure.ts';
import { writtenCases } from './search.ts';
import { shapesOf } from './shapes.ts';
import type { StallCase } from './stall-case.ts';

/** Written cases that once blocked a service for seconds. */
const written: readonly string[] = [
  'GET /version? pairs',
  'create application/json a key repeated',
  'create application/yaml keys',
  'create application/yaml flow sequences',
  'create application/yaml merges of merges',
  'create application/yaml nested sequences in a line',
  'large pods application/strategic-merge-patch+json other environment variables',
  'large configmaps application/apply-patch+yaml keys',
  'large configmaps application/merge-patch+json managers',
  'POST custom defaulted: empty',
  'POST custom set: distinct',
  'POST custom map: distinct',
  'definition: properties, create',
  'definition: keys of a map, update',
  'review: groups',
  'rights: rules',
];

/** Fields of built-in objects that once blocked a service for seconds. */
const fields: readonly (readonly [plural: string, path: string, shape: string])[] = [
  ['configmaps', 'metadata.finalizers', 'distinct items'],
  ['configmaps', 'metadata.labels', 'distinct items'],
  ['configmaps', 'metadata.managedFields', 'distinct items'],
  ['pods', 'spec.containers', 'distinct items'],
  ['pods', 'spec.containers.*.env', 'distinct items'],
  ['pods', 'spec.containers.*.resources.limits.*', 'text of "99.."'],
  ['services', 'spec.ports', 'distinct items'],
  ['cronjobs', 'spec.schedule', 'text of "1-59/2,1-59/2,.. * * * *"'],
];

function known([plural, path, shape]: (typeof fields)[number]): StallCase {
  const place = growingFields()
    .flat()
    .find((candidate) => candidate.resource.info.plural === plural && candidate.path.join('.') === path);
  if (place === undefined) throw new Error(`no field ${path} of ${plural}`);
  const found = shapesOf(place.type).find(({ name }) => name === shape);
  if (found === undefined) throw new Error(`${path} of ${plural} has no shape ${shape}`);
  const growth: Growth = { place, shape: found };
  return fieldCase([growth], 'create', 'json', namespace);
}

/** The worst cases found so far, as regression tests. Throws Error when a case no longer exists. */
export function knownCases(): readonly StallCase[] {
  const all = writtenCases();
  return [
    ...written.map((name) => {
      const found = all.find((candidate) => candidate.name === name);
      if (found === undefined) throw new Error(`no case ${name}`);
      return found;
    }),
    ...fields.map(known),
  ];
}
