import * as types from '../types.ts';
import { declaredName, type CelType } from '../types.ts';
import type { ExpressionEnvironment } from './environment.ts';

const { dyn, timestamp } = types;

/**
 * The environment of the stages of a simulation, whose results are objects: `self` (also `object`) is the object, `now` the time by the clock of the API, `node` the node of a Pod,
 * `kubelet` what the kubelet of that node would do.
 */
export const stageEnvironment: ExpressionEnvironment = {
  variables: new Map([
    ['self', dyn],
    ['object', dyn],
    ['now', timestamp],
    ['node', dyn],
    ['kubelet', dyn],
  ]),
  bindings: true,
  mixedLiterals: true,
};

const kindOf =
  (what: string, kinds: readonly CelType['kind'][]) =>
  (type: CelType): string | undefined =>
    kinds.includes(type.kind) || type.kind === 'dyn'
      ? undefined
      : `must evaluate to ${what} but got ${declaredName(type)}`;

/** The result types that expressions of stages may have. A dynamic type is checked when there is a value. */
export const stageResults = {
  condition: kindOf('bool', ['bool']),
  duration: kindOf('a duration, a timestamp, a text such as "3s", or milliseconds', [
    'duration',
    'timestamp',
    'string',
    'int',
    'double',
  ]),
  weight: kindOf('a number', ['int', 'double', 'string']),
  text: kindOf('string', ['string']),
  patch: kindOf('a map or a list', ['map', 'list', 'object']),
} as const;
