import type { Sized } from '../estimate/node.ts';
import { quantityType } from '../library/kubernetes.ts';
import * as types from '../types.ts';
import { declaredName, type CelType } from '../types.ts';
import { objectType, type ExpressionEnvironment } from './environment.ts';

const { string, bool, dyn } = types;
const byDomain = (value: CelType): CelType => types.map(string, types.map(string, value));

/** Limits of a device: the number of attributes and of capacities, and the lengths of names, domains and texts. */
const most = { entries: 32, name: 32, domain: 63, driver: 63, text: 64 };
const entries = (value: Sized, byName: boolean): Sized => ({
  maxElements: most.entries,
  key: { maxElements: most.domain },
  elem: { maxElements: most.entries, key: { maxElements: most.name }, elem: value, byName },
});
const sizes: Sized = {
  fields: new Map([
    ['driver', { decl: { maxElements: most.driver } }],
    ['attributes', { decl: entries({ maxElements: most.text }, true) }],
    ['capacity', { decl: entries({}, false) }],
  ]),
};

/** The environment of device selectors. After k8s.io/dynamic-resource-allocation/cel. */
export const deviceEnvironment: ExpressionEnvironment = {
  variables: new Map([
    [
      'device',
      objectType('kubernetes.DRADevice', {
        driver: string,
        attributes: byDomain(dyn),
        capacity: byDomain(quantityType),
        allowMultipleAllocations: bool,
      }),
    ],
  ]),
  bindings: true,
  sizes,
};

/** For `compileExpression`: the type must be bool, or dyn, as of an attribute that may be a bool. */
export const deviceSelectorResult = (type: CelType): string | undefined =>
  type.kind === 'bool' || type.kind === 'dyn'
    ? undefined
    : `must evaluate to bool or the unknown type, not ${declaredName(type)}`;
