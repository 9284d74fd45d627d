import type { FuzzRequest } from '../request.ts';
import {
  definitionGroup as group,
  definitionShapes,
  makeDefinition,
  mostRepetitions,
  type DefinitionShape,
} from './definition-shapes.ts';
import { plain, withBody, withJson, type StallCase } from './stall-case.ts';

const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const columns = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** How long controllers, caches and documents may continue to work after a response. */
const workMs = 3_000;

let made = 0;

const create = (name: string, spec: Record<string, unknown>): FuzzRequest =>
  withJson('POST', root, makeDefinition(name, spec));
const change = (name: string, spec: Record<string, unknown>): FuzzRequest =>
  withBody('PATCH', `${root}/${name}.${group}`, 'application/merge-patch+json', JSON.stringify({ spec }));
const remove = (name: string): FuzzRequest => plain('DELETE', `${root}/${name}.${group}`);
const reads: readonly FuzzRequest[] = [
  plain('GET', '/openapi/v2'),
  plain('GET', '/openapi/v3'),
  plain('GET', `/openapi/v3/apis/${group}/v1`),
  plain('GET', '/apis'),
  plain('GET', root),
  plain('GET', root, [], { accept: columns }),
];

/** The measured request for a definition, and the requests before and after it. */
interface Action {
  readonly name: string;
  readonly request: (name: string, spec: Record<string, unknown>) => FuzzRequest;
  readonly stored?: (name: string, spec: Record<string, unknown>) => readonly FuzzRequest[];
  readonly afterwards: (name: string) => readonly FuzzRequest[];
}

const openApiPath = `/openapi/v3/apis/${group}/v1`;
const actions: readonly Action[] = [
  { name: 'create', request: create, afterwards: (name) => [remove(name)] },
  {
    name: 'update',
    stored: (name) => [create(name, {})],
    request: change,
    afterwards: (name) => [remove(name)],
  },
  {
    name: 'read',
    stored: (name, spec) => [create(name, spec)],
    request: () => plain('GET', openApiPath),
    afterwards: (name) => [...reads, remove(name)],
  },
];

function casesOf(shape: DefinitionShape): StallCase[] {
  const { name, spec } = shape;
  const maxSize = mostRepetitions(shape);
  return actions.map(({ name: action, request, stored, afterwards }): StallCase => {
    // All requests of one measurement use the same definition.
    let plural = '';
    const next = () => (plural = `d${++made}`);
    const nameOf = () => (plural === '' ? next() : plural);
    return {
      name: `definition: ${name}, ${action}`,
      maxSize,
      request: (size) => request(stored === undefined ? next() : nameOf(), spec(size)),
      ...(stored === undefined ? {} : { stored: (size) => stored(next(), spec(size)) }),
      afterwards: () => afterwards(nameOf()),
      workMs,
    };
  });
}

/** Requests that write large CustomResourceDefinitions, including the background work that follows. */
export const definitionCases: readonly StallCase[] = definitionShapes.flatMap(casesOf);
